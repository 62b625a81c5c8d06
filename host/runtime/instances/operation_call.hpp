/// An asynchronous function of a plugin, called for an operation that is open.
#pragma once

#include <functional>

#include "runtime/instances/instance.hpp"

namespace capstan::runtime {

/// `unavailable`: an instance is not asked while it does not run, or while an earlier call of it
/// does not return. [host's side]
Result<void> check_askable(const PluginInstance& instance);

/// Calls `function` and closes the operation by what the function returns; an operation that was
/// given up on meanwhile is closed without a call. [the instance's strand]
void call_for_operation(HostContext& context, capstan_op op, Hook hook,
                        const std::function<capstan_status()>& function);

}  // namespace capstan::runtime
