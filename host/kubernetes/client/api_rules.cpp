#include "kubernetes/client/api_rules.hpp"

#include <algorithm>

#include <capstan/url.hpp>

#include "io/printable.hpp"
#include "kubernetes/client/api_status.hpp"
#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::size_t warning_limit = 512;
constexpr Duration first_delay = std::chrono::milliseconds(100);
constexpr Duration longest_delay = std::chrono::seconds(5);

constexpr std::uint64_t mib = 1u << 20;

bool is_read(const ApiRequest& request) {
    return request.method == "GET" || request.method == "HEAD";
}

/// Takes one warning off the front of `text`; empty: of another code, or none at all.
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
    return is_watch(request) || request.purpose == "lease";
}

std::optional<Duration> find_resend_delay(const ApiRequest& request, const HttpReply& reply) {
    if (reply.status != 429 && reply.status < 500) return std::nullopt;
    if (request.path.ends_with("/eviction")) return std::nullopt;
    // Its cache will not have caught up in a second: another list tells the same at once.
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
    if (request.path == "/version") return mib;
    if (request.purpose == "discovery") return 32 * mib;
    if (request.purpose == node_look_purpose) return 128 * mib;
    if (request.purpose == "plugin") return 256 * mib;
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

}  // namespace capstan::kubernetes
