#include "aws_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include <capstan/assert.hpp>
#include <capstan/attempts.hpp>
#include <capstan/duration.hpp>
#include <capstan/http_error.hpp>
#include <capstan/time_text.hpp>
#include <capstan/url.hpp>

#include "aws_error.hpp"
#include "error_codes.hpp"
#include "signature.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;

/// AWS accepts a skew of five minutes. A request well within that was not refused for its time.
constexpr Duration skew_min = 2min;

/// One request of a client with all its attempts.
struct AwsCall {
    Service service{};
    std::string action{};   ///< "autoscaling:SetDesiredCapacity"
    HttpRequest request{};  ///< not signed
    Repeatable repeatable{};
    /// Parses and keeps the answer; returns an error if it cannot be parsed.
    std::function<std::optional<Error>(const HttpReply&)> read{};

    std::string endpoint() const { return action.substr(action.find(':') + 1); }
};

/// The corrections that a request has used; each is made at most once.
struct Corrections {
    bool time = false, identity = false;
};

Metric duration_metric(const Host& host) {
    return histogram(host, "cluster_autoscaler_aws_request_duration_seconds",
                     "Duration of AWS requests including retries, in seconds.",
                     {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 5, 10, 20, 30, 60},
                     {"endpoint", "status"});
}

std::string name_of_action(Service service, std::string_view action) {
    return std::string(name_of(service)) + ":" + std::string(action);
}

Result<Json> read_json_answer(const HttpReply& reply) {
    if (reply.body.empty()) return Json::object();
    Result<Json> out = parse_json(reply.body);
    if (!out)
        return fail(ErrorCode::unavailable, "cannot read the response: " + out.error().message);
    return out;
}

}  // namespace

struct AwsClient::State {
    State(const Host& of, ClientConfig with, CredentialsProvider& provider)
        : host(of),
          config(std::move(with)),
          credentials(provider),
          budget(config.retry),
          durations(duration_metric(host)) {}

    Host host;
    ClientConfig config;
    CredentialsProvider& credentials;
    AttemptBudget budget;
    Metric durations;
    Duration skew{};   ///< added to the time of signatures
    Duration ahead{};  ///< of AWS's clock before this machine's, by the dates of replies

    std::string url_of(Service service, std::string_view path) const {
        return endpoint_of(service, config.region, config.endpoints) + std::string(path);
    }
    HttpRequest signed_request(const AwsCall& call, const Credentials& with) const {
        HttpRequest out = call.request;
        out.within(config.timeout);
        if (with.access_key_id.empty()) return out;
        const SigningScope scope{signing_region_of(call.service, config.region),
                                 std::string(name_of(call.service))};
        sign(out, with, scope, host.now() + skew);
        return out;
    }
    std::optional<FailedAttempt> judge(const AwsCall& call, const Result<HttpReply>& reply) const {
        if (!reply) return judge_no_reply(call.action, reply.error());
        if (!is_success(*reply)) return judge_refusal(call.action, *reply, host.now());
        const std::optional<Error> unreadable = call.read(*reply);
        if (unreadable) return judge_unreadable(call.action, *unreadable);
        return std::nullopt;
    }
    bool learn_skew(const std::string& code, const Result<HttpReply>& reply);
    void learn_clock(Time sent, const HttpReply& reply);
    static Task<void> answer(std::shared_ptr<State> self, AwsCall call);
    static Task<Json> answer_json(std::shared_ptr<State> self, AwsCall call);
    static Task<void> attempts(std::shared_ptr<State> self, AwsCall call);
    static Task<Attempt> send_once(std::shared_ptr<State> self, std::shared_ptr<const AwsCall> call,
                                   std::shared_ptr<Corrections> done);
    static Task<bool> correct(std::shared_ptr<State> self, std::shared_ptr<Corrections> done,
                              Credentials refused, std::shared_ptr<FailedAttempt> failed,
                              bool is_time_wrong);
};

/// Adopts the reply's time for signatures if AWS refused the request for its time. Returns whether
/// that changed the skew.
bool AwsClient::State::learn_skew(const std::string& code, const Result<HttpReply>& reply) {
    if (!reply || !is_refused_time(code)) return false;
    const Result<Time> date = parse_http_date(reply->header("date"));
    if (!date || *date < Time()) return false;
    const Duration measured = *date - host.now();
    if (measured - skew < skew_min && skew - measured < skew_min) return false;
    skew = measured;
    host.warn("the local clock differs from AWS's clock; requests are signed with AWS's time",
              {field("ahead", format_duration(measured))});
    return true;
}

/// A reply's date is AWS's time at some moment between sending and receiving, rounded down to a
/// second. That bounds `ahead` on both sides; a value within the bounds is kept, so that a slow
/// answer does not change it.
void AwsClient::State::learn_clock(Time sent, const HttpReply& reply) {
    const Result<Time> date = parse_http_date(reply.header("date"));
    if (!date || *date < Time()) return;
    const Duration least = *date - host.now(), most = *date + 1s - sent;
    if (least <= most) ahead = std::clamp(ahead, least, most);
}

/// Whether the request can be signed again and retried. If the credentials cannot be renewed, the
/// reason is appended to the error in `failed`.
Task<bool> AwsClient::State::correct(std::shared_ptr<State> self, std::shared_ptr<Corrections> done,
                                     Credentials refused, std::shared_ptr<FailedAttempt> failed,
                                     bool is_time_wrong) {
    if (is_time_wrong && !std::exchange(done->time, true)) co_return true;
    Error& error = failed->error;
    if (error.code != ErrorCode::unauthenticated || refused.access_key_id.empty()) co_return false;
    error.message += "; signed with credentials of " +
                     (refused.source.empty() ? refused.access_key_id : refused.source);
    if (!is_refused_identity(error.provider_code) || std::exchange(done->identity, true))
        co_return false;
    const Result<Credentials> fresh =
        co_await as_result(self->credentials.renew(refused.access_key_id));
    if (!fresh) {
        error.message += "; no new credentials: " + fresh.error().message;
        co_return false;
    }
    co_return fresh->access_key_id != refused.access_key_id ||
        fresh->session_token != refused.session_token;
}

Task<Attempt> AwsClient::State::send_once(std::shared_ptr<State> self,
                                          std::shared_ptr<const AwsCall> call,
                                          std::shared_ptr<Corrections> done) {
    const Result<Credentials> with = co_await as_result(self->credentials.get());
    if (!with) throw Failure(unsent_error(call->action, with.error()));
    HttpRequest request = self->signed_request(*call, *with);
    const Time sent = self->host.now();
    const Result<HttpReply> reply = co_await as_result(send(self->host, std::move(request)));
    if (reply) self->learn_clock(sent, *reply);
    const std::optional<FailedAttempt> judged = self->judge(*call, reply);
    if (!judged) co_return Attempt();
    const auto failed = std::make_shared<FailedAttempt>(*judged);
    const bool is_time_wrong = self->learn_skew(failed->error.provider_code, reply);
    Attempt out;
    out.is_corrected = co_await correct(self, done, *with, failed, is_time_wrong);
    out.failed = *failed;
    co_return out;
}

Task<void> AwsClient::State::attempts(std::shared_ptr<State> self, AwsCall call) {
    const auto shared = std::make_shared<const AwsCall>(std::move(call));
    const auto corrections = std::make_shared<Corrections>();
    const std::function<Task<Attempt>()> make = [self, shared, corrections] {
        return send_once(self, shared, corrections);
    };
    co_await make_attempts(self->host, self->budget, shared->repeatable, make);
}

Task<void> AwsClient::State::answer(std::shared_ptr<State> self, AwsCall call) {
    const Duration begin = self->host.monotonic();
    const std::string endpoint = call.endpoint();
    const Result<void> result = co_await as_result(attempts(self, std::move(call)));
    const std::chrono::duration<double> seconds = self->host.monotonic() - begin;
    const std::string status = result ? "success"
                               : result.error().provider_code.empty()
                                   ? "error"
                                   : result.error().provider_code;
    self->durations.record(seconds.count(), {endpoint, status});
    if (!result) throw Failure(result.error());
}

AwsClient::AwsClient(const Host& host, ClientConfig config, CredentialsProvider& credentials)
    : state_(std::make_shared<State>(host, std::move(config), credentials)) {}

const std::string& AwsClient::region() const noexcept { return state_->config.region; }

Duration AwsClient::clock_skew() const noexcept { return state_->ahead; }

Task<XmlReply> AwsClient::call(QueryRequest request, Repeatable repeatable) {
    AwsCall call{request.service(), name_of_action(request.service(), request.action()),
                 HttpRequest("POST", state_->url_of(request.service(), "/")), repeatable};
    call.request.header("content-type", "application/x-www-form-urlencoded; charset=utf-8")
        .with_body(request.body());
    std::optional<XmlReply> out;
    call.read = [&out, &request](const HttpReply& reply) -> std::optional<Error> {
        Result<XmlReply> read = XmlReply::parse(reply.body, request.action());
        if (!read) return read.error();
        out.emplace(std::move(*read));
        return std::nullopt;
    };
    co_await State::answer(state_, std::move(call));
    CAPSTAN_ASSERT(out, "a call has succeeded without a reply");
    co_return std::move(*out);
}

Task<Json> AwsClient::State::answer_json(std::shared_ptr<State> self, AwsCall call) {
    Json out;
    call.read = [&out](const HttpReply& reply) -> std::optional<Error> {
        Result<Json> read = read_json_answer(reply);
        if (!read) return read.error();
        out = std::move(*read);
        return std::nullopt;
    };
    co_await answer(self, std::move(call));
    co_return std::move(out);
}

Task<Json> AwsClient::get(Service service, std::string action, std::string path) {
    AwsCall call{service, name_of_action(service, action),
                 HttpRequest("GET", state_->url_of(service, path)), Repeatable::yes};
    call.request.header("accept", "application/json");
    co_return co_await State::answer_json(state_, std::move(call));
}

Task<Json> AwsClient::post_json(Service service, std::string target, Json body,
                                Repeatable repeatable) {
    AwsCall call{service, name_of_action(service, target.substr(target.rfind('.') + 1)),
                 HttpRequest("POST", state_->url_of(service, "/")), repeatable};
    call.request.header("content-type", "application/x-amz-json-1.0")
        .header("x-amz-target", target)
        .with_body(to_string(body));
    co_return co_await State::answer_json(state_, std::move(call));
}

QueryRequest& QueryRequest::set(std::string name, std::string value) & {
    parameters_.emplace_back(std::move(name), std::move(value));
    return *this;
}

QueryRequest& QueryRequest::set_list(const std::string& list,
                                     const std::vector<std::string>& values) & {
    std::size_t number = 0;
    for (const std::string& value : values) set(list + "." + std::to_string(++number), value);
    return *this;
}

std::string QueryRequest::body() const {
    QueryParameters all{{"Action", action_}, {"Version", std::string(api_version_of(service_))}};
    all.insert(all.end(), parameters_.begin(), parameters_.end());
    return format_query(all);
}

}  // namespace capstan::aws
