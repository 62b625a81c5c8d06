/// The bounds of a scenario's budgets: 3, or "50%".
#pragma once

#include <optional>
#include <string>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"
#include "runtime/config/settings.hpp"
#include "simulation/happenings.hpp"

namespace capstan::simulation {

/// A key of a file has one type, and these have two, as in Kubernetes: whole numbers become text,
/// before a schema looks at them.
void turn_shares_into_text(runtime::TomlValue& scenario);

/// What `table` says under `key`; what is no share is recorded at its place. Nothing: `said` is, or
/// it was refused.
std::optional<PodShare> read_share(const std::optional<std::string>& said, const char* key,
                                   const runtime::SettingValue& table,
                                   runtime::Diagnostics& diagnostics);

}  // namespace capstan::simulation
