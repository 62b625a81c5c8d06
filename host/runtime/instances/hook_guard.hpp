/// One decision hook of one instance, called as its class and the pass demand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <capstan/abi/call.h>
#include <capstan/result.hpp>

#include "engine/policies.hpp"
#include "runtime/instances/pass_watch.hpp"

namespace capstan::runtime {

/// Calls `hook` through `body`, which calls the plugin's function by `distrusted`, and gives what
/// the plugin explained. Serial instances are called one at a time. An error names the instance and
/// the hook; `deadline`: this pass does without the hook; `unavailable`: the instance does not run;
/// `busy`: another call did not make room in time; `internal`: it let an exception out. Throws
/// AbandonedPass. [pass thread]
Result<std::vector<std::string>> call_hook(
    PluginInstance& instance, Hook hook, const engine::Circumstances& circumstances,
    PassWatch& watch, const std::function<capstan_status(const capstan_call*)>& body);

/// What a call of a pass is made for: CAPSTAN_CALL_*.
std::uint32_t call_flags(const engine::Circumstances& circumstances) noexcept;

/// "plugin acme_score: filter": how every error of a hook begins.
std::string hook_name(const PluginInstance& instance, Hook hook);

/// The plugin broke its contract: "plugin acme_score: filter kept option 7 of 3". Counted and
/// logged.
Unexpected contract_breach(PluginInstance& instance, Hook hook, const std::string& what);

}  // namespace capstan::runtime
