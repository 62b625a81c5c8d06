/// Reads scenarios, which are TOML files: a cluster, what happens to it, and what is expected of
/// the autoscaler. A scenario has the keys of scenario_keys.hpp, the sections [pipeline],
/// [plugin.ID], [scale_up], [scale_down], [limits], [trust], [secrets] and [log] of a
/// configuration, and settings of the simulated cloud: [cloud], [[group]], [[machine_type]], and
/// the steps' `groups` and `change`.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/configuration.hpp"
#include "simulator/input.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator {

/// The result of reading a file. If `diagnostics` has errors, nothing may be run; `input` and
/// `config` are then absent, or serve only to look for more errors.
struct Scenario {
    std::optional<Input> input{};
    std::vector<SharedReplicas> balancers{};  ///< also among its plugin_objects
    /// The configuration in the file's own sections.
    std::optional<config::Config> config{};
    config::TomlValue sections{};         ///< a table with these sections
    std::filesystem::path config_file{};  ///< the configuration file it names; empty: none
    bool has_sections = false;            ///< the file has sections of a configuration
    bool has_scan_interval = false;       ///< false: the configuration's applies
    config::Diagnostics diagnostics;
};

/// The keys of a scenario. Tables of the simulated cloud and sections of a configuration come
/// without their keys.
const config::Fields& scenario_schema();

/// A table with the sections of a configuration that a scenario may have, out of `root`.
config::TomlValue sections_of(const config::TomlValue& root);

/// `overrides` replace values of the file; see config/overrides.hpp.
Scenario read_scenario(const std::filesystem::path& file, const config::ShippedPlugins& shipped,
                       std::span<const std::string> overrides = {});
/// Reads a scenario from text instead of a file. The path at `config` is relative to `folder`.
Scenario read_scenario(config::Source source, const std::filesystem::path& folder,
                       const config::ShippedPlugins& shipped,
                       std::span<const std::string> overrides = {});

}  // namespace capstan::simulator
