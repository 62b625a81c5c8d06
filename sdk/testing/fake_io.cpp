// The services that come back later: capstan.exec/1 and capstan.http/1.
#include <algorithm>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "fake_parts.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

// capstan.exec/1

capstan_status post(const capstan_host* host, capstan_task fn, void* user) noexcept {
    FakeParts& p = parts(host);
    if (p.is_busy(CAPSTAN_SERVICE_EXEC)) return CAPSTAN_E_BUSY;
    return p.loop.post([fn, user](capstan_status status) { fn(user, status); });
}
capstan_status after(const capstan_host* host, std::int64_t delay_ns, capstan_task fn, void* user,
                     std::uint64_t* timer) noexcept {
    FakeParts& p = parts(host);
    if (p.is_busy(CAPSTAN_SERVICE_EXEC)) return CAPSTAN_E_BUSY;
    return p.loop.after(
        Duration(delay_ns), [fn, user](capstan_status status) { fn(user, status); }, timer);
}
capstan_status cancel_timer(const capstan_host* host, std::uint64_t timer) noexcept {
    return parts(host).loop.cancel(timer);
}
capstan_status run_blocking(const capstan_host* host, void (*work)(void*) noexcept,
                            capstan_task done, void* user) noexcept {
    FakeParts& p = parts(host);
    if (p.is_busy(CAPSTAN_SERVICE_EXEC)) return CAPSTAN_E_BUSY;
    return p.loop.blocking([work, user] { work(user); },
                           [done, user](capstan_status status) { done(user, status); });
}

// capstan.http/1

HttpRequest copy_http_request(const capstan_http_request& raw) {
    HttpRequest out(std::string(text(raw.method)), std::string(text(raw.url)));
    out.body = text(raw.body);
    for (const capstan_kv& h : View<capstan_kv>(raw.headers))
        out.headers.emplace_back(text(h.key), text(h.value));
    out.timeout = raw.timeout_ms > 0 ? Duration(std::chrono::milliseconds(raw.timeout_ms))
                                     : std::chrono::seconds(30);
    if (raw.max_reply_bytes > 0) out.max_reply_bytes = raw.max_reply_bytes;
    out.flags = raw.flags;
    return out;
}

/// A request that was accepted: what its end will be, and its callback.
struct Sent {
    HttpRequest request;
    std::optional<HttpReply> reply;
    Error error{};
    capstan_http_done done = nullptr;
    void* user = nullptr;

    void finish(capstan_status status) const {
        const Error stopped{ErrorCode::cancelled, request.name() + ": the instance is stopping"};
        if (status == CAPSTAN_OK && reply) return hand_over(*reply);
        const capstan_error e = to_abi(status == CAPSTAN_OK ? error : stopped);
        done(user, e.code, nullptr, &e);
    }

private:
    void hand_over(const HttpReply& r) const {
        const std::vector<capstan_kv> headers = lend(r.headers), trailers = lend(r.trailers);
        const capstan_http_reply raw{sizeof raw, r.status, array_of(headers), str(r.body),
                                     array_of(trailers)};
        done(user, CAPSTAN_OK, &raw, nullptr);
    }
    static std::vector<capstan_kv> lend(const HttpHeaders& headers) {
        std::vector<capstan_kv> out;
        for (const auto& [name, value] : headers) out.push_back({str(name), str(value)});
        return out;
    }
};

/// The flags a scheme may have.
std::uint64_t allowed_flags(std::string_view url) {
    const bool is_secure = url.substr(0, 8) == "https://";
    return std::uint64_t{CAPSTAN_HTTP_DIRECT} | CAPSTAN_HTTP_PATH_AS_IS |
           (is_secure ? CAPSTAN_HTTP_2 : CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE);
}

/// Why the host sends nothing.
std::optional<Error> refusal(FakeParts& p, const HttpRequest& request, capstan_op parent) {
    if (p.is_busy(CAPSTAN_SERVICE_HTTP)) return Error{ErrorCode::busy, "too many waiting requests"};
    const std::string_view host = FakeHttp::host_name(request.url);
    if (request.method.empty() || host.empty())
        return Error{ErrorCode::invalid_argument, "invalid request: it needs a method and a URL"};
    if ((request.flags & ~allowed_flags(request.url)) != 0)
        return Error{ErrorCode::invalid_argument,
                     "its flags are unknown or not allowed for its scheme"};
    if (parent != 0 && p.operations.is_cancelled(parent))
        return Error{ErrorCode::cancelled, "its operation has ended"};
    const std::lock_guard lock(p.mutex);
    if (p.http.is_granted(host)) return std::nullopt;
    return Error{ErrorCode::permission, std::string(host) +
                                            " is not granted: add grants = { http = [\"" +
                                            std::string(host) + "\"] }"};
}

/// What was arranged for a request; absent: the handler is to say.
std::optional<HttpOutcome> find_arranged(FakeParts& p, const HttpRequest& request) {
    const std::lock_guard lock(p.mutex);
    std::optional<Exchange> exchange = p.http.take(request);
    if (!exchange) return std::nullopt;
    HttpOutcome out;
    out.reply = std::move(exchange->reply);
    out.error = std::move(exchange->error);
    out.latency = exchange->latency;
    return out;
}

HttpOutcome ask_handler(FakeParts& p, const HttpRequest& request) {
    HttpHandler handler;
    {
        const std::lock_guard lock(p.mutex);
        handler = p.http.handler();
    }
    if (!handler) return Error{ErrorCode::unavailable, "the test has set no reply"};
    try {
        return handler(request);
    } catch (...) {
        return within("the test's handler", current_error());
    }
}

/// Decides how a request ends, and leaves the time that takes in the answer.
Duration arrange(Sent& sent, const HttpOutcome& outcome, Duration allowed) {
    if ((!outcome.reply && !outcome.error) || outcome.latency > allowed) {
        sent.error = {ErrorCode::deadline, sent.request.name() + ": no reply in time"};
        return allowed;
    }
    if (outcome.error) {
        sent.error = *outcome.error;
    } else if (outcome.reply->body.size() > sent.request.max_reply_bytes) {
        sent.error = {ErrorCode::quota, sent.request.name() + ": the reply is longer than " +
                                            std::to_string(sent.request.max_reply_bytes) +
                                            " bytes"};
    } else {
        sent.reply = outcome.reply;
    }
    return outcome.latency;
}

capstan_status send_http(const capstan_host* host, const capstan_http_request* raw,
                         capstan_http_done done, void* user) noexcept {
    if (done == nullptr || !CAPSTAN_REACHES(raw, capstan_http_request, parent))
        return CAPSTAN_E_INVALID_ARGUMENT;
    FakeParts& p = parts(host);
    const auto sent =
        std::make_shared<Sent>(Sent{copy_http_request(*raw), std::nullopt, {}, done, user});
    Duration allowed = sent->request.timeout;
    if (raw->parent != 0)
        allowed = std::min(allowed, p.operations.deadline(raw->parent) - p.loop.now());
    const auto due = std::max(allowed, Duration::zero());
    if (std::optional<Error> refused = refusal(p, sent->request, raw->parent)) {
        const std::lock_guard lock(p.mutex);
        p.http.keep_refused(sent->request);
        sent->error = within(sent->request.name(), *std::move(refused));
        return p.loop.after(Duration::zero(),
                            [sent](capstan_status status) { sent->finish(status); });
    }
    const std::optional<HttpOutcome> arranged = find_arranged(p, sent->request);
    HttpOutcome outcome = arranged ? *arranged : ask_handler(p, sent->request);
    {
        const std::lock_guard lock(p.mutex);
        p.http.keep(sent->request, outcome);
    }
    if (!arranged && outcome.error) outcome.error = within(sent->request.name(), *outcome.error);
    const Duration wait = arrange(*sent, outcome, due);
    return p.loop.after(wait, [sent](capstan_status status) { sent->finish(status); });
}

}  // namespace

const capstan_exec& fake_exec_table() noexcept {
    static constexpr capstan_exec table{sizeof(capstan_exec), 0, &post, &after, &cancel_timer,
                                        &run_blocking};
    return table;
}
const capstan_http& fake_http_table() noexcept {
    static constexpr capstan_http table{sizeof(capstan_http), 0, &send_http};
    return table;
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
