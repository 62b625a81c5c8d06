#include "plugin_runtime/services/plugin_http.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/ascii.hpp>

#include "config/plugin_tls.hpp"
#include "io/http_syntax.hpp"
#include "io/known_secrets.hpp"
#include "io/printable.hpp"
#include "io/url.hpp"

namespace capstan::plugin_runtime::services {

namespace {

constexpr std::size_t method_limit = 256;
constexpr std::size_t named_limit = 512;
constexpr std::size_t refusals_limit = 1024;

Unexpected refuse_request(std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
}

HttpHeaders copy_headers(capstan_array array) {
    HttpHeaders headers;
    for (const capstan_kv& header : View<capstan_kv>(array)) {
        headers.emplace_back(text(header.key), text(header.value));
        if (headers.size() > CAPSTAN_HTTP_MAX_HEADERS) break;  // too many: the check will say so
    }
    return headers;
}

Result<void> check_sizes(const capstan_http_request& raw) {
    if (raw.url.len > CAPSTAN_HTTP_MAX_URL) return refuse_request("the URL is longer than 16 KiB");
    if (raw.body.len > CAPSTAN_HTTP_MAX_BODY)
        return refuse_request("the body is larger than 16 MiB");
    if (raw.method.len > method_limit)
        return refuse_request("the method is not a valid HTTP method");
    return {};
}

HttpRequest copy_request(const capstan_http_request& raw) {
    HttpRequest out(std::string(text(raw.method)), std::string(text(raw.url)));
    out.headers = copy_headers(raw.headers);
    out.body = text(raw.body);
    out.flags = raw.flags;
    if (raw.timeout_ms > 0) out.timeout = std::chrono::milliseconds(raw.timeout_ms);
    if (raw.max_reply_bytes > 0)
        out.max_reply_bytes = std::min<std::uint64_t>(raw.max_reply_bytes, CAPSTAN_HTTP_MAX_REPLY);
    return out;
}

/// How messages name a request that may be anything.
std::string name_of_request(const capstan_http_request& raw) {
    const HttpRequest shortened(std::string(text(raw.method).substr(0, method_limit)),
                                std::string(text(raw.url).substr(0, named_limit)));
    return io::printable(shortened.name(), named_limit);
}

/// Registers the credentials of a request as secrets, since the peer may repeat them in its reply.
/// Signatures of single requests are not secrets.
void know_authorization(const HttpHeaders& headers) {
    for (const auto& [name, value] : headers) {
        if (lower_case(name) != "authorization") continue;
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

/// Calls the plugin with the result, which it borrows during the call.
void hand_over_reply(capstan_http_done done, void* user, const Result<HttpReply>& result) {
    if (!result) {
        const capstan_error error = to_abi(result.error());
        loop::distrusted(done)(user, error.code, nullptr, &error);
        return;
    }
    const std::vector<capstan_kv> headers = lend_headers(result->headers);
    const std::vector<capstan_kv> trailers = lend_headers(result->trailers);
    const capstan_http_reply reply{sizeof reply, result->status, array_of(headers),
                                   str(result->body), array_of(trailers)};
    loop::distrusted(done)(user, CAPSTAN_OK, &reply, nullptr);
}

Error cancelled_error(const std::string& name, const char* why) {
    return {ErrorCode::cancelled, io::printable(name, named_limit) + ": " + why};
}

std::string status_label(const Result<HttpReply>& result) {
    return result ? std::to_string(result->status) : "error";
}

}  // namespace

PluginHttp::PluginHttp(Options options, std::shared_ptr<io::HttpClient> client, io::Loop& loop,
                       std::shared_ptr<OperationTable> operations,
                       std::shared_ptr<loop::PendingCallbacks> tasks,
                       std::shared_ptr<InstanceMetrics> metrics)
    : options_(std::move(options)),
      loop_(loop),
      operations_(std::move(operations)),
      tasks_(std::move(tasks)),
      metrics_(std::move(metrics)),
      tls_(options_.tls, options_.on_tls_error),
      client_(std::move(client)) {}

void PluginHttp::retire() {
    std::shared_ptr<io::HttpClient> gone;
    const std::lock_guard lock(mutex_);
    gone.swap(client_);
}

std::shared_ptr<io::HttpClient> PluginHttp::client() const {
    const std::lock_guard lock(mutex_);
    return client_;
}

Result<std::string> PluginHttp::grant_of(const std::string& host) const {
    if (auto found = io::find_grant(host, options_.hosts)) return *std::move(found);
    const std::string name = io::json_quoted(io::printable(host, named_limit));
    return fail(ErrorCode::permission,
                name + " not granted: add it to plugin." + options_.instance +
                    ".grants.http, as in grants = { http = [" + name + "] }");
}

Result<PluginHttp::Request> PluginHttp::prepare(const capstan_http_request& raw,
                                                Caller caller) const {
    if (!client())
        return fail(ErrorCode::unsupported, "no HTTP requests are sent in simulated time");
    CAPSTAN_CHECK(check_sizes(raw));
    Request out{.http = copy_request(raw), .granted = {}, .parent = raw.parent, .caller = caller};
    CAPSTAN_TRY(const io::Url url, io::parse_url(out.http.url));
    CAPSTAN_TRY(out.granted, grant_of(url.host));
    CAPSTAN_CHECK(io::check_syntax(out.http));
    CAPSTAN_CHECK(io::check_flags(out.http, url.scheme));
    know_authorization(out.http.headers);
    const Duration now = loop_.monotonic();
    CAPSTAN_TRY(const Duration left, time_left(*operations_, raw.parent, now));
    out.deadline = now + std::min(out.http.timeout, left);
    return out;
}

capstan_status PluginHttp::send(const capstan_http_request* raw, capstan_http_done done,
                                void* user) {
    if (done == nullptr || !CAPSTAN_REACHES(raw, capstan_http_request, parent))
        return CAPSTAN_E_INVALID_ARGUMENT;
    Result<Request> request = prepare(*raw, {done, user});
    std::unique_lock lock(mutex_);
    if (request) {
        if (const Result<void> room = check_room(request->http.body.size()); !room)
            request = fail(room.error());
    }
    if (!request && refusals_ >= refusals_limit) return CAPSTAN_E_BUSY;
    const capstan_status accepted = tasks_->accept(loop::PendingCallbacks::Bound::service);
    if (accepted != CAPSTAN_OK) return accepted;
    if (!request) {
        refuse({done, user}, within(name_of_request(*raw), std::move(request).error()));
        return CAPSTAN_OK;
    }
    wait(*std::move(request));
    lock.unlock();
    start_waiting();
    // Its operation may have been given up before there was a request to cancel.
    if (raw->parent != 0 && operations_->is_cancelled(raw->parent)) cancel(raw->parent);
    return CAPSTAN_OK;
}

/// Whether one more request may wait. [mutex_]
Result<void> PluginHttp::check_room(std::size_t body) const {
    if (waiting_.size() >= CAPSTAN_HTTP_MAX_WAITING)
        return fail(ErrorCode::busy, std::to_string(waiting_.size()) +
                                         " requests of the plugin are already waiting");
    std::size_t bytes = body;
    for (const auto& [key, request] : waiting_) bytes += request.http.body.size();
    if (bytes > CAPSTAN_HTTP_MAX_WAITING_BODIES)
        return fail(ErrorCode::busy, "the bodies of the plugin's waiting requests would have " +
                                         std::to_string(bytes) + " bytes; at most " +
                                         std::to_string(CAPSTAN_HTTP_MAX_WAITING_BODIES) +
                                         " are allowed");
    return {};
}

/// Under the lock.
void PluginHttp::wait(Request request) {
    const std::uint64_t key = ++last_key_;
    if (under_way_.size() + waiting_.size() >= CAPSTAN_HTTP_MAX_UNDER_WAY) {
        request.timer = loop_.at(request.deadline, [weak = weak_from_this(), key] {
            if (const auto self = weak.lock()) self->give_up(key);
        });
    }
    waiting_.emplace(key, std::move(request));
}

/// As many as there is room for.
void PluginHttp::start_waiting() {
    while (true) {
        std::unique_lock lock(mutex_);
        if (waiting_.empty() || under_way_.size() >= CAPSTAN_HTTP_MAX_UNDER_WAY) return;
        auto next = waiting_.extract(waiting_.begin());
        Request& request = next.mapped();
        if (request.timer != 0) loop_.cancel(request.timer);
        under_way_.emplace(next.key(), UnderWay{.caller = request.caller,
                                                .name = request.http.name(),
                                                .granted = std::move(request.granted),
                                                .parent = request.parent,
                                                .began = loop_.monotonic()});
        lock.unlock();
        start(next.key(), std::move(request));
    }
}

void PluginHttp::start(std::uint64_t key, Request request) {
    try {
        const Duration now = loop_.monotonic();
        request.http.timeout = std::max(request.deadline - now, Duration(1));
        const std::shared_ptr<io::HttpClient> client = this->client();
        if (!client) return finish(key, fail(ErrorCode::cancelled, "the instance has stopped"));
        if (Result<void> ready = renew_tls(*client, now, request.http.name()); !ready)
            return finish(key, fail(std::move(ready).error()));
        const io::HttpClient::RequestId id = client->send(
            std::move(request.http), [self = shared_from_this(), key](Result<HttpReply> result) {
                self->finish(key, std::move(result));
            });
        std::unique_lock lock(mutex_);
        const auto at = under_way_.find(key);
        if (at == under_way_.end()) return;
        at->second.id = id;
        // It may have been cancelled before the client gave it an id.
        const bool is_cancelled = at->second.cancelled != nullptr;
        lock.unlock();
        if (is_cancelled) client->cancel(id);
    } catch (...) {  // the callback was accepted, so it must be called
        finish(key, fail(current_error()));
    }
}

Result<void> PluginHttp::renew_tls(io::HttpClient& client, Duration now, const std::string& name) {
    const auto use = [&client](const io::TlsOptions& tls) { client.set_tls(tls); };
    const Result<void> renewed = tls_.renew(now, use);
    if (renewed) return {};
    const std::string table = "plugin." + options_.instance + ".tls.";
    return fail(ErrorCode::invalid_config,
                io::printable(name, named_limit) + ": " + table + renewed.error().message);
}

void PluginHttp::finish(std::uint64_t key, Result<HttpReply> result) {
    Caller caller;
    {
        const std::lock_guard lock(mutex_);
        const auto at = under_way_.find(key);
        if (at == under_way_.end() || std::exchange(at->second.has_ended, true)) return;
        const UnderWay& of = at->second;
        caller = of.caller;
        if (!result && result.error().code == ErrorCode::cancelled && of.cancelled != nullptr)
            result = fail(cancelled_error(of.name, of.cancelled));
        metrics_->http_request(of.granted, status_label(result), loop_.monotonic() - of.began);
    }
    const auto report = [self = shared_from_this(), key, caller, result = std::move(result)] {
        self->leave(key);
        hand_over_reply(caller.done, caller.user, result);
    };
    tasks_->deliver(report, loop::PendingCallbacks::Bound::service);
}

/// The callback is about to be called, so another request may begin. [strand]
void PluginHttp::leave(std::uint64_t key) {
    {
        const std::lock_guard lock(mutex_);
        under_way_.erase(key);
    }
    start_waiting();
}

/// At the deadline of a waiting request.
void PluginHttp::give_up(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    const auto late = waiting_.extract(key);
    if (late.empty()) return;
    const Request& request = late.mapped();
    refuse(request.caller,
           {ErrorCode::deadline,
            io::printable(request.http.name(), named_limit) + ": timed out waiting for the " +
                std::to_string(CAPSTAN_HTTP_MAX_UNDER_WAY) + " running requests of the plugin"});
}

/// Calls the callback of a request that was accepted and not sent. [mutex_]
void PluginHttp::refuse(Caller caller, Error error) {
    ++refusals_;
    const auto report = [self = shared_from_this(), caller, error = std::move(error)] {
        {
            const std::lock_guard lock(self->mutex_);
            --self->refusals_;
        }
        hand_over_reply(caller.done, caller.user, fail(error));
    };
    tasks_->deliver(report, loop::PendingCallbacks::Bound::service);
}

void PluginHttp::cancel(capstan_op parent) {
    cancel_if([parent](capstan_op of) { return of == parent; }, "its operation has ended");
}

void PluginHttp::cancel_all() {
    cancel_if([](capstan_op) { return true; }, "the plugin is stopping");
}

void PluginHttp::cancel_if(const std::function<bool(capstan_op parent)>& matches, const char* why) {
    std::vector<io::HttpClient::RequestId> ids;
    std::shared_ptr<io::HttpClient> client;
    {
        const std::lock_guard lock(mutex_);
        client = client_;
        for (auto at = waiting_.begin(); at != waiting_.end();) {
            const auto here = at++;
            if (!matches(here->second.parent)) continue;
            const auto waited = waiting_.extract(here);
            const Request& request = waited.mapped();
            if (request.timer != 0) loop_.cancel(request.timer);
            refuse(request.caller, cancelled_error(request.http.name(), why));
        }
        for (auto& [key, open] : under_way_) {
            const bool is_over = open.has_ended || open.cancelled != nullptr;
            if (is_over || !matches(open.parent)) continue;
            open.cancelled = why;
            if (open.id != 0) ids.push_back(open.id);
        }
    }
    if (!client) return;
    for (const io::HttpClient::RequestId id : ids) client->cancel(id);
}

namespace {

constexpr Duration tls_check_period = std::chrono::seconds(10);

}  // namespace

Result<void> TlsRenewal::renew(Duration now,
                               const std::function<void(const io::TlsOptions&)>& use) {
    if (!files_.is_set()) return {};
    const std::lock_guard lock(mutex_);
    const bool is_fresh = looked_ && now - *looked_ < tls_check_period;
    if (is_fresh && known_) return {};
    if (is_fresh && trouble_) return fail(*trouble_);
    looked_ = now;
    Result<io::TlsOptions> read = config::read_plugin_tls(files_);
    if (!read) return keep_old(read.error());
    trouble_.reset();
    if (known_ == *read) return {};
    known_ = *std::move(read);
    use(*known_);
    return {};
}

/// A pair that is replaced file by file does not fit for a moment.
Result<void> TlsRenewal::keep_old(const Error& error) {
    const bool is_new = trouble_ != error;
    trouble_ = error;
    if (!known_) return fail(error);
    if (is_new && on_error_) on_error_(error);
    return {};
}

}  // namespace capstan::plugin_runtime::services
