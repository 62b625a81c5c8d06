#include "simulator/api_server/status_error.hpp"

#include <boost/json/array.hpp>

namespace capstan::simulator::api_server {
namespace {

StatusError about(int code, std::string reason, const std::string& what, const std::string& name,
                  std::string message) {
    const auto point = what.find('.');
    boost::json::object details{{"name", name}, {"kind", what.substr(0, point)}};
    if (point != std::string::npos) details["group"] = what.substr(point + 1);
    return {code, std::move(reason), std::move(message), std::move(details), {}, {}};
}

std::string quoted_name(const std::string& what, const std::string& name) {
    return what + " \"" + name + "\"";
}

}  // namespace

StatusError not_found(const std::string& what, const std::string& name) {
    return about(404, "NotFound", what, name, quoted_name(what, name) + " not found");
}

StatusError already_exists(const std::string& what, const std::string& name) {
    return about(409, "AlreadyExists", what, name, quoted_name(what, name) + " already exists");
}

StatusError conflict(const std::string& what, const std::string& name, const std::string& why) {
    return about(409, "Conflict", what, name,
                 "Operation cannot be fulfilled on " + quoted_name(what, name) + ": " + why);
}

StatusError invalid(const std::string& what, const std::string& name, const std::string& why) {
    return about(422, "Invalid", what, name, quoted_name(what, name) + " is invalid: " + why);
}

StatusError forbidden(const std::string& what, const std::string& name, const std::string& why) {
    return about(403, "Forbidden", what, name, quoted_name(what, name) + " is forbidden: " + why);
}

StatusError bad_request(std::string message) {
    return {400, "BadRequest", std::move(message), {}, {}, {}};
}

StatusError expired(std::string message) {
    return {410, "Expired", std::move(message), {}, {}, {}};
}

StatusError too_large(std::uint64_t requested, std::uint64_t current) {
    StatusError out{504,
                    "Timeout",
                    "Timeout: Too large resource version: " + std::to_string(requested) +
                        ", current: " + std::to_string(current),
                    {},
                    {},
                    {}};
    boost::json::object cause{{"reason", "ResourceVersionTooLarge"},
                              {"message", "Too large resource version"}};
    out.details["causes"] = boost::json::array{std::move(cause)};
    out.details["retryAfterSeconds"] = 1;
    return out;
}

boost::json::object status_object(const StatusError& refusal) {
    boost::json::object metadata;
    if (refusal.next_continue) metadata["continue"] = *refusal.next_continue;
    boost::json::object out{{"kind", "Status"},           {"apiVersion", "v1"},
                            {"metadata", metadata},       {"status", "Failure"},
                            {"message", refusal.message}, {"reason", refusal.reason}};
    boost::json::object details = refusal.details;
    if (refusal.retry_after_s) details["retryAfterSeconds"] = *refusal.retry_after_s;
    if (!details.empty()) out["details"] = std::move(details);
    out["code"] = refusal.code;
    return out;
}

}  // namespace capstan::simulator::api_server
