/// Errors as values. The code says what the caller does next; everything else goes into the
/// message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/abi/error.h>
#include <capstan/time.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// What the caller does about it; see abi/error.h for each reaction.
enum class ErrorCode : std::int32_t {
    unsupported = CAPSTAN_E_UNSUPPORTED,
    invalid_argument = CAPSTAN_E_INVALID_ARGUMENT,
    invalid_config = CAPSTAN_E_INVALID_CONFIG,
    not_found = CAPSTAN_E_NOT_FOUND,
    conflict = CAPSTAN_E_CONFLICT,
    unauthenticated = CAPSTAN_E_UNAUTHENTICATED,
    permission = CAPSTAN_E_PERMISSION,
    throttled = CAPSTAN_E_THROTTLED,
    quota = CAPSTAN_E_QUOTA,
    out_of_capacity = CAPSTAN_E_OUT_OF_CAPACITY,
    unavailable = CAPSTAN_E_UNAVAILABLE,
    deadline = CAPSTAN_E_DEADLINE,
    cancelled = CAPSTAN_E_CANCELLED,
    internal = CAPSTAN_E_INTERNAL,
    busy = CAPSTAN_E_BUSY,
};

/// Which other groups an error concerns; see abi/error.h.
enum class ErrorScope : std::int32_t {
    unknown = CAPSTAN_SCOPE_UNKNOWN,
    group = CAPSTAN_SCOPE_GROUP,
    zone = CAPSTAN_SCOPE_ZONE,
    machine_type = CAPSTAN_SCOPE_MACHINE_TYPE,
    market = CAPSTAN_SCOPE_MARKET,
    account = CAPSTAN_SCOPE_ACCOUNT,
};

/// Converts a scope of the ABI; an unknown value is `unknown`.
constexpr ErrorScope error_scope(std::int32_t scope) noexcept {
    return scope >= CAPSTAN_SCOPE_UNKNOWN && scope <= CAPSTAN_SCOPE_ACCOUNT
               ? static_cast<ErrorScope>(scope)
               : ErrorScope::unknown;
}

/// Converts a status of the ABI other than CAPSTAN_OK; unknown values are `internal`.
constexpr ErrorCode error_code(capstan_status status) noexcept {
    return status >= CAPSTAN_E_UNSUPPORTED && status <= CAPSTAN_E_BUSY
               ? static_cast<ErrorCode>(status)
               : ErrorCode::internal;
}

constexpr std::string_view name_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::invalid_config: return "invalid_config";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::unauthenticated: return "unauthenticated";
        case ErrorCode::permission: return "permission";
        case ErrorCode::throttled: return "throttled";
        case ErrorCode::quota: return "quota";
        case ErrorCode::out_of_capacity: return "out_of_capacity";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::deadline: return "deadline";
        case ErrorCode::cancelled: return "cancelled";
        case ErrorCode::internal: return "internal";
        case ErrorCode::busy: return "busy";
    }
    return "internal";
}

/// What was tried, on what, and what came back. Each layer adds its own part once, in front.
struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message;
    std::string provider_code{};            ///< the provider's own code; empty: none
    std::string subject{};                  ///< group or machine id, in lists of errors
    std::optional<Duration> retry_after{};  ///< the provider's advice
    ErrorScope scope = ErrorScope::unknown;

    bool operator==(const Error&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Error& e) {
    return out << name_of(e.code) << ": " << e.message;
}

/// `inner` with the context of one more layer in front: "group web-b: describe ASG: AccessDenied".
inline Error within(std::string_view where, Error inner) {
    inner.message.insert(0, std::string(where) + ": ");
    return inner;
}

/// Borrows from `e`.
inline capstan_error to_abi(const Error& e) noexcept {
    return {sizeof(capstan_error),
            static_cast<capstan_status>(e.code),
            str(e.message),
            str(e.provider_code),
            str(e.subject),
            e.retry_after
                ? std::chrono::duration_cast<std::chrono::milliseconds>(*e.retry_after).count()
                : -1,
            static_cast<std::int32_t>(e.scope),
            0};
}

namespace detail {
/// More than a year is not useful advice, and far more would overflow the nanoseconds.
inline constexpr std::int64_t longest_advice_ms = std::int64_t{365} * 24 * 3600 * 1000;
}  // namespace detail

/// An owned copy.
inline Error from_abi(const capstan_error& e) {
    Error out{error_code(e.code),
              std::string(text(e.message)),
              std::string(text(e.provider_code)),
              std::string(text(e.subject)),
              std::nullopt,
              error_scope(e.scope)};
    if (e.retry_after_ms >= 0)
        out.retry_after =
            std::chrono::milliseconds(std::min(e.retry_after_ms, detail::longest_advice_ms));
    return out;
}

/// For plugin code that prefers exceptions. If it is thrown inside a hook, the host receives its
/// Error.
class Failure : public std::exception {
public:
    explicit Failure(Error error) : error_(std::move(error)) {}
    Failure(ErrorCode code, std::string message) : error_{code, std::move(message)} {}
    const char* what() const noexcept override { return error_.message.c_str(); }
    const Error& error() const noexcept { return error_; }

private:
    Error error_;
};

/// The exception being handled, as an Error; call inside a catch block.
inline Error current_error() {
    try {
        throw;
    } catch (const Failure& f) {
        return f.error();
    } catch (const std::exception& e) {
        return {ErrorCode::internal, e.what()};
    } catch (...) {
        return {ErrorCode::internal, "exception of unknown type"};
    }
}

CAPSTAN_NAMESPACE_END
