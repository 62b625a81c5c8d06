/// What a schema cannot say about a configuration.
#pragma once

#include "runtime/config/configuration.hpp"

namespace capstan::runtime::config {

/// Finds the file of every instance that names none, and adds the instances that only the pipeline
/// names. Records names that are neither a table's nor a shipped plugin's.
void find_plugin_files(Config& config, const ShippedPlugins& shipped, Diagnostics& diagnostics);

/// Settings that contradict each other or could not work: bounds the wrong way round, relative
/// search paths, ...
void check_sections(const Config& config, Diagnostics& diagnostics);

}  // namespace capstan::runtime::config
