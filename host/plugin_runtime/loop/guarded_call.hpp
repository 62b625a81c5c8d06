/// Calls a function of a plugin so that no exception leaves the call.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <capstan/abi/error.h>
#include <capstan/error.hpp>
#include <capstan/result.hpp>

namespace capstan::plugin_runtime::loop {

// Errors that plugins report, made safe to keep and to print.

/// A copy of an error that a plugin reported, its message printable and cut at 4 KiB. NULL, a
/// struct that is too short and CAPSTAN_OK are bugs of the plugin: the copy is `internal` then, and
/// its message names the bug.
Error copy_error(const capstan_error* reported);

/// The error of a status that came without a reported error.
Error error_of(capstan_status status, std::string_view what);

/// Ends a process that was forked during its lifetime: a plugin has forked, and its child has
/// returned to the host. Such a twin has one thread, the host's memory and its open files. A child
/// that does not return, such as one that executes a program, is not affected.
class EndOfForkedChild {
public:
    EndOfForkedChild() noexcept : forks_(forks_until_now()) {}
    EndOfForkedChild(const EndOfForkedChild&) = delete;
    EndOfForkedChild& operator=(const EndOfForkedChild&) = delete;
    ~EndOfForkedChild() {
        if (forks_until_now() != forks_) end_process();
    }

private:
    /// How many forks lead from the first process to this one.
    static unsigned forks_until_now() noexcept;
    [[noreturn]] static void end_process() noexcept;
    const unsigned forks_;
};

/// `function` as a function that may throw. The tables of the C boundary are noexcept, so a
/// compiler may leave out the handlers around a call, and an exception of a plugin would end the
/// process. Every function of a plugin is called through this.
template <class R, class... P>
constexpr auto distrusted(R (*function)(P...) noexcept) noexcept -> R (*)(P...) {
    return function;
}

/// The result of `body`, which calls one function of a plugin through `distrusted`. `internal`: the
/// function threw; the message is "threw an exception: " and the exception's text. A thread that
/// ends inside `body` (pthread_exit) cannot be kept from it: `on_thread_end` is called, then the
/// unwinding goes on and ends the process.
template <class F, class OnThreadEnd>
auto call_guarded(F&& body, OnThreadEnd&& on_thread_end) -> Result<std::invoke_result_t<F>> {
    const auto escaped = [](const std::string& what) {
        return fail(ErrorCode::internal, "threw an exception: " + what);
    };
    const EndOfForkedChild child;
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
            std::forward<F>(body)();
            return {};
        } else {
            return std::forward<F>(body)();
        }
    } catch (const abi::__forced_unwind&) {
        on_thread_end();
        throw;
    } catch (const std::exception& exception) {
        return escaped(exception.what());
    } catch (...) {
        return escaped("not a std::exception");
    }
}

/// The same without a callback for a thread that ends.
template <class F>
auto call_guarded(F&& body) -> Result<std::invoke_result_t<F>> {
    return call_guarded(std::forward<F>(body), [] {});
}

}  // namespace capstan::plugin_runtime::loop
