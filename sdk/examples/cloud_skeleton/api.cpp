#include "api.hpp"

#include <charconv>
#include <optional>

#include <capstan/sentence.hpp>

using capstan::ErrorCode;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::Task;

namespace {

Fields split(std::string_view text, char separator) {
    Fields out;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(separator);
        out.emplace_back(text.substr(0, end));
        if (end != std::string_view::npos) text.remove_prefix(end + 1);
    }
    return out;
}

std::optional<int> find_number(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

capstan::Failure bad_reply(const HttpRequest& request, const HttpReply& reply) {
    capstan::Error error{.code = error_code_of(reply.status),
                         .message = request.method + " " + request.url + ": status " +
                                    std::to_string(reply.status) + " " +
                                    capstan::in_quotes(reply.body)};
    if (const auto seconds = find_number(reply.header("retry-after")))
        error.retry_after = std::chrono::seconds(*seconds);
    return capstan::Failure(std::move(error));
}

}  // namespace

Api::Api(capstan::Host host, std::string endpoint, std::string token)
    : host_(host), endpoint_(std::move(endpoint)), token_(std::move(token)) {}

Task<HttpReply> Api::request(HttpRequest request) const {
    const auto authorize = [&request](std::string_view token) {
        request.header("authorization", "Bearer " + std::string(token));
    };
    if (const auto known = host_.with_secret(token_, authorize); !known)
        throw capstan::Failure(known.error());
    const HttpRequest sent = request;
    HttpReply reply = co_await capstan::send(host_, std::move(request));
    if (reply.status < 200 || reply.status > 299) throw bad_reply(sent, reply);
    co_return reply;
}

Task<std::vector<Fields>> Api::list(std::string path, std::size_t columns) const {
    const std::string url = endpoint_ + path;
    const HttpReply reply = co_await request(HttpRequest("GET", url));
    std::vector<Fields> out;
    for (const std::string& line : split(reply.body, '\n')) {
        if (line.empty()) continue;
        out.push_back(split(line, '\t'));
        // Half a list would look like a cloud that lost machines.
        if (out.back().size() < columns) {
            throw capstan::Failure(
                ErrorCode::unavailable,
                "GET " + url + ": cannot read the line " + capstan::in_quotes(line));
        }
    }
    co_return out;
}

Task<int> Api::set_target(std::string group, int target, int expected, std::string key) const {
    const std::string url = endpoint_ + "/v1/groups/" + path_part(group) + "/target";
    HttpRequest put = HttpRequest("PUT", url).with_body(std::to_string(target));
    put.header("if-match", std::to_string(expected)).header("idempotency-key", key);
    const HttpReply reply = co_await request(std::move(put));
    const auto now = find_number(reply.body);
    if (!now)
        throw capstan::Failure(ErrorCode::unavailable,
                               "PUT " + url + ": cannot read " + capstan::in_quotes(reply.body));
    co_return *now;
}

Task<void> Api::remove_machine(std::string machine, std::string key) const {
    const std::string url = endpoint_ + "/v1/machines/" + path_part(machine);
    co_await request(HttpRequest("DELETE", url).header("idempotency-key", key));
}

ErrorCode error_code_of(int http_status) {
    switch (http_status) {
        case 401: return ErrorCode::unauthenticated;
        case 402: return ErrorCode::quota;
        case 403: return ErrorCode::permission;
        case 404: return ErrorCode::not_found;
        case 409:
        case 412: return ErrorCode::conflict;
        case 429: return ErrorCode::throttled;
        case 507: return ErrorCode::out_of_capacity;
        default: return http_status >= 500 ? ErrorCode::unavailable : ErrorCode::internal;
    }
}

std::string path_part(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') ||
                              std::string_view("-._~").find(c) != std::string_view::npos;
        const auto byte = static_cast<unsigned char>(c);
        out +=
            is_plain ? std::string(1, c) : std::string{'%', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}
