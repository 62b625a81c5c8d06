#include "token_request.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/http_error.hpp>
#include <capstan/retry.hpp>
#include <capstan/sentence.hpp>
#include <capstan/url.hpp>

#include "../api/json_fields.hpp"
#include "../wire/gce_error.hpp"

namespace capstan::gce {
namespace {

constexpr Duration token_timeout = std::chrono::seconds(5);
constexpr std::int64_t longest_token_life = 12 * 3600;  ///< in seconds

struct UrlParts {
    std::string_view scheme{}, host{}, rest{};  ///< host with its port
};
UrlParts parts_of_url(std::string_view url) {
    const std::size_t colon = url.find("://");
    if (colon == std::string_view::npos) return {};
    UrlParts out{.scheme = url.substr(0, colon)};
    url.remove_prefix(colon + 3);
    const std::size_t end = std::min(url.find_first_of("/?#"), url.size());
    out.host = url.substr(0, end);
    out.rest = url.substr(end);
    return out;
}

bool is_this_machine(std::string_view host) {
    if (host == "[::1]" || host.starts_with("[::1]:")) return true;
    host = host.substr(0, host.find(':'));
    return host == "localhost" || host == "127.0.0.1";
}

const std::string* find_override(const EndpointConfig& endpoints, Service service) {
    for (const std::string& key : {std::string(name_of(service)), std::string()}) {
        const auto at = endpoints.overrides.find(key);
        if (at != endpoints.overrides.end() && !at->second.empty()) return &at->second;
    }
    return nullptr;
}

template <class Read>
auto read_part(const CredentialsText& credentials, Read read) {
    try {
        return read(credentials.json);
    } catch (const Failure& failure) {
        throw Failure(ErrorCode::invalid_config, credentials.name + ": " + failure.error().message);
    }
}

}  // namespace

std::string text_of(const CredentialsText& credentials, std::string_view key) {
    return read_part(credentials, [key](const Json& json) { return text_field(json, key); });
}

std::string required_text_of(const CredentialsText& credentials, std::string_view key) {
    return read_part(credentials,
                     [key](const Json& json) { return required_text_field(json, key); });
}

std::vector<std::string> texts_of(const CredentialsText& credentials, std::string_view key) {
    return read_part(credentials, [key](const Json& json) { return texts_field(json, key); });
}

CredentialsText part_of(const CredentialsText& credentials, std::string_view key) {
    Json json =
        read_part(credentials, [key](const Json& all) { return Json(object_field(all, key)); });
    return {credentials.name + ", " + std::string(key), std::move(json)};
}

Result<std::string> token_url(const EndpointConfig& endpoints, Service service,
                              const std::string& url) {
    const UrlParts parts = parts_of_url(url);
    const auto refuse = [&](const char* why) {
        return fail(ErrorCode::invalid_config, in_quotes(std::string(without_query(url))) +
                                                   " is not used to get a token: " + why);
    };
    if (parts.host.empty()) return refuse("not a URL");
    if (parts.host.find('@') != std::string_view::npos) return refuse("it contains a user name");
    if (const std::string* const own = find_override(endpoints, service)) {
        std::string out = *own;
        while (out.ends_with('/')) out.pop_back();
        return out + std::string(parts.rest);
    }
    if (parts.scheme != "https" && !(parts.scheme == "http" && is_this_machine(parts.host)))
        return refuse("the token would be sent without TLS");
    return url;
}

Task<Json> ask_token_endpoint(SharedLookup lookup, std::string what, HttpRequest request) {
    request.within(token_timeout).header("accept", "application/json");
    const Result<HttpReply> reply = co_await as_result(
        send_with_retry(lookup->host, std::move(request), RetryPolicy(), Repeatable::yes));
    if (!reply) {
        Error error = within(what, reply.error());
        if (error.code == ErrorCode::deadline) error.code = ErrorCode::unavailable;
        co_return fail(std::move(error));
    }
    if (!is_success(*reply)) {
        Error error = judge_refusal(what, *reply, lookup->host.now()).error;
        const bool is_transient = error.code == ErrorCode::unavailable ||
                                  error.code == ErrorCode::throttled ||
                                  error.code == ErrorCode::deadline;
        error.code = is_transient ? ErrorCode::unavailable : ErrorCode::unauthenticated;
        co_return fail(std::move(error));
    }
    Result<Json> json = parse_json(reply->body);
    if (!json || !json->is_object())
        co_return fail(ErrorCode::unavailable, what + ": the response is not a JSON object");
    co_return *std::move(json);
}

HttpRequest form_request(const std::string& url, const QueryParameters& fields) {
    HttpRequest out("POST", url);
    out.header("content-type", "application/x-www-form-urlencoded").with_body(format_query(fields));
    return out;
}

AccessToken read_token_answer(const Host& host, const Json& answer, std::string source) {
    AccessToken out{.text = text_field(answer, "access_token"), .source = std::move(source)};
    if (out.text.empty())
        throw Failure(ErrorCode::unauthenticated,
                      out.source + ": the response has no access_token");
    const auto seconds = find_number_field(answer, "expires_in");
    if (seconds)
        out.expires = host.now() + std::chrono::seconds(
                                       std::clamp<std::int64_t>(*seconds, 0, longest_token_life));
    return out;
}

}  // namespace capstan::gce
