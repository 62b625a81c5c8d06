/// Assertions, which are checked in release builds, too: a process that restarts is safer than one
/// that acts on nonsense.
///
///     CAPSTAN_ASSERT(sum <= nodes, "more nodes were assigned than exist");
///
/// A failed assertion is printed to standard error with its place, and the process aborts. Bad
/// input (configuration, a reply of an API, a result of a plugin) is an Error, not an assertion.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace detail {

/// Prints "FILE:LINE: assertion failed: WHAT (CONDITION)" and aborts. [any thread]
[[noreturn]] inline void break_promise(const char* file, int line, const char* condition,
                                       const char* what) noexcept {
    std::fprintf(stderr, "%s:%d: assertion failed: %s (%s)\n", file, line, what, condition);
    std::abort();
}

}  // namespace detail
CAPSTAN_NAMESPACE_END

/// `what` is a sentence that says what is wrong if the condition is false. The condition is
/// evaluated once, in every build.
#define CAPSTAN_ASSERT(condition, what) \
    ((condition) ? void(0) : ::capstan::detail::break_promise(__FILE__, __LINE__, #condition, what))
