/// The context of one decision hook, and the guard that keeps exceptions inside the plugin.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <capstan/abi/call.h>
#include <capstan/result.hpp>
#include <capstan/time.hpp>
#include <capstan/view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Valid until the hook returns; must not be kept.
class Call {
public:
    explicit Call(const capstan_call& call) noexcept : call_(&call) {}

    /// The only randomness of a pure hook.
    std::uint64_t seed() const noexcept { return call_->seed; }
    /// The time of the pass, and the only clock of a pure hook. It advances evenly, whatever the
    /// machine's clock is set to.
    Time now() const noexcept { return time_from_unix_ns(call_->now_unix_ns); }
    bool is_dry_run() const noexcept { return (call_->flags & CAPSTAN_CALL_DRY_RUN) != 0; }
    bool is_simulation() const noexcept { return (call_->flags & CAPSTAN_CALL_SIMULATION) != 0; }
    /// True once the host has given up waiting. A long loop checks it now and then, and returns.
    bool is_cancelled() const noexcept { return call_->cancelled(call_) != 0; }
    /// One sentence, with numbers, for the decision's explanation.
    void explain(std::string_view sentence) const noexcept { call_->explain(call_, str(sentence)); }
    const capstan_call& raw() const noexcept { return *call_; }

private:
    const capstan_call* call_;
};

namespace detail {

inline capstan_status report(const capstan_call* call, const Error& error) noexcept {
    const capstan_error e = to_abi(error);
    return call != nullptr && CAPSTAN_HAS(call, capstan_call, fail) ? call->fail(call, &e) : e.code;
}

/// Runs a hook's body: a thrown exception or a failed Result becomes the error of the call;
/// no exception leaves it.
template <class F>
capstan_status guarded(const capstan_call* call, F&& body) noexcept {
    using Returned = std::invoke_result_t<F>;
    static_assert(std::is_void_v<Returned> || is_result<Returned>,
                  "a hook returns what its contract says, or void or Result<void>; any other "
                  "value would be lost");
    try {
        if constexpr (is_result<Returned>) {
            const auto result = std::forward<F>(body)();
            if (!result) return report(call, result.error());
        } else {
            std::forward<F>(body)();
        }
        return CAPSTAN_OK;
    } catch (...) {
        try {
            return report(call, current_error());
        } catch (...) {  // no memory left to say what happened
            return CAPSTAN_E_INTERNAL;
        }
    }
}

}  // namespace detail

CAPSTAN_NAMESPACE_END
