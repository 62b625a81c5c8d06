/// A call into a plugin from which no exception comes out.
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

namespace capstan::runtime::loop {

// Errors as plugins report them, made safe to keep and to print.

/// A copy of what a plugin reported: the message cut at 4 KiB and printable. Nothing, a struct that
/// is too short and CAPSTAN_OK are the plugin's bug: `internal`, which the message says.
Error copy_error(const capstan_error* reported);

/// What a status without a report says.
Error error_of(capstan_status status, std::string_view what);

/// `function` as one that may throw. The tables of the C boundary say that nothing is thrown, and a
/// compiler that goes by it leaves out the handlers around the call: what a plugin throws all the
/// same would end the process. Every function of a plugin is called through this.
template <class R, class... P>
constexpr auto distrusted(R (*function)(P...) noexcept) noexcept -> R (*)(P...) {
    return function;
}

/// What `body` gives, which calls one function of a plugin by `distrusted`. `internal`: it "let an
/// exception out: through C". A thread that ends inside it (pthread_exit) cannot be kept from that:
/// `on_thread_end` is called, then its unwinding goes on and takes the process along.
template <class F, class OnThreadEnd>
auto call_guarded(F&& body, OnThreadEnd&& on_thread_end) -> Result<std::invoke_result_t<F>> {
    const auto escaped = [](const std::string& what) {
        return fail(ErrorCode::internal, "let an exception out: " + what);
    };
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
        return escaped("no std::exception");
    }
}

/// The same for a call that leaves no crumb.
template <class F>
auto call_guarded(F&& body) -> Result<std::invoke_result_t<F>> {
    return call_guarded(std::forward<F>(body), [] {});
}

}  // namespace capstan::runtime::loop
