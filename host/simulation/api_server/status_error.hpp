/// What an API server says instead of an object.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

namespace capstan::simulation::api_server {

/// A Status that tells of a failure: its HTTP status, the word that programs react to and the
/// sentence for people.
struct StatusError {
    int code = 500;
    std::string reason = "InternalError";
    std::string message{};
    boost::json::object details{};               ///< as they stand in the Status
    std::optional<int> retry_after_s{};          ///< header Retry-After and details alike
    std::optional<std::string> next_continue{};  ///< 410 of a page: where to go on all the same

    bool operator==(const StatusError&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const StatusError& refusal) {
    return out << refusal.code << ' ' << refusal.reason << ": " << refusal.message;
}

template <class T>
using Answer = tl::expected<T, StatusError>;

using UnexpectedStatus = tl::unexpected<StatusError>;

/// `what`: the resource with its group, "deployments.apps".
StatusError not_found(const std::string& what, const std::string& name);
StatusError already_exists(const std::string& what, const std::string& name);
StatusError conflict(const std::string& what, const std::string& name, const std::string& why);
StatusError invalid(const std::string& what, const std::string& name, const std::string& why);
StatusError forbidden(const std::string& what, const std::string& name, const std::string& why);
StatusError bad_request(std::string message);
StatusError expired(std::string message);
/// A resourceVersion that has not been given yet.
StatusError too_large(std::uint64_t asked, std::uint64_t current);

/// The same as an object of the API.
boost::json::object status_object(const StatusError& refusal);

}  // namespace capstan::simulation::api_server

namespace capstan {
/// For CAPSTAN_TRY in functions that answer or refuse.
inline simulation::api_server::UnexpectedStatus fail(simulation::api_server::StatusError refusal) {
    return simulation::api_server::UnexpectedStatus(std::move(refusal));
}
}  // namespace capstan
