/// Checks of a configuration that involve several keys, files or names.
#pragma once

#include "config/configuration.hpp"

namespace capstan::config {

/// Finds the file of each instance without `file`, and adds the instances that only the pipeline
/// names. A name that is neither a table's nor a shipped plugin's is an error.
void find_plugin_files(Config& config, const ShippedPlugins& shipped, Diagnostics& diagnostics);

/// Reports settings that contradict each other or cannot work: a minimum above the maximum,
/// relative search paths, ...
void check_sections(const Config& config, Diagnostics& diagnostics);

}  // namespace capstan::config
