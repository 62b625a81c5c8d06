/// Values of the command line that replace values of the file:
///
///     scale_up.backoff=until_joined     plugin.labels.settings.ignore=["team"]
#pragma once

#include <span>
#include <string>

#include "config/diagnostics.hpp"
#include "config/document.hpp"

namespace capstan::config {

/// Sets each KEY=VALUE in the tree of a file. Missing tables are made. Of equal keys the last one
/// counts. A value is TOML; text that is not TOML is taken as a string, so that words and
/// durations need no quotes. A part of a key that contains dots is quoted, as in TOML. The place of
/// a value is its assignment, which messages name. A malformed assignment is an error and is left
/// out.
void override_values(TomlValue& root, std::span<const std::string> assignments,
                     Diagnostics& diagnostics);

}  // namespace capstan::config
