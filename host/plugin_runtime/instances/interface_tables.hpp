/// Checks the function tables that a plugin's interface_of returns.
#pragma once

#include <string_view>

#include <capstan/abi/plugin.h>
#include <capstan/result.hpp>

namespace capstan::plugin_runtime::instances {

/// The table of the interface `id`, long enough and with every function that is not optional. NULL:
/// the instance does not have the interface. `internal`: the table is unusable. The table of an
/// interface that the host does not know is not checked.
Result<const void*> find_interface(const capstan_instance& instance, std::string_view id);

}  // namespace capstan::plugin_runtime::instances
