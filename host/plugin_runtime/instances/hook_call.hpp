/// Calls decision hooks: with the deadline of the pass, one at a time for serial instances, and
/// with every failure as an error.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <capstan/abi/call.h>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "plugin_runtime/instances/pass_watch.hpp"

namespace capstan::plugin_runtime::instances {

/// What the calls of a pass tell a plugin about the pass.
struct PassCall {
    std::uint32_t flags = 0;  ///< CAPSTAN_CALL_*
    std::uint64_t seed = 0;
    Time now{};
};

/// Calls `hook` through `body`, which calls the plugin's function through `distrusted`. Returns the
/// explanations of the plugin. A serial instance is called by one thread at a time. An error names
/// the instance and the hook. `deadline`: this pass skips the hook; `unavailable`: the instance
/// does not run; `busy`: another call of a serial instance did not end in time; `internal`: the
/// hook let an exception out. Throws AbandonedPass. [pass thread]
Result<std::vector<std::string>> call_hook(
    PluginInstance& instance, loop::Hook hook, const PassCall& pass_call, PassWatch& watch,
    const std::function<capstan_status(const capstan_call*)>& body);

/// `unavailable`: "plugin acme_score: not called: not started".
Error not_started(const PluginInstanceId& instance);

/// "plugin acme_score: filter": how every error of a hook begins.
std::string hook_name(const PluginInstance& instance, loop::Hook hook);

/// The plugin broke its contract: "plugin acme_score: filter kept option 7 of 3". Counted and
/// logged.
Unexpected contract_breach(PluginInstance& instance, loop::Hook hook, const std::string& what);

// The capstan_call of one synchronous call.

/// Limits of the explanations of one call. Text beyond them is cut.
inline constexpr std::size_t sentences_max = 256;
inline constexpr std::size_t sentence_bytes_max = 1024;

/// Holds the error and the explanations that the plugin reports. It lives on the stack of the
/// calling thread: a call that never returns keeps its thread and this object.
class HookCall {
public:
    struct Facts {
        std::uint32_t flags = 0;  ///< CAPSTAN_CALL_*
        std::uint64_t seed = 0;
        Time now{};
        Duration deadline{};                  ///< on the host's monotonic clock
        std::function<bool()> is_given_up{};  ///< empty: never
    };
    explicit HookCall(Facts facts);
    HookCall(const HookCall&) = delete;
    HookCall& operator=(const HookCall&) = delete;

    const capstan_call* abi() const noexcept { return &abi_; }
    /// The result of a call that returned `status`, with the error that the plugin has reported:
    /// "filter: no options".
    Result<void> outcome(capstan_status status, std::string_view what) const;
    /// The explanations of the plugin, each printable and cut at 1 KiB.
    std::vector<std::string> take_sentences();

private:
    static HookCall& of(const capstan_call* call) noexcept {
        return *static_cast<HookCall*>(call->ctx);
    }
    static std::int32_t cancelled(const capstan_call* call) noexcept;
    static capstan_status fail(const capstan_call* call, const capstan_error* error) noexcept;
    static void explain(const capstan_call* call, capstan_str sentence) noexcept;

    const Facts facts_;
    capstan_call abi_{};
    mutable std::mutex mutex_;  ///< a hook may report from several threads
    std::optional<Error> error_;
    std::vector<std::string> sentences_;
};

}  // namespace capstan::plugin_runtime::instances
