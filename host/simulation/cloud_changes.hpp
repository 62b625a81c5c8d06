/// Changes of the simulated cloud, put into its settings.
#pragma once

#include <string>

#include <capstan/result.hpp>

#include "runtime/config/document.hpp"
#include "simulation/external_events.hpp"

namespace capstan::simulation {

/// Group settings of the change replace those of the group, tables merged; the rest becomes one of
/// the group's `changes`, at `at` after the start. `not_found`: there is no such group.
Result<void> add_change(runtime::config::TomlValue& settings, const CloudChange& change,
                        Duration at);
void add_group(runtime::config::TomlValue& settings, runtime::config::TomlValue group);
Result<void> remove_group(runtime::config::TomlValue& settings, const std::string& id);
/// NULL: there is none.
runtime::config::TomlValue* find_group(runtime::config::TomlValue& settings, const std::string& id);
const runtime::config::TomlValue* find_group(const runtime::config::TomlValue& settings,
                                             const std::string& id);

}  // namespace capstan::simulation
