#include "api.hpp"

#include <charconv>
#include <optional>

#include <capstan/sentence.hpp>
#include <capstan/url.hpp>

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

}  // namespace

Api::Api(capstan::Host host, std::string endpoint, std::string token)
    : host_(host), endpoint_(std::move(endpoint)), token_(std::move(token)), client_(host) {
    // What most statuses mean is the same everywhere; this cloud has a word of its own.
    client_.set_errors([host](const HttpRequest& request, const HttpReply& reply) {
        capstan::Error error = http_error(host, request, reply);
        if (reply.status == 507) error.code = ErrorCode::out_of_capacity;
        return error;
    });
}

std::string Api::url(const std::vector<std::string>& path) const {
    capstan::UrlBuilder url(endpoint_);
    url.segment("v1");
    for (const std::string& segment : path) url.segment(segment);
    return url.text();
}

Task<HttpReply> Api::request(HttpRequest request) {
    // Each attempt has the secret as it is by then.
    const auto authorized = [this, &request] {
        HttpRequest out = request;
        const auto authorize = [&out](std::string_view token) {
            out.header("authorization", "Bearer " + std::string(token));
        };
        const auto known = host_.with_secret(token_, authorize);
        if (!known) throw capstan::Failure(known.error());
        return out;
    };
    co_return co_await client_.fetch(authorized);
}

Task<std::vector<Fields>> Api::list(std::vector<std::string> path, std::size_t columns) {
    const std::string where = url(path);
    const HttpReply reply = co_await request(HttpRequest("GET", where));
    std::vector<Fields> out;
    for (const std::string& line : split(reply.body, '\n')) {
        if (line.empty()) continue;
        out.push_back(split(line, '\t'));
        // Half a list would look like a cloud that lost machines.
        if (out.back().size() < columns) {
            throw capstan::Failure(
                ErrorCode::unavailable,
                "GET " + where + ": cannot read the line " + capstan::in_quotes(line));
        }
    }
    co_return out;
}

Task<int> Api::set_target(std::string group, int target, int expected, std::string key) {
    const std::string where = url({"groups", group, "target"});
    HttpRequest put = HttpRequest("PUT", where).with_body(std::to_string(target));
    put.header("if-match", std::to_string(expected)).header("idempotency-key", key);
    const HttpReply reply = co_await request(std::move(put));
    const auto now = find_number(reply.body);
    if (!now)
        throw capstan::Failure(ErrorCode::unavailable,
                               "PUT " + where + ": cannot read " + capstan::in_quotes(reply.body));
    co_return *now;
}

Task<void> Api::remove_machine(std::string machine, std::string key) {
    HttpRequest gone("DELETE", url({"machines", machine}));
    gone.header("idempotency-key", key);
    co_await request(std::move(gone));
}
