#include "operations.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../wire/gce_error.hpp"
#include "json_fields.hpp"

namespace capstan::gce {
namespace {

std::string place_word_of(Scope scope) {
    if (scope == Scope::zone) return "zone";
    return scope == Scope::region ? "region" : "global";
}

Error error_of_operation(const Json& json) {
    Error out = classify_failure(text_field(json, "code"), text_field(json, "message"));
    out.subject = text_field(json, "location");
    return out;
}

/// Whether the operation says that it failed, whatever it says of why.
bool has_failed(const Json& json) {
    constexpr std::int64_t first_error_status = 400;
    return !object_field(json, "error").members().empty() ||
           find_number_field(json, "httpErrorStatusCode").value_or(0) >= first_error_status;
}

Operation operation_of(const Json& json) {
    Operation out;
    auto link = find_link_field(json, "selfLink");
    if (!link) throw Failure(ErrorCode::unavailable, "selfLink is missing");
    out.link = *std::move(link);
    out.is_done = text_field(json, "status") == "DONE";
    for (const Json& error : list_field(object_field(json, "error"), "errors"))
        out.errors.push_back(error_of_operation(error));
    if (out.errors.empty() && has_failed(json))
        out.errors.push_back(classify_failure(text_field(json, "httpErrorMessage"), ""));
    // Errors with a known reason come before those without one.
    std::stable_partition(out.errors.begin(), out.errors.end(),
                          [](const Error& error) { return error.code != ErrorCode::unavailable; });
    for (const Json& warning : list_field(json, "warnings"))
        out.warnings.push_back(text_field(warning, "message"));
    return out;
}

}  // namespace

Result<Operation> read_operation(const Json& json) {
    try {
        return operation_of(json);
    } catch (const Failure& failure) {
        return fail(within("the operation", failure.error()));
    }
}

// A single wait is shorter than the client's timeout, so that a long wait does not fail.
Task<Operation> ask_operation(GceClient& client, ResourceLink link) {
    GceRequest request("compute." + place_word_of(link.place.scope) + "Operations.get", "GET",
                       link.path());
    const Json answer = co_await client.call(std::move(request));
    co_return read_operation(answer);
}

Task<Operation> await_operation(Host host, GceClient& client, Operation operation,
                                Duration patience) {
    constexpr Duration first_pause = std::chrono::milliseconds(100);
    constexpr Duration longest_pause = std::chrono::seconds(1);
    const Duration until = host.monotonic() + patience;
    Duration pause = first_pause;
    while (!operation.is_done) {
        const std::optional<Duration> time = co_await time_left(host);
        const Duration left = std::min(until - host.monotonic(), time.value_or(patience));
        if (left <= pause) break;
        co_await sleep_for(host, pause);
        pause = std::min(2 * pause, longest_pause);
        operation = co_await ask_operation(client, operation.link);
    }
    co_return std::move(operation);
}

Result<void> outcome_of(const Operation& operation, const std::string& action) {
    if (operation.errors.empty()) return {};
    return fail(within(action, operation.errors.front()));
}

}  // namespace capstan::gce
