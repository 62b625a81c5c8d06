/// Values that are said on the command line, in place of what a file says:
///
///     scale_up.backoff=until_joined     plugin.labels.settings.ignore=["team"]
#pragma once

#include <span>
#include <string>

#include "runtime/config/diagnostics.hpp"
#include "runtime/config/document.hpp"

namespace capstan::runtime::config {

/// Puts each KEY=VALUE into the tree of a file; tables that are missing are made, of equal keys the
/// last counts. A value is TOML; what is none is taken as a string, so that words and durations
/// need no quotes. Keys with dots in them are quoted as in TOML. What is put there has the place of
/// its assignment, so that messages name that; what is none is recorded and left out.
void override_values(TomlValue& root, std::span<const std::string> assignments,
                     Diagnostics& diagnostics);

}  // namespace capstan::runtime::config
