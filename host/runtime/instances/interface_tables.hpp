/// What the host expects of the tables that interface_of answers with.
#pragma once

#include <string_view>

#include <capstan/abi/plugin.h>
#include <capstan/result.hpp>

namespace capstan::runtime::instances {

/// The table of `id`, complete: long enough and with every function that is not optional. NULL: the
/// instance has no such interface. `internal`: the table is unusable. Of an interface the host does
/// not know, only that it is there.
Result<const void*> find_interface(const capstan_instance& instance, std::string_view id);

}  // namespace capstan::runtime::instances
