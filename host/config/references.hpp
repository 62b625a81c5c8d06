/// Checks of a configuration that involve several keys, files or names.
#pragma once

#include <array>
#include <string_view>

#include "config/configuration.hpp"

namespace capstan::config {

/// The names for scale_down.drain_rules_off, in the order in which the engine has its drain rules.
inline constexpr std::array<std::string_view, 15> drain_rule_names{
    "expendable",       "job",           "mirror",
    "long_terminating", "replica_count", "daemon_set",
    "on_completion",    "several_pdbs",  "safe_to_evict",
    "replicated",       "system",        "not_safe_to_evict",
    "do_not_disrupt",   "local_storage", "pdb"};

/// Finds the file of each instance without `file`, and adds the instances that only the pipeline
/// names. A name that is neither a table's nor a shipped plugin's is an error.
void find_plugin_files(Config& config, const ShippedPlugins& shipped, Diagnostics& diagnostics);

/// Reports settings that contradict each other or cannot work: a minimum above the maximum,
/// relative search paths, ...
void check_sections(const Config& config, Diagnostics& diagnostics);

}  // namespace capstan::config
