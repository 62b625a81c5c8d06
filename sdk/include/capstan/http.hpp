/// Requests through the host:
///     const HttpReply reply = co_await send(host, HttpRequest("GET", "https://a.example/b"));
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/abi/service_http.h>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// Not an aggregate, since g++ 12 miscompiles an aggregate with strings inside a co_await
/// expression.
///     co_await send(host, HttpRequest("PUT", url).header("if-match", "3").with_body(json));
struct HttpRequest {
    std::string method = "GET";
    std::string url{};
    HttpHeaders headers{};
    std::string body{};
    Duration timeout = std::chrono::seconds(30);  ///< capped by the remaining time of the operation
    std::uint64_t max_reply_bytes = CAPSTAN_HTTP_DEFAULT_REPLY;
    std::uint64_t flags = 0;  ///< CAPSTAN_HTTP_DIRECT and the others of abi/service_http.h

    HttpRequest() = default;
    HttpRequest(std::string method_name, std::string absolute_url)
        : method(std::move(method_name)), url(std::move(absolute_url)) {}

    HttpRequest& header(std::string name, std::string value) & {
        headers.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    HttpRequest& with_body(std::string text) & {
        body = std::move(text);
        return *this;
    }
    HttpRequest& within(Duration time) & {
        timeout = time;
        return *this;
    }
    /// Bypasses the proxy: for metadata services.
    HttpRequest& direct() & { return with_flag(CAPSTAN_HTTP_DIRECT); }
    /// Requires HTTP/2 over TLS; for https.
    HttpRequest& http2() & { return with_flag(CAPSTAN_HTTP_2); }
    /// HTTP/2 without TLS, over its own connection; for http.
    HttpRequest& http2_prior_knowledge() & { return with_flag(CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE); }
    /// Keeps dot segments of the path, for signed requests.
    HttpRequest& path_as_is() & { return with_flag(CAPSTAN_HTTP_PATH_AS_IS); }

    HttpRequest&& header(std::string name, std::string value) && {
        return std::move(header(std::move(name), std::move(value)));
    }
    HttpRequest&& with_body(std::string text) && { return std::move(with_body(std::move(text))); }
    HttpRequest&& within(Duration time) && { return std::move(within(time)); }
    HttpRequest&& direct() && { return std::move(direct()); }
    HttpRequest&& http2() && { return std::move(http2()); }
    HttpRequest&& http2_prior_knowledge() && { return std::move(http2_prior_knowledge()); }
    HttpRequest&& path_as_is() && { return std::move(path_as_is()); }

    bool has(std::uint64_t flag) const noexcept { return (flags & flag) != 0; }
    /// The name in messages: "HTTP GET https://api.example/groups". Without the query, which may
    /// have signatures and tokens.
    std::string name() const {
        return "HTTP " + method + " " + url.substr(0, url.find_first_of("?#"));
    }

private:
    HttpRequest& with_flag(std::uint64_t flag) & {
        flags |= flag;
        return *this;
    }
};

struct HttpReply {
    int status = 0;
    HttpHeaders headers;  ///< names in lower case
    std::string body;
    HttpHeaders trailers{};  ///< after the body, in the same form

    /// The first header with that name (in lower case), or empty.
    std::string_view header(std::string_view name) const noexcept { return find(headers, name); }
    /// The first trailer with that name (in lower case), or empty.
    std::string_view trailer(std::string_view name) const noexcept { return find(trailers, name); }

private:
    static std::string_view find(const HttpHeaders& all, std::string_view name) noexcept {
        for (const auto& [key, value] : all) {
            if (key == name) return value;
        }
        return {};
    }
};

/// The awaitable behind `send`. A reply with any status is a value; without a reply it throws a
/// Failure.
class Send {
public:
    Send(const Host& host, HttpRequest request) : host_(host), request_(std::move(request)) {}

    bool await_ready() const noexcept { return false; }
    template <class Awaiting>
    bool await_suspend(std::coroutine_handle<Awaiting> awaiting) {
        waiting_ = awaiting;
        capstan_op parent = 0;
        if constexpr (std::is_base_of_v<detail::PromiseBase, Awaiting>)
            parent = awaiting.promise().op;
        const capstan_status accepted = start(parent);
        if (accepted == CAPSTAN_OK) return true;
        error_ = Error{error_code(accepted), request_.name() + ": " + refusal(accepted)};
        return false;
    }
    HttpReply await_resume() {
        if (error_) throw Failure(std::move(*error_));
        return std::move(reply_);
    }

private:
    /// Messages for refusals without a call of `done`; the others have a message of the host.
    static std::string refusal(capstan_status status) {
        if (status == CAPSTAN_E_PERMISSION)
            return "this host does not provide " CAPSTAN_SERVICE_HTTP;
        if (status == CAPSTAN_E_CANCELLED) return "the instance is stopping";
        if (status == CAPSTAN_E_BUSY) return "too many refused requests are queued";
        return "the host refused the request";
    }
    capstan_status start(capstan_op parent) {
        const auto* http = host_.service<capstan_http>(CAPSTAN_SERVICE_HTTP);
        if (!CAPSTAN_HAS(http, capstan_http, send)) return CAPSTAN_E_PERMISSION;
        std::vector<capstan_kv> headers;
        for (const auto& [key, value] : request_.headers) headers.push_back({str(key), str(value)});
        // 0 would mean the host's default.
        const std::int64_t timeout = std::clamp<std::int64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(request_.timeout).count(), 1,
            std::numeric_limits<std::int32_t>::max());
        const capstan_http_request request{sizeof request,
                                           static_cast<std::int32_t>(timeout),
                                           str(request_.method),
                                           str(request_.url),
                                           array_of(headers),
                                           str(request_.body),
                                           request_.max_reply_bytes,
                                           request_.flags,
                                           parent};
        return http->send(host_.raw(), &request, &Send::done, this);
    }
    static void done(void* user, capstan_status status, const capstan_http_reply* reply,
                     const capstan_error* error) noexcept {
        auto* self = static_cast<Send*>(user);
        try {
            if (status == CAPSTAN_OK && reply != nullptr) {
                self->keep(reply);
            } else if (error != nullptr) {
                self->error_ = from_abi(*error);
            } else {
                self->error_ = Error{error_code(status), self->request_.name() + ": no reply"};
            }
        } catch (...) {
            self->error_ = Error{ErrorCode::internal, {}};
        }
        self->waiting_.resume();
    }
    void keep(const capstan_http_reply* reply) {
        reply_.status = reply->status;
        reply_.body = text(reply->body);
        keep(reply->headers, reply_.headers);
        if (CAPSTAN_REACHES(reply, capstan_http_reply, trailers))
            keep(reply->trailers, reply_.trailers);
    }
    static void keep(capstan_array from, HttpHeaders& to) {
        for (const capstan_kv& header : View<capstan_kv>(from))
            to.emplace_back(text(header.key), text(header.value));
    }
    Host host_;
    HttpRequest request_;
    HttpReply reply_;
    std::optional<Error> error_;
    std::coroutine_handle<> waiting_;
};
inline Send send(const Host& host, HttpRequest request) { return {host, std::move(request)}; }

CAPSTAN_NAMESPACE_END
