/// What the API says when it refuses: its Status object, and what a caller makes of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

namespace capstan::kubernetes {

struct ApiStatus {
    int code = 0;                       ///< 0: it names none
    std::string reason{};               ///< "Expired", "AlreadyExists"
    std::string message{};              ///< one printable line
    std::vector<std::string> causes{};  ///< "DisruptionBudget: The disruption budget web needs ..."
    std::optional<Duration> retry_after{};
};

/// Nothing: that is no Status object.
std::optional<ApiStatus> find_status(const boost::json::object& object);
std::optional<ApiStatus> find_status(std::string_view json);

/// What the caller of a request that came back with this HTTP status does, as Api tells; 200 to 299
/// are no errors.
ErrorCode error_code_of_status(int http_status) noexcept;

/// "`what`: 410 Expired: too old resource version", with causes behind. Also for the ERROR of a
/// watch, whose object is a Status.
Error error_of(std::string_view what, const ApiStatus& status);
/// A reply of another status than 2xx, whether its body is a Status or anything else.
Error error_of(std::string_view what, const HttpReply& reply);

/// The seconds in a reply's Retry-After; nothing: it has none, or a date.
std::optional<Duration> find_retry_after(const HttpReply& reply);

}  // namespace capstan::kubernetes
