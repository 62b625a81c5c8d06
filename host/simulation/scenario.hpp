/// A story in TOML: a cluster, what happens to it, and what is expected of it. The keys are those
/// of scenario_keys.hpp, the sections [pipeline], [plugin.ID], [scale_up], [limits], [trust],
/// [secrets] and [log] of a configuration, and what the simulated cloud is told: [[group]] and the
/// steps' `change`.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/configuration.hpp"
#include "simulation/input.hpp"
#include "simulation/shared_replicas.hpp"

namespace capstan::simulation {

/// What came of reading a file. Nothing may run on it when `diagnostics` has errors; then `input`
/// and `config` are absent or serve to look for more errors.
struct Scenario {
    std::optional<Input> input{};
    std::vector<SharedReplicas> balancers{};  ///< for live clusters alone
    /// Of its own sections; nothing: the file names another for them.
    std::optional<runtime::config::Config> config{};
    std::filesystem::path config_file{};  ///< that other file; empty: none
    bool has_sections = false;            ///< the file itself says something a configuration would
    bool has_scan_interval = false;       ///< else the configuration's counts
    runtime::config::Diagnostics diagnostics;
};

/// `overrides` count in place of what the file says; see runtime/config/overrides.hpp.
Scenario read_scenario(const std::filesystem::path& file,
                       const runtime::config::ShippedPlugins& shipped,
                       std::span<const std::string> overrides = {});
/// The same for text that is at hand; `config` paths count from `folder`.
Scenario read_scenario(runtime::config::Source source, const std::filesystem::path& folder,
                       const runtime::config::ShippedPlugins& shipped,
                       std::span<const std::string> overrides = {});

}  // namespace capstan::simulation
