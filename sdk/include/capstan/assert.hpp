/// Assertions, which are checked in release builds, too: a process that restarts is safer than one
/// that acts on nonsense.
///
///     CAPSTAN_ASSERT(sum <= nodes, "more nodes are shared out than there are");
///
/// A failed assertion is printed to standard error with its place, and the process aborts. Bad
/// input (configuration, an answer of an API or of a plugin) is an Error, not an assertion.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN
namespace detail {

/// Prints "FILE:LINE: broken promise: WHAT (CONDITION)" and aborts. [any thread]
[[noreturn]] inline void break_promise(const char* file, int line, const char* condition,
                                       const char* what) noexcept {
    std::fprintf(stderr, "%s:%d: broken promise: %s (%s)\n", file, line, what, condition);
    std::abort();
}

}  // namespace detail
CAPSTAN_NAMESPACE_END

/// `what` is a sentence that says what is wrong when the condition does not hold. The condition is
/// evaluated once, in every build.
#define CAPSTAN_ASSERT(condition, what) \
    ((condition) ? void(0) : ::capstan::detail::break_promise(__FILE__, __LINE__, #condition, what))
