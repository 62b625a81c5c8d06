/// The refusal of an API server: a Status of failure.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include <boost/json/object.hpp>

#include <capstan/result.hpp>

namespace capstan::simulator::api_server {

struct StatusError {
    int code = 500;  ///< the HTTP status
    std::string reason = "InternalError";
    std::string message{};
    boost::json::object details{};       ///< of the Status
    std::optional<int> retry_after_s{};  ///< for the header Retry-After and for the details
    /// 410 of a page of a list: a continue token for the remainder as of now.
    std::optional<std::string> next_continue{};

    bool operator==(const StatusError&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const StatusError& refusal) {
    return out << refusal.code << ' ' << refusal.reason << ": " << refusal.message;
}

template <class T>
using Answer = tl::expected<T, StatusError>;

using UnexpectedStatus = tl::unexpected<StatusError>;

// `what`: the resource with its group, "deployments.apps".

StatusError not_found(const std::string& what, const std::string& name);
StatusError already_exists(const std::string& what, const std::string& name);
StatusError conflict(const std::string& what, const std::string& name, const std::string& why);
StatusError invalid(const std::string& what, const std::string& name, const std::string& why);
StatusError forbidden(const std::string& what, const std::string& name, const std::string& why);
StatusError bad_request(std::string message);
StatusError expired(std::string message);
/// 504: a resourceVersion that has not been reached yet.
StatusError too_large(std::uint64_t requested, std::uint64_t current);

/// The refusal as an object of kind Status.
boost::json::object status_object(const StatusError& refusal);

}  // namespace capstan::simulator::api_server

namespace capstan {
/// For CAPSTAN_TRY in functions that return an Answer.
inline simulator::api_server::UnexpectedStatus fail(simulator::api_server::StatusError refusal) {
    return simulator::api_server::UnexpectedStatus(std::move(refusal));
}
}  // namespace capstan
