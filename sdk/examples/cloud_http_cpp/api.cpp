#include "api.hpp"

#include <limits>

#include <capstan/http_error.hpp>
#include <capstan/sentence.hpp>
#include <capstan/url.hpp>

using capstan::Error, capstan::ErrorCode, capstan::fail, capstan::Failure, capstan::HttpReply,
    capstan::HttpRequest, capstan::Json, capstan::Page, capstan::Task, capstan::UrlBuilder;

Api::Api(capstan::Host host, std::string endpoint, std::string token)
    : host_(host), endpoint_(std::move(endpoint)), token_(std::move(token)), client_(host) {
    // The usual meaning of each status, except those that this API uses differently.
    client_.set_errors([host](const HttpRequest& request, const HttpReply& reply) {
        Error error = capstan::http_error(host, request, reply);
        if (reply.status == 507) error.code = ErrorCode::out_of_capacity;
        return error;
    });
}

HttpRequest Api::authorized(HttpRequest request) const {
    const auto add = [&request](std::string_view token) {
        request.header("authorization", "Bearer " + std::string(token));
    };
    if (const auto known = host_.with_secret(token_, add); !known) throw Failure(known.error());
    return request;
}

/// A repeated PUT or DELETE has no second effect in this API, so the client repeats them, too.
Task<Json> Api::call(HttpRequest request) {
    const auto make = [this, &request] { return authorized(request); };
    const HttpReply reply = co_await client_.fetch(make);
    if (reply.body.empty()) co_return Json();
    const auto json = capstan::parse_json(reply.body);
    if (!json) co_return fail(ErrorCode::unavailable, request.name() + ": " + json.error().message);
    co_return *json;
}

Task<Page<Json>> Api::page(std::string list, std::string token) {
    HttpRequest get("GET", UrlBuilder(endpoint_ + "/v1").segment(list).query("page", token).text());
    const Json answer = co_await call(std::move(get));
    const Json* const items = answer.find(list);
    // An incomplete list would look as if machines were gone.
    if (items == nullptr || !items->is_array())
        co_return fail(ErrorCode::unavailable,
                       "list of " + list + ": page " + capstan::in_quotes(token) + " is unknown");
    co_return Page<Json>{items->items(), answer.text_at({"next"})};
}

Task<std::vector<Json>> Api::list(std::string what) {
    const auto read = [this, &what](std::string token) { return page(what, std::move(token)); };
    co_return co_await capstan::read_pages(read);
}

Task<int> Api::set_target(std::string group, int target, int expected, std::string key) {
    UrlBuilder url(endpoint_ + "/v1/groups");
    HttpRequest put("PUT", url.segment(group).segment("target").text());
    Json body = Json::object();
    body.set("target", target).set("expected", expected).set("key", key);
    put.with_body(to_string(body));
    const Json answer = co_await call(std::move(put));
    co_return count_at(answer, "target");
}

Task<void> Api::remove_machine(std::string machine) {
    HttpRequest request("DELETE", UrlBuilder(endpoint_ + "/v1/machines").segment(machine).text());
    co_await call(std::move(request));
}

int count_at(const Json& json, const char* key) {
    const Json* const value = json.find(key);
    const auto number = value != nullptr ? value->integer() : std::nullopt;
    if (number && *number >= 0 && *number <= std::numeric_limits<int>::max())
        return static_cast<int>(*number);
    throw Failure(ErrorCode::unavailable, std::string(key) + " is not a number of at least 0 in " +
                                              capstan::in_quotes(to_string(json)));
}

ErrorCode error_code_of(std::string_view word) {
    if (word == "sold_out") return ErrorCode::out_of_capacity;
    return word == "quota" ? ErrorCode::quota : ErrorCode::internal;
}
