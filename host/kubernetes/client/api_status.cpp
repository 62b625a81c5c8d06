#include "kubernetes/client/api_status.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <capstan/url.hpp>

#include "io/known_secrets.hpp"
#include "io/printable.hpp"
#include "io/text_format.hpp"
#include "kubernetes/base/json_path.hpp"

namespace capstan::kubernetes::client {
namespace {

constexpr std::size_t status_message_limit = 1024;
constexpr std::size_t body_limit = 256;  ///< of a body that is not a Status, such as a proxy's page
constexpr std::size_t cause_limit = 8;
constexpr std::int64_t retry_after_max_s = 24 * 3600;

std::string printable_at(const boost::json::object& object, std::string_view key) {
    return io::printable(io::redacted(std::string(base::text_at(object, key))),
                         status_message_limit);
}

/// Absent: negative, or longer than a day.
std::optional<Duration> retry_after_of(std::int64_t seconds) {
    if (seconds < 0 || seconds > retry_after_max_s) return std::nullopt;
    return std::chrono::seconds(seconds);
}

void take_details(const boost::json::object& details, ApiStatus& status) {
    const std::int64_t seconds = base::integer_at(details, "retryAfterSeconds").value_or(0);
    if (seconds > 0) status.retry_after = retry_after_of(seconds);
    for (const auto& each : base::list_at(details, "causes")) {
        if (!each.is_object() || status.causes.size() == cause_limit) continue;
        const std::string reason = printable_at(each.get_object(), "reason");
        const std::string message = printable_at(each.get_object(), "message");
        status.causes.push_back(reason.empty() || message.empty() ? reason + message
                                                                  : reason + ": " + message);
    }
}

std::string message_of(std::string_view what, int code, const std::string& reason,
                       const std::string& message) {
    std::string out(what);
    out += ": " + std::to_string(code);
    if (!reason.empty()) out += " " + reason;
    if (!message.empty()) out += ": " + message;
    return out;
}

/// "an HTML page (Bad gateway): ...", with the title of the page, or its text if it is short.
std::string describe_page(std::string_view page) {
    page = page.substr(0, body_limit * 16);
    const std::size_t title = page.find("<title>"), end = page.find("</title>");
    if (title != std::string_view::npos && end != std::string_view::npos && title < end)
        page = page.substr(title, end - title);
    std::string text;
    bool is_tag = false;
    for (const char c : page) {
        if (c == '<') is_tag = true;
        if (!is_tag && (c > ' ' || !text.empty())) text += c;
        if (c == '>') is_tag = false;
    }
    constexpr std::size_t longest = 80;
    std::string out = "an HTML page";
    if (!text.empty() && text.size() <= longest)
        out += " (" + io::printable(io::redacted(text), longest) + ")";
    return out + ": the server is not Kubernetes, or a proxy answers for it";
}

}  // namespace

std::optional<ApiStatus> find_status(const boost::json::object& object) {
    if (printable_at(object, "kind") != "Status") return std::nullopt;
    ApiStatus status;
    status.code = static_cast<int>(base::integer_at(object, "code").value_or(0));
    status.reason = printable_at(object, "reason");
    status.message = printable_at(object, "message");
    if (const auto* details = base::find_object(object, "details")) take_details(*details, status);
    return status;
}

std::optional<ApiStatus> find_status(std::string_view json) {
    const auto object = base::parse_json_object(json);
    return object ? find_status(*object) : std::nullopt;
}

ErrorCode error_code_of_status(int http_status) noexcept {
    switch (http_status) {
        case 401: return ErrorCode::unauthenticated;
        case 403: return ErrorCode::permission;
        case 404: return ErrorCode::not_found;
        case 405:
        case 406:
        case 415: return ErrorCode::unsupported;
        case 409:
        case 410: return ErrorCode::conflict;
        case 413: return ErrorCode::quota;
        case 429: return ErrorCode::throttled;
        case 408: return ErrorCode::unavailable;
        default:
            return http_status >= 400 && http_status < 500 ? ErrorCode::invalid_argument
                                                           : ErrorCode::unavailable;
    }
}

Error error_of(std::string_view what, const ApiStatus& status) {
    Error error{error_code_of_status(status.code),
                message_of(what, status.code, status.reason, status.message)};
    for (const std::string& cause : status.causes) error.message += " (" + cause + ")";
    error.provider_code = status.reason;
    // Distinguishes 410 from 409, which has the same ErrorCode, where the reply has no Status.
    if (status.code == 410 && status.reason.empty()) error.provider_code = "Gone";
    error.retry_after = status.retry_after;
    return error;
}

Error error_of(std::string_view what, const HttpReply& reply) {
    // A server may echo the request, credentials included.
    const auto beginning = [&]() -> std::string {
        if (io::recognize_format(reply.body) == "HTML") return describe_page(reply.body);
        return io::printable(io::redacted(reply.body.substr(0, body_limit * 16)), body_limit);
    };
    ApiStatus status = find_status(reply.body).value_or(ApiStatus{.message = beginning()});
    status.code = reply.status;
    if (const auto seconds = find_retry_after(reply)) status.retry_after = seconds;
    return error_of(what, status);
}

std::optional<Duration> find_retry_after(const HttpReply& reply) {
    const std::string_view text = reply.header("retry-after");
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return retry_after_of(seconds);
}

namespace {

constexpr std::size_t warning_limit = 512;
constexpr Duration first_delay = std::chrono::milliseconds(100);
constexpr Duration longest_delay = std::chrono::seconds(5);

constexpr std::uint64_t mib = 1u << 20;

bool is_read(const ApiRequest& request) {
    return request.method == "GET" || request.method == "HEAD";
}

/// Removes one warning from the front of `text` and returns its message; empty: the warning has
/// another code, or is malformed.
///     299 - "policy/v1beta1 is deprecated", 299 - "..."
std::string take_warning(std::string_view& text) {
    const std::size_t open = text.find('"');
    const std::string_view code = text.substr(0, open);
    std::string out;
    std::size_t at = open == std::string_view::npos ? text.size() : open + 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        out += text[at];
    }
    const std::size_t comma = text.find(',', at);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t digit = code.find_first_not_of(' ');
    const bool is_299 = digit != std::string_view::npos && code.substr(digit).starts_with("299 ");
    return is_299 ? io::printable(out, warning_limit) : std::string();
}

}  // namespace

bool is_question(const ApiRequest& request) {
    if (is_read(request)) return true;
    const std::string_view path = request.path;
    const bool is_about_rights = path.starts_with("/apis/authorization.k8s.io/") ||
                                 path.starts_with("/apis/authentication.k8s.io/");
    const std::string_view last = path.substr(path.rfind('/') + 1);
    return request.method == "POST" && is_about_rights && last.starts_with("selfsubject") &&
           last.ends_with("reviews");
}

bool is_watch(const ApiRequest& request) {
    return std::any_of(request.query.begin(), request.query.end(), [](const auto& each) {
        return each.first == "watch" && (each.second == "true" || each.second == "1");
    });
}

bool is_unlimited(const ApiRequest& request) {
    return is_watch(request) || request.purpose == "lease" ||
           request.purpose == version_check_purpose;
}

std::optional<Duration> find_resend_delay(const ApiRequest& request, const HttpReply& reply) {
    if (reply.status != 429 && reply.status < 500) return std::nullopt;
    if (request.path.ends_with("/eviction")) return std::nullopt;
    // The server's cache will not catch up within a second. The caller lists by other means.
    if (reply.body.find("Too large resource version") != std::string::npos) return std::nullopt;
    return find_retry_after(reply);
}

std::optional<Duration> find_resend_delay(const ApiRequest& request, int losses) {
    if (!is_read(request)) return std::nullopt;
    Duration delay = first_delay;
    for (int i = 1; i < losses && delay < longest_delay; ++i) delay *= 2;
    return std::min(delay, longest_delay);
}

std::uint64_t max_reply_bytes_of(const ApiRequest& request) {
    if (request.max_reply_bytes > 0) return request.max_reply_bytes;
    if (request.path == "/version") return mib;
    if (request.purpose == "discovery") return 32 * mib;
    if (request.purpose == node_look_purpose) return 128 * mib;
    return 8 * mib;
}

std::string url_of(std::string_view server, const ApiRequest& request) {
    while (server.ends_with('/')) server.remove_suffix(1);
    std::string url(server);
    url += request.path;
    char separator = '?';
    for (const auto& [name, value] : request.query) {
        url += separator + percent_encode(name) + "=" + percent_encode(value);
        separator = '&';
    }
    return url;
}

std::vector<std::string> warnings_of(const HttpHeaders& headers) {
    std::vector<std::string> out;
    for (const auto& [name, value] : headers) {
        if (name != "warning") continue;
        for (std::string_view rest = value; !rest.empty();) {
            if (std::string text = take_warning(rest); !text.empty())
                out.push_back(std::move(text));
        }
    }
    return out;
}

Result<boost::json::object> parse_object(const ApiReply& reply) {
    Result<boost::json::object> object = base::parse_json_object(reply.body);
    if (!object) return fail(ErrorCode::unavailable, "the response is " + object.error().message);
    return object;
}

Result<boost::json::object> parse_object(Result<ApiReply> reply) {
    CAPSTAN_TRY(const ApiReply good, std::move(reply));
    return parse_object(good);
}

Result<void> check_list_kind(const ApiResource& of, std::string_view api_version,
                             std::string_view kind) {
    const std::string expected = std::string(of.kind) + "List";
    if (kind == expected && api_version == api_version_of(of)) return {};
    const std::string found = kind.empty() && api_version.empty()
                                  ? "a document without a kind"
                                  : std::string(api_version) + " " + std::string(kind);
    return fail(ErrorCode::unavailable, "the reply is " +
                                            io::printable(io::redacted(found), body_limit) +
                                            ", expected " + api_version_of(of) + " " + expected);
}

Result<const boost::json::array*> items_of(const boost::json::object& list, const ApiResource& of) {
    CAPSTAN_CHECK(
        check_list_kind(of, base::text_at(list, "apiVersion"), base::text_at(list, "kind")));
    if (const boost::json::array* items = base::find_array(list, "items")) return items;
    return fail(ErrorCode::unavailable, "the list has no items");
}

}  // namespace capstan::kubernetes::client
