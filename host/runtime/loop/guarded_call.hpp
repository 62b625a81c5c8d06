/// A call into a plugin from which no exception comes out.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include <capstan/result.hpp>

namespace capstan::runtime::loop {

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
