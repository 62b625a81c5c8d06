#include "gce_client.hpp"

#include <chrono>
#include <functional>

#include <capstan/ascii.hpp>
#include <capstan/http_error.hpp>

#include "gce_error.hpp"

namespace capstan::gce {
namespace {

Metric duration_metric(const Host& host) {
    return histogram(host, "cluster_autoscaler_gce_request_duration_seconds",
                     "Duration of Google Cloud requests including retries, in seconds.",
                     {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 5, 10, 20, 30, 60},
                     {"resource", "verb", "status"});
}

Metric count_metric(const Host& host) {
    return counter(host, "cluster_autoscaler_gce_request_count",
                   "Google Cloud requests, not counting retries.", {"resource", "verb"});
}

/// "instance_group_managers" of "instanceGroupManagers".
std::string in_snake_case(std::string_view camel) {
    std::string out;
    for (const char c : camel) {
        const bool is_upper = is_ascii_upper(c);
        if (is_upper && !out.empty()) out += '_';
        out += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

/// The last two parts of "compute.instanceGroupManagers.createInstances".
struct ActionName {
    std::string resource{}, verb{};
};
ActionName name_parts_of(std::string_view action) {
    const std::size_t dot = action.rfind('.');
    if (dot == std::string_view::npos) return {{}, in_snake_case(action)};
    const std::string_view front = action.substr(0, dot);
    return {in_snake_case(front.substr(front.rfind('.') + 1)),
            in_snake_case(action.substr(dot + 1))};
}

Result<Json> read_answer(const HttpReply& reply) {
    if (reply.body.empty()) return Json::object();
    Result<Json> out = parse_json(reply.body);
    if (!out)
        return fail(ErrorCode::unavailable, "cannot read the response: " + out.error().message);
    return out;
}

/// GET and PUT can be sent twice. So can DELETE: for a resource that is gone it answers not found.
Repeatable resolved(const GceRequest& request) noexcept {
    if (request.repeatable != Repeatable::by_method) return request.repeatable;
    const bool is_safe = request.http_method != "POST" && request.http_method != "PATCH";
    return is_safe ? Repeatable::yes : Repeatable::no;
}

}  // namespace

struct GceClient::State {
    State(const Host& of, ClientConfig with, TokenProvider& provider)
        : host(of),
          config(std::move(with)),
          tokens(provider),
          budget(config.retry),
          durations(duration_metric(host)),
          counts(count_metric(host)) {}

    Host host;
    ClientConfig config;
    TokenProvider& tokens;
    AttemptBudget budget;
    Metric durations, counts;

    /// One request with all its attempts.
    struct Call {
        GceRequest request;
        Json answer{};
        bool has_renewed = false;
    };

    HttpRequest http_request(const GceRequest& request, const AccessToken& token) const {
        std::string url = base_url_of(request.service, config.endpoints) + "/" + request.path;
        if (!request.query.empty()) url += "?" + format_query(request.query);
        HttpRequest out(request.http_method, std::move(url));
        out.within(config.timeout).header("accept", "application/json");
        out.max_reply_bytes = request.max_reply_bytes;
        if (request.body)
            out.header("content-type", "application/json").with_body(to_string(*request.body));
        if (!token.text.empty()) out.header("authorization", "Bearer " + token.text);
        if (!token.quota_project.empty()) out.header("x-goog-user-project", token.quota_project);
        return out;
    }
    /// Keeps the answer of a successful reply; otherwise returns the failure.
    std::optional<FailedAttempt> judge(Call& call, const Result<HttpReply>& reply) const {
        const std::string& action = call.request.action;
        if (!reply) return judge_no_reply(action, reply.error());
        if (!is_success(*reply)) return judge_refusal(action, *reply, host.now());
        Result<Json> answer = read_answer(*reply);
        if (!answer) return judge_unreadable(action, answer.error());
        call.answer = *std::move(answer);
        return std::nullopt;
    }
    static Task<Attempt> attempt(std::shared_ptr<State> self, std::shared_ptr<Call> call);
    static Task<bool> renew(std::shared_ptr<State> self, std::shared_ptr<Call> call,
                            AccessToken refused, std::shared_ptr<FailedAttempt> failed);
    static Task<void> send(std::shared_ptr<State> self, std::shared_ptr<Call> call);
};

/// Renews the token after a refusal. Returns whether there is a new token.
Task<bool> GceClient::State::renew(std::shared_ptr<State> self, std::shared_ptr<Call> call,
                                   AccessToken refused, std::shared_ptr<FailedAttempt> failed) {
    Error& error = failed->error;
    if (error.code != ErrorCode::unauthenticated || refused.text.empty()) co_return false;
    error.message += "; sent with a token of " + refused.source;
    if (std::exchange(call->has_renewed, true)) co_return false;
    const Result<AccessToken> fresh = co_await as_result(self->tokens.renew(refused.text));
    if (!fresh) {
        error.message += "; no new token: " + fresh.error().message;
        co_return false;
    }
    co_return fresh->text != refused.text;
}

Task<Attempt> GceClient::State::attempt(std::shared_ptr<State> self, std::shared_ptr<Call> call) {
    const Result<AccessToken> token = co_await as_result(self->tokens.get());
    if (!token) throw Failure(unsent_error(call->request.action, token.error()));
    HttpRequest request = self->http_request(call->request, *token);
    const Result<HttpReply> reply =
        co_await as_result(capstan::send(self->host, std::move(request)));
    Attempt out{.failed = self->judge(*call, reply)};
    if (!out.failed) co_return out;
    const auto failed = std::make_shared<FailedAttempt>(*out.failed);
    out.is_corrected = co_await renew(self, call, *token, failed);
    out.failed = *failed;
    co_return out;
}

Task<void> GceClient::State::send(std::shared_ptr<State> self, std::shared_ptr<Call> call) {
    const std::function<Task<Attempt>()> make = [&self, &call] { return attempt(self, call); };
    co_await make_attempts(self->host, self->budget, resolved(call->request), make);
}

GceClient::GceClient(const Host& host, ClientConfig config, TokenProvider& tokens)
    : state_(std::make_shared<State>(host, std::move(config), tokens)) {}

const EndpointConfig& GceClient::endpoints() const noexcept { return state_->config.endpoints; }

Task<Json> GceClient::call(GceRequest request) {
    const std::shared_ptr<State> self = state_;
    const ActionName name = name_parts_of(request.action);
    const Duration begin = self->host.monotonic();
    const auto made = std::make_shared<State::Call>(State::Call{std::move(request)});
    self->counts.record(1, {name.resource, name.verb});
    const Result<void> result = co_await as_result(State::send(self, made));
    const std::chrono::duration<double> seconds = self->host.monotonic() - begin;
    const std::string status = result ? "success"
                               : result.error().provider_code.empty()
                                   ? "error"
                                   : result.error().provider_code;
    self->durations.record(seconds.count(), {name.resource, name.verb, status});
    if (!result) throw Failure(result.error());
    co_return std::move(made->answer);
}

}  // namespace capstan::gce
