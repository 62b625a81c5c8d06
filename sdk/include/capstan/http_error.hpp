/// Errors for HTTP replies without success.
///
///     const HttpReply reply = co_await send(host, request);
///     if (!is_success(reply)) throw Failure(http_error(host, request, reply));
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/detail/utf8.hpp>
#include <capstan/error.hpp>
#include <capstan/host.hpp>
#include <capstan/http.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>
#include <capstan/url.hpp>
#include <capstan/whole_number.hpp>

CAPSTAN_NAMESPACE_BEGIN

inline bool is_success(const HttpReply& reply) noexcept {
    return reply.status >= 200 && reply.status <= 299;
}

/// The code for a status, if the cloud says nothing more specific: clouds report quotas and lack of
/// capacity with various statuses. After a 504 the outcome is unknown, so it is `deadline`.
constexpr ErrorCode http_error_code(int status) noexcept {
    switch (status) {
        case 400:
        case 422: return ErrorCode::invalid_argument;
        case 401: return ErrorCode::unauthenticated;
        case 402: return ErrorCode::quota;
        case 403: return ErrorCode::permission;
        case 404:
        case 410: return ErrorCode::not_found;
        case 408:
        case 425: return ErrorCode::unavailable;
        case 409:
        case 412: return ErrorCode::conflict;
        case 429: return ErrorCode::throttled;
        case 501: return ErrorCode::unsupported;
        case 504: return ErrorCode::deadline;
        default: return status >= 500 ? ErrorCode::unavailable : ErrorCode::internal;
    }
}

/// The wait that the header Retry-After asks for, as seconds or as a date; at most a year. Absent:
/// there is no such header, or it is invalid.
inline std::optional<Duration> find_retry_after(const HttpReply& reply, Time now) {
    constexpr std::chrono::seconds longest = std::chrono::hours(365 * 24);
    const std::string_view text = reply.header("retry-after");
    if (const auto seconds = find_whole_number(text)) {
        if (*seconds < 0) return std::nullopt;
        return std::chrono::seconds(std::min<std::int64_t>(*seconds, longest.count()));
    }
    const Result<Time> until = parse_http_date(text);
    if (!until) return std::nullopt;
    // Compared before they are subtracted: a date may be centuries away.
    if (*until <= now) return Duration::zero();
    if (now < Time() || *until - longest >= now) return longest;
    return *until - now;
}

/// "PUT https://api.example/groups/a: status 409 "..."", with the beginning of the body and
/// without the URL's query; `retry_after` from the reply.
inline Error http_error(const Host& host, const HttpRequest& request, const HttpReply& reply) {
    Error out;
    out.code = http_error_code(reply.status);
    out.message = request.method + " " + std::string(without_query(request.url)) + ": status " +
                  std::to_string(reply.status);
    if (!reply.body.empty()) out.message += " " + in_quotes(detail::clean_utf8(reply.body, 200));
    out.retry_after = find_retry_after(reply, host.now());
    return out;
}

CAPSTAN_NAMESPACE_END
