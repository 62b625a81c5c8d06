#include "runtime/services/plugin_http.hpp"

#include <algorithm>
#include <utility>

#include "io/http_syntax.hpp"
#include "io/known_secrets.hpp"
#include "io/url.hpp"

namespace capstan::runtime {

namespace {

constexpr std::size_t header_limit = 128;
constexpr std::size_t method_limit = 256;
constexpr std::size_t url_limit = 16 << 10;
constexpr std::size_t http_body_limit = 16 << 20;
constexpr std::uint64_t default_reply_bytes = 16 << 20;
constexpr std::uint64_t max_reply_bytes = 256 << 20;
constexpr Duration http_timeout = std::chrono::seconds(30);

bool reaches_parent(const capstan_http_request* raw) {
    return CAPSTAN_REACHES(raw, capstan_http_request, parent);
}

Unexpected refuse_request(std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
}

HttpHeaders copy_headers(capstan_array array) {
    HttpHeaders headers;
    for (const capstan_kv& header : View<capstan_kv>(array)) {
        headers.emplace_back(text(header.key), text(header.value));
        if (headers.size() > header_limit) break;  // too many: the check will say so
    }
    return headers;
}

/// What a plugin proves itself with, which the peer may repeat. Signatures of single requests are
/// no secrets.
void know_authorization(const HttpHeaders& headers) {
    for (const auto& [name, value] : headers) {
        if (io::lower_case(name) != "authorization") continue;
        for (const std::string_view scheme : {"Bearer ", "Basic "})
            if (value.starts_with(scheme))
                io::known_secrets().add(std::string_view(value).substr(scheme.size()));
    }
}

std::vector<capstan_kv> lend_headers(const HttpHeaders& headers) {
    std::vector<capstan_kv> out;
    for (const auto& [name, value] : headers) out.push_back({str(name), str(value)});
    return out;
}

/// Calls the plugin with what came back, lent for the call.
void hand_over_reply(capstan_http_done done, void* user, const Result<HttpReply>& result) {
    if (!result) {
        const capstan_error error = to_abi(result.error());
        distrusted(done)(user, error.code, nullptr, &error);
        return;
    }
    const std::vector<capstan_kv> headers = lend_headers(result->headers);
    const std::vector<capstan_kv> trailers = lend_headers(result->trailers);
    const capstan_http_reply reply{sizeof reply, result->status, array_of(headers),
                                   str(result->body), array_of(trailers)};
    distrusted(done)(user, CAPSTAN_OK, &reply, nullptr);
}

}  // namespace

PluginHttp::PluginHttp(Options options, std::shared_ptr<io::HttpClient> client,
                       std::shared_ptr<OperationTable> operations, std::shared_ptr<TaskBoard> tasks,
                       std::shared_ptr<const io::Clock> clock)
    : options_(std::move(options)),
      client_(std::move(client)),
      operations_(std::move(operations)),
      tasks_(std::move(tasks)),
      clock_(std::move(clock)) {}

Result<HttpRequest> PluginHttp::copy(const capstan_http_request& raw) const {
    if (!reaches_parent(&raw)) return refuse_request("too short a struct");
    if (raw.url.len > url_limit) return refuse_request("the URL has more than 16 KiB");
    if (raw.body.len > http_body_limit) return refuse_request("the body has more than 16 MiB");
    if (raw.method.len > method_limit) return refuse_request("the method is no token");
    HttpRequest out(std::string(text(raw.method)), std::string(text(raw.url)));
    out.body = text(raw.body);
    CAPSTAN_TRY(const io::Url url, io::parse_url(out.url));
    if (!io::is_granted(url.host, options_.hosts))
        return fail(ErrorCode::permission, url.host + " is not granted");
    out.headers = copy_headers(raw.headers);
    CAPSTAN_CHECK(io::check_syntax(out));
    out.flags = raw.flags;
    CAPSTAN_CHECK(io::check_flags(out, url.scheme));
    know_authorization(out.headers);
    CAPSTAN_TRY(const Duration left, time_left(*operations_, raw.parent, clock_->monotonic()));
    out.timeout = std::min(
        raw.timeout_ms > 0 ? std::chrono::milliseconds(raw.timeout_ms) : http_timeout, left);
    out.max_reply_bytes = raw.max_reply_bytes == 0 ? default_reply_bytes
                                                   : std::min(raw.max_reply_bytes, max_reply_bytes);
    return out;
}

capstan_status PluginHttp::send(const capstan_http_request& raw, capstan_http_done done,
                                void* user) {
    if (done == nullptr) return CAPSTAN_E_INVALID_ARGUMENT;
    Result<HttpRequest> request = copy(raw);
    if (!request) return static_cast<capstan_status>(request.error().code);
    std::unique_lock lock(mutex_);
    if (open_.size() >= options_.max_open) return CAPSTAN_E_BUSY;
    if (const capstan_status promised = tasks_->promise(); promised != CAPSTAN_OK) return promised;
    const std::uint64_t key = ++last_key_;
    open_.emplace(key, Open{raw.parent});
    lock.unlock();
    const auto finish = [self = shared_from_this(), key, done, user](Result<HttpReply> result) {
        {
            const std::lock_guard guard(self->mutex_);
            self->open_.erase(key);
        }
        self->tasks_->deliver(
            [done, user, result = std::move(result)] { hand_over_reply(done, user, result); });
    };
    try {
        began(key, client_->send(std::move(*request), finish));
    } catch (...) {  // the promise was made, so it is kept
        finish(fail(current_error()));
    }
    return CAPSTAN_OK;
}

/// A request that was cancelled before the client had given it an id is cancelled now.
void PluginHttp::began(std::uint64_t key, io::HttpClient::RequestId id) {
    bool cancelled = false;
    {
        const std::lock_guard lock(mutex_);
        const auto at = open_.find(key);
        if (at == open_.end()) return;
        at->second.id = id;
        cancelled = at->second.cancelled;
    }
    if (cancelled) client_->cancel(id);
}

void PluginHttp::cancel(capstan_op parent) {
    cancel_if([parent](const Open& open) { return open.parent == parent; });
}

void PluginHttp::cancel_all() {
    cancel_if([](const Open&) { return true; });
}

void PluginHttp::cancel_if(const std::function<bool(const Open&)>& matches) {
    std::vector<io::HttpClient::RequestId> ids;
    {
        const std::lock_guard lock(mutex_);
        for (auto& [key, open] : open_) {
            if (!matches(open) || std::exchange(open.cancelled, true) || open.id == 0) continue;
            ids.push_back(open.id);
        }
    }
    for (const io::HttpClient::RequestId id : ids) client_->cancel(id);
}

}  // namespace capstan::runtime
