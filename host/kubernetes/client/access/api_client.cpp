#include "kubernetes/client/access/api_client.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <boost/asio/post.hpp>

#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/token_bucket.hpp"

namespace capstan::kubernetes::client {
namespace {

constexpr std::size_t error_body_limit = 64 << 10;
constexpr std::size_t remembered_warnings = 1000;

/// "https://host:6443/prefix" -> "host:6443"
std::string authority_of(std::string_view server) {
    const std::size_t scheme = server.find("://");
    if (scheme != std::string_view::npos) server.remove_prefix(scheme + 3);
    return std::string(server.substr(0, server.find('/')));
}

enum class Stage { queued, awaiting_credentials, sent, backing_off };

std::string_view awaited_in(Stage stage) {
    switch (stage) {
        case Stage::queued: return "the client's rate limit";
        case Stage::awaiting_credentials: return "credentials";
        case Stage::sent: return "a response";
        case Stage::backing_off: return "the retry back-off";
    }
    return {};
}

/// One request, from send() or stream() until its `done`.
struct ClientCall {
    ApiRequest request;
    Api::Done done;
    Api::Part on_part{};  ///< of a stream; NULL: the reply comes as a whole
    Duration deadline{};
    io::TimerId overdue = 0;  ///< fires at the deadline; 0: none is set
    int resends = 0;
    int losses = 0;  ///< lost connections

    Stage stage = Stage::queued;
    io::TimerId turn = 0;  ///< the end of `queued` or `backing_off`; 0: none is set
    // The attempt under way.
    Duration waited{};
    std::optional<Duration> sent{};
    Credential credential{};
    std::optional<io::HttpClient::RequestId> http{};
    std::optional<int> stream_status{};
    std::string error_body{};

    /// For messages, without the query, which may be long.
    std::string name() const { return request.method + " " + request.path; }
    bool is_streaming() const { return stream_status && *stream_status / 100 == 2; }
};

/// In an error of Api, provider_code is the reason of a Status. An error without a reply has none.
Error without_provider_code(Error error) {
    error.provider_code.clear();
    return error;
}

}  // namespace

/// Handlers hold a weak_ptr to it: they may outlive the client, and then do nothing.
class ApiClient::Core : public std::enable_shared_from_this<Core> {
    /// A handler that calls `then` with the call of that id, unless the call has ended.
    template <class... Args>
    auto with(RequestId id, void (Core::*then)(RequestId, ClientCall&, Args...)) {
        return [weak = weak_from_this(), id, then](Args... args) {
            const auto self = weak.lock();
            if (!self) return;
            const auto at = self->calls_.find(id);
            if (at == self->calls_.end()) return;
            const auto call = at->second;  // keeps the call alive where `then` ends it
            ((*self).*then)(id, *call, std::forward<Args>(args)...);
        };
    }

public:
    Core(io::HttpClient& http, io::Loop& loop, Credentials& credentials, ApiClientOptions options)
        : http_(http),
          loop_(loop),
          credentials_(credentials),
          options_(std::move(options)),
          host_(authority_of(options_.server)),
          bucket_(options_.requests_per_second, options_.burst),
          looks_bucket_(options_.requests_per_second, options_.burst) {}

    RequestId begin(ApiRequest request, Part on_part, Done done) {
        const RequestId id = ++last_id_;
        auto call = std::make_shared<ClientCall>(
            ClientCall{.request = std::move(request), .done = std::move(done)});
        call->on_part = std::move(on_part);
        calls_.emplace(id, call);
        if (options_.is_read_only && !is_question(call->request)) {
            end_later(id, *call, {ErrorCode::cancelled, call->name() + ": not sent: dry run"});
            return id;
        }
        const Duration now = loop_.monotonic();
        call->request.timeout = std::min(call->request.timeout, timeout_max_);
        call->deadline = now + std::min(call->request.timeout, Duration::max() - now);
        call->overdue = loop_.at(call->deadline, with(id, &Core::end_overdue));
        queue(id, *call);
        return id;
    }

    void limit_timeouts(Duration most) {
        timeout_max_ = most;
        const Duration end = loop_.monotonic() + most;
        for (const auto& [id, call] : calls_) {
            if (call->overdue == 0 || call->deadline <= end) continue;
            call->request.timeout -= call->deadline - end;
            call->deadline = end;
            loop_.cancel(call->overdue);
            call->overdue = loop_.at(end, with(id, &Core::end_overdue));
        }
    }

    void cancel(RequestId id) {
        const auto at = calls_.find(id);
        if (at == calls_.end()) return;
        const auto call = at->second;
        stop(*call);
        end_later(id, *call, {ErrorCode::cancelled, call->name() + ": cancelled"});
    }

    SuccessNotifier notifier;

    void close() {
        for (const auto& [id, call] : std::exchange(calls_, {})) stop(*call);
    }

private:
    /// The requests before a removal have their own bucket, so that they do not wait behind others.
    TokenBucket& bucket(const ApiRequest& request) {
        return request.purpose == node_look_purpose ? looks_bucket_ : bucket_;
    }

    void queue(RequestId id, ClientCall& call) {
        const Duration delay = is_unlimited(call.request)
                                   ? Duration::zero()
                                   : bucket(call.request).take(loop_.monotonic());
        call.stage = Stage::queued;
        call.waited = delay;
        call.sent = std::nullopt;
        call.turn = 0;
        if (delay == Duration::zero()) return ask(id, call);
        if (delay >= call.deadline - loop_.monotonic()) return give_up(id, call);
        call.turn = loop_.after(delay, with(id, &Core::ask));
    }

    /// The queue is so long that the request's turn would come after its deadline.
    void give_up(RequestId id, ClientCall& call) {
        bucket(call.request).give_back();
        call.waited = Duration::zero();
        report(call, 0, ErrorCode::deadline);
        stop(call);
        end_later(id, call, overdue_error(call));
    }

    void ask(RequestId id, ClientCall& call) {
        call.turn = 0;
        call.stage = Stage::awaiting_credentials;
        credentials_.get(with(id, &Core::transmit));
    }

    void transmit(RequestId id, ClientCall& call, Result<Credential> credential) {
        if (!credential) return end(id, call, fail(within(call.name(), credential.error())));
        if (call.request.may_send) {
            if (const Result<void> may = call.request.may_send(); !may)
                return end(id, call, fail(within(call.name() + ": not sent", may.error())));
        }
        call.credential = std::move(*credential);
        call.stage = Stage::sent;
        call.sent = loop_.monotonic();
        call.stream_status = std::nullopt;
        call.error_body.clear();
        HttpRequest request = http_request(call);
        // Set right before the request, so that no request with another certificate comes between.
        use_certificate(call.credential);
        auto done = with(id, &Core::take_result);
        call.http = call.on_part
                        ? http_.stream(std::move(request),
                                       {with(id, &Core::take_head), with(id, &Core::take_part)},
                                       std::move(done))
                        : http_.send(std::move(request), std::move(done));
    }

    HttpRequest http_request(const ClientCall& call) const {
        HttpRequest out(call.request.method, url_of(options_.server, call.request));
        out.header("user-agent", options_.user_agent).header("accept", call.request.accept);
        if (!call.request.body.empty()) out.header("content-type", call.request.content_type);
        for (const auto& [name, value] : call.credential.headers) out.header(name, value);
        out.body = call.request.body;
        out.timeout = std::max(call.deadline - loop_.monotonic(), Duration(1));
        out.max_reply_bytes = max_reply_bytes_of(call.request);
        return out;
    }

    void use_certificate(const Credential& credential) {
        if (credential.certificate_pem == certificate_ && credential.key_pem == key_) return;
        certificate_ = credential.certificate_pem;
        key_ = credential.key_pem;
        if (options_.use_certificate) options_.use_certificate(credential);
    }

    void take_head(RequestId, ClientCall& call, const HttpReply& head) {
        call.stream_status = head.status;
        if (!call.is_streaming()) return;
        loop_.cancel(std::exchange(call.overdue, 0));
        report(call, head.status);
        log_warnings(head.headers);
        notifier.notify();
        call.on_part({});
    }

    void take_part(RequestId, ClientCall& call, std::string_view part) {
        if (call.is_streaming()) return call.on_part(part);
        call.error_body += part.substr(0, error_body_limit - call.error_body.size());
    }

    void take_result(RequestId id, ClientCall& call, Result<HttpReply> reply) {
        call.http = std::nullopt;
        if (call.is_streaming()) {
            if (!reply) return end(id, call, fail(without_provider_code(std::move(reply).error())));
            return end(id, call, ApiReply{reply->status, std::move(reply->headers), {}});
        }
        if (!reply) {
            report(call, 0, reply.error().code);
            return take_failure(id, call, std::move(reply).error());
        }
        report(call, reply->status);
        log_warnings(reply->headers);
        if (call.on_part) reply->body = std::move(call.error_body);
        if (reply->status / 100 != 2) return take_refusal(id, call, *reply);
        notifier.notify();
        end(id, call, ApiReply{reply->status, std::move(reply->headers), std::move(reply->body)});
    }

    /// No reply came.
    void take_failure(RequestId id, ClientCall& call, Error error) {
        const bool is_lost = error.provider_code == io::connection_lost;
        const auto delay = is_lost ? find_resend_delay(call.request, ++call.losses) : std::nullopt;
        resend_or_end(id, call, delay, without_provider_code(std::move(error)));
    }

    void take_refusal(RequestId id, ClientCall& call, const HttpReply& reply) {
        if (reply.status == 401) credentials_.rejected(call.credential);
        resend_or_end(id, call, find_resend_delay(call.request, reply),
                      error_of(call.name(), reply));
    }

    /// A wait beyond the deadline would only replace the error's cause by a timeout.
    void resend_or_end(RequestId id, ClientCall& call, std::optional<Duration> delay, Error error) {
        if (!delay || call.resends == resend_limit || *delay >= call.deadline - loop_.monotonic())
            return end(id, call, fail(std::move(error)));
        ++call.resends;
        call.stage = Stage::backing_off;
        call.turn = loop_.after(*delay, with(id, &Core::queue));
    }

    void end_overdue(RequestId id, ClientCall& call) {
        call.overdue = 0;
        if (call.stage != Stage::backing_off) report(call, 0, ErrorCode::deadline);
        Error error = overdue_error(call);
        stop(call);
        end(id, call, fail(std::move(error)));
    }

    static Error overdue_error(const ClientCall& call) {
        const auto limit =
            std::chrono::duration_cast<std::chrono::milliseconds>(call.request.timeout).count();
        return {ErrorCode::deadline, call.name() + ": not done within " + std::to_string(limit) +
                                         " ms: waiting for " + std::string(awaited_in(call.stage))};
    }

    /// Cancels the request and the timers of the call.
    void stop(ClientCall& call) {
        if (const auto http = std::exchange(call.http, std::nullopt)) http_.cancel(*http);
        if (call.overdue != 0) loop_.cancel(std::exchange(call.overdue, 0));
        if (call.turn == 0) return;
        loop_.cancel(std::exchange(call.turn, 0));
        if (call.stage == Stage::queued) bucket(call.request).give_back();
    }

    void end(RequestId id, ClientCall& call, Result<ApiReply> result) {
        if (call.overdue != 0) loop_.cancel(call.overdue);
        calls_.erase(id);
        call.done(std::move(result));
    }

    /// Ends the call after the present event, because `done` must not run inside send() or
    /// cancel().
    void end_later(RequestId id, ClientCall& call, Error error) {
        calls_.erase(id);
        boost::asio::post(loop_.io(), [weak = weak_from_this(), done = std::move(call.done),
                                       error = std::move(error)] {
            if (weak.lock()) done(fail(error));
        });
    }

    void report(const ClientCall& call, int status,
                std::optional<ErrorCode> error = std::nullopt) const {
        if (!options_.on_attempt) return;
        const Duration latency = call.sent ? loop_.monotonic() - *call.sent : Duration::zero();
        options_.on_attempt({call.request.method, host_, call.request.purpose, status, error,
                             latency, call.waited});
    }

    void log_warnings(const HttpHeaders& headers) {
        for (const std::string& text : warnings_of(headers)) {
            if (warnings_.size() == remembered_warnings || !warnings_.insert(text).second) continue;
            if (options_.on_warning) options_.on_warning(text);
        }
    }

    io::HttpClient& http_;
    io::Loop& loop_;
    Credentials& credentials_;
    const ApiClientOptions options_;
    const std::string host_;
    TokenBucket bucket_, looks_bucket_;
    Duration timeout_max_ = Duration::max();  ///< see limit_timeouts
    RequestId last_id_ = 0;
    std::map<RequestId, std::shared_ptr<ClientCall>> calls_;
    std::string certificate_, key_;
    std::set<std::string> warnings_;
};

ApiClient::ApiClient(io::HttpClient& http, io::Loop& loop, Credentials& credentials,
                     ApiClientOptions options)
    : core_(std::make_shared<Core>(http, loop, credentials, std::move(options))) {}

ApiClient::~ApiClient() { core_->close(); }

Api::RequestId ApiClient::send(ApiRequest request, Done done) {
    return core_->begin(std::move(request), nullptr, std::move(done));
}

Api::RequestId ApiClient::stream(ApiRequest request, Part on_part, Done done) {
    return core_->begin(std::move(request), std::move(on_part), std::move(done));
}

void ApiClient::cancel(RequestId id) { core_->cancel(id); }

SuccessNotifier& ApiClient::success_notifier() { return core_->notifier; }

void ApiClient::limit_timeouts(Duration most) { core_->limit_timeouts(most); }

}  // namespace capstan::kubernetes::client
