#include "kubernetes/client/watch/watch_setback.hpp"

#include <optional>
#include <string>

#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view internal_error = "InternalError";

}  // namespace

Setback setback_of(const Error& error) noexcept {
    // Its reason is Timeout, which others have, too.
    if (error.message.find("Too large resource version") != std::string::npos)
        return Setback::too_large;
    switch (error.code) {
        case ErrorCode::conflict: return Setback::expired;
        case ErrorCode::permission: return Setback::forbidden;
        case ErrorCode::not_found: return Setback::absent;
        case ErrorCode::invalid_argument:
        case ErrorCode::unsupported:
        case ErrorCode::quota: return Setback::refused;
        case ErrorCode::internal: return Setback::failing;
        case ErrorCode::unavailable:
            return error.provider_code == internal_error ? Setback::failing : Setback::busy;
        default: return Setback::busy;
    }
}

Error error_of_event(std::string_view what, const boost::json::value& object) {
    const boost::json::object* members = object.if_object();
    const std::optional<ApiStatus> status =
        members != nullptr ? find_status(*members) : std::nullopt;
    if (!status)
        return {ErrorCode::unavailable, std::string(what) + ": an ERROR that does not say which",
                std::string(internal_error)};
    Error out = error_of(what, *status);
    if (status->code == 500 && out.provider_code.empty()) out.provider_code = internal_error;
    return out;
}

}  // namespace capstan::kubernetes
