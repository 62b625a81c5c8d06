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
    return out;
}

/// A request that was accepted: what its end will be, and whom to tell.
struct Sent {
    HttpRequest request;
    std::optional<HttpReply> reply;
    Error error{};
    capstan_http_done done = nullptr;
    void* user = nullptr;

    void finish(capstan_status status) const {
        const Error stopped{ErrorCode::cancelled, where() + ": the instance is stopping"};
        if (status == CAPSTAN_OK && reply) return hand_over(*reply);
        const capstan_error e = to_abi(status == CAPSTAN_OK ? error : stopped);
        done(user, e.code, nullptr, &e);
    }
    std::string where() const { return "HTTP " + request.method + " " + request.url; }

private:
    void hand_over(const HttpReply& r) const {
        std::vector<capstan_kv> headers;
        for (const auto& [name, value] : r.headers) headers.push_back({str(name), str(value)});
        const capstan_http_reply raw{sizeof raw, r.status, array_of(headers), str(r.body)};
        done(user, CAPSTAN_OK, &raw, nullptr);
    }
};

/// A request that is refused counts among those that were made.
bool is_granted(FakeParts& p, const Sent& sent) {
    const std::lock_guard lock(p.mutex);
    if (p.http.is_granted(FakeHttp::host_name(sent.request.url))) return true;
    std::ignore = p.http.take(sent.request);
    return false;
}

/// What was arranged for a request; nothing: the handler is to say.
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
    if (!handler) return Error{ErrorCode::unavailable, "the test has arranged no reply"};
    try {
        return handler(request);
    } catch (...) {
        return within("the test's handler", current_error());
    }
}

/// Decides how a request ends, and leaves the time that takes in the answer.
Duration arrange(Sent& sent, const HttpOutcome& outcome, Duration allowed) {
    if ((!outcome.reply && !outcome.error) || outcome.latency > allowed) {
        sent.error = {ErrorCode::deadline, sent.where() + ": no reply in time"};
        return allowed;
    }
    if (outcome.error) {
        sent.error = *outcome.error;
    } else if (outcome.reply->body.size() > sent.request.max_reply_bytes) {
        sent.error = {ErrorCode::quota, sent.where() + ": the reply is longer than " +
                                            std::to_string(sent.request.max_reply_bytes) +
                                            " bytes"};
    } else {
        sent.reply = outcome.reply;
    }
    return outcome.latency;
}

capstan_status send_http(const capstan_host* host, const capstan_http_request* raw,
                         capstan_http_done done, void* user) noexcept {
    FakeParts& p = parts(host);
    if (p.is_busy(CAPSTAN_SERVICE_HTTP)) return CAPSTAN_E_BUSY;
    const auto sent =
        std::make_shared<Sent>(Sent{copy_http_request(*raw), std::nullopt, {}, done, user});
    const std::string_view name = FakeHttp::host_name(sent->request.url);
    if (sent->request.method.empty() || name.empty()) return CAPSTAN_E_INVALID_ARGUMENT;
    Duration allowed = sent->request.timeout;
    if (raw->parent != 0) {
        if (p.operations.is_cancelled(raw->parent)) return CAPSTAN_E_CANCELLED;
        allowed = std::min(allowed, p.operations.deadline(raw->parent) - p.loop.now());
    }
    if (!is_granted(p, *sent)) return CAPSTAN_E_PERMISSION;
    const std::optional<HttpOutcome> arranged = find_arranged(p, sent->request);
    HttpOutcome outcome = arranged ? *arranged : ask_handler(p, sent->request);
    {
        const std::lock_guard lock(p.mutex);
        p.http.keep(sent->request, outcome);
    }
    if (!arranged && outcome.error) outcome.error = within(sent->where(), *outcome.error);
    const Duration wait = arrange(*sent, outcome, std::max(allowed, Duration::zero()));
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
