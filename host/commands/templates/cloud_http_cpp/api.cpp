#include "api.hpp"

#include <charconv>
#include <optional>
#include <set>

#include <capstan/sentence.hpp>

using capstan::ErrorCode;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::Json;
using capstan::Task;
using namespace std::chrono_literals;

namespace {

constexpr int attempts_max = 4;
constexpr int pages_max = 1000;
/// An API that asks for a longer pause is left alone by the host, as a whole.
constexpr capstan::Duration pause_max = 5s;

/// `text` as one part of a path or query.
std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') ||
                              std::string_view("-._~").find(c) != std::string_view::npos;
        const auto byte = static_cast<unsigned char>(c);
        if (is_plain) {
            out += c;
        } else {
            out += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return out;
}

capstan::Error error_of(const std::string& what, const HttpReply& reply) {
    capstan::Error out{error_code_of(reply.status),
                       what + ": status " + std::to_string(reply.status) + " " +
                           capstan::in_quotes(std::string_view(reply.body).substr(0, 200))};
    const std::string_view seconds = reply.header("retry-after");
    int number = 0;
    if (std::from_chars(seconds.data(), seconds.data() + seconds.size(), number).ec == std::errc())
        out.retry_after = std::chrono::seconds(number);
    return out;
}

Json read(const std::string& what, const HttpReply& reply) {
    if (reply.status < 200 || reply.status > 299) throw capstan::Failure(error_of(what, reply));
    if (reply.body.empty()) return Json();
    const auto json = capstan::parse_json(reply.body);
    if (json) return *json;
    throw capstan::Failure(ErrorCode::unavailable, what + ": " + json.error().message);
}

bool is_worth_another_try(const capstan::Error& error) {
    return (error.code == ErrorCode::unavailable || error.code == ErrorCode::throttled) &&
           error.retry_after.value_or(0s) <= pause_max;
}

}  // namespace

Api::Api(capstan::Host host, std::string endpoint, std::string token)
    : host_(host), endpoint_(std::move(endpoint)), token_(std::move(token)) {}

capstan::Duration Api::pause_before(int attempt, const capstan::Error& error) const {
    if (error.retry_after) return *error.retry_after;
    const capstan::Duration longest = 200ms * (1 << attempt);
    return capstan::Duration(host_.random() % static_cast<std::uint64_t>(longest.count()));
}

Task<Json> Api::call(HttpRequest request) const {
    const auto authorize = [&request](std::string_view token) {
        request.header("authorization", "Bearer " + std::string(token));
    };
    if (const auto known = host_.with_secret(token_, authorize); !known)
        throw capstan::Failure(known.error());
    const std::string what = request.method + " " + request.url;
    for (int attempt = 1;; ++attempt) {
        HttpRequest sent = request;
        std::optional<capstan::Error> error;
        Json answer;
        try {
            answer = read(what, co_await capstan::send(host_, std::move(sent)));
        } catch (const capstan::Failure& failure) {
            error = failure.error();
        }
        if (!error) co_return answer;
        if (attempt == attempts_max || !is_worth_another_try(*error))
            throw capstan::Failure(*error);
        co_await capstan::sleep_for(host_, pause_before(attempt, *error));
    }
}

Task<std::vector<Json>> Api::list(std::string what) const {
    std::vector<Json> out;
    std::set<std::string> seen;
    std::string page;
    do {
        HttpRequest get("GET", endpoint_ + "/v1/" + what + "?page=" + percent_encoded(page));
        const Json answer = co_await call(std::move(get));
        const Json* items = answer.find(what);
        // Half a list would look like a cloud that lost machines.
        if (items == nullptr || !items->is_array() || !seen.insert(page).second ||
            seen.size() > pages_max) {
            throw capstan::Failure(ErrorCode::unavailable,
                                   "list of " + what + ": page " + capstan::in_quotes(page) +
                                       " is none, or leads back to an earlier one");
        }
        out.insert(out.end(), items->items().begin(), items->items().end());
        page = answer.text_at({"next"});
    } while (!page.empty());
    co_return out;
}

Task<int> Api::set_target(std::string group, int target, int expected, std::string key) const {
    HttpRequest put("PUT", endpoint_ + "/v1/groups/" + percent_encoded(group) + "/target");
    Json body = Json::object();
    body.set("target", target).set("expected", expected).set("key", key);
    put.with_body(to_string(body));
    const Json answer = co_await call(std::move(put));
    const Json* const now = answer.find("target");
    const auto number = now != nullptr ? now->integer() : std::nullopt;
    if (!number)
        throw capstan::Failure(ErrorCode::unavailable,
                               "target of " + group + ": cannot read " + to_string(answer));
    co_return static_cast<int>(*number);
}

Task<void> Api::remove_machine(std::string machine) const {
    HttpRequest request("DELETE", endpoint_ + "/v1/machines/" + percent_encoded(machine));
    co_await call(std::move(request));
}

ErrorCode error_code_of(int http_status) {
    switch (http_status) {
        case 401: return ErrorCode::unauthenticated;
        case 402: return ErrorCode::quota;
        case 403: return ErrorCode::permission;
        case 404: return ErrorCode::not_found;
        case 409: return ErrorCode::conflict;
        case 422: return ErrorCode::invalid_argument;
        case 429: return ErrorCode::throttled;
        case 507: return ErrorCode::out_of_capacity;
        default: return http_status >= 500 ? ErrorCode::unavailable : ErrorCode::internal;
    }
}

ErrorCode error_code_of(std::string_view word) {
    if (word == "sold_out") return ErrorCode::out_of_capacity;
    return word == "quota" ? ErrorCode::quota : ErrorCode::internal;
}
