/// Result<T>: a value or an Error. Only what tl::expected and std::expected have in common may be
/// used.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include <capstan/error.hpp>

CAPSTAN_NAMESPACE_BEGIN

template <class T>
using Result = tl::expected<T, Error>;

using Unexpected = tl::unexpected<Error>;

inline Unexpected fail(ErrorCode code, std::string message) {
    return Unexpected(Error{code, std::move(message)});
}
inline Unexpected fail(Error error) { return Unexpected(std::move(error)); }

namespace detail {
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

}  // namespace detail

CAPSTAN_NAMESPACE_END

#define CAPSTAN_DETAIL_TRY(temp, declaration, ...)              \
    auto temp = (__VA_ARGS__);                                  \
    if (!temp) return ::capstan::fail(std::move(temp).error()); \
    declaration = std::move(*temp)

/// CAPSTAN_TRY(const Types types, ec2.types()); declares `types`, or returns the error from here.
#define CAPSTAN_TRY(declaration, ...) \
    CAPSTAN_DETAIL_TRY(CAPSTAN_DETAIL_JOIN(capstan_try_, __LINE__), declaration, __VA_ARGS__)

#define CAPSTAN_DETAIL_CHECK(temp, ...)                             \
    do {                                                            \
        auto temp = (__VA_ARGS__);                                  \
        if (!temp) return ::capstan::fail(std::move(temp).error()); \
    } while (false)

/// CAPSTAN_CHECK(file.sync()); for a Result<void>: continues, or returns the error from here.
#define CAPSTAN_CHECK(...) \
    CAPSTAN_DETAIL_CHECK(CAPSTAN_DETAIL_JOIN(capstan_check_, __LINE__), __VA_ARGS__)
