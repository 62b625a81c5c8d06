/// The simulated clouds, changed from outside while they run.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "runtime/config/configuration.hpp"
#include "runtime/config/document.hpp"
#include "runtime/plugin_host.hpp"
#include "runtime/plugin_set.hpp"
#include "simulation/external_events.hpp"
#include "simulation/input.hpp"
#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation {

// Changes of the simulated cloud, put into its settings.

/// Applies a change to the settings of its group. Keys that are settings of a group replace the
/// group's own, with tables merged. All other keys become one entry of the group's `changes`, due
/// at `at` after the start. `not_found`: there is no such group.
Result<void> add_change(runtime::config::TomlValue& settings, const CloudChange& change,
                        Duration at);
void add_group(runtime::config::TomlValue& settings, runtime::config::TomlValue group);
Result<void> remove_group(runtime::config::TomlValue& settings, const std::string& id);
/// NULL: there is no such group.
runtime::config::TomlValue* find_group(runtime::config::TomlValue& settings, const std::string& id);
const runtime::config::TomlValue* find_group(const runtime::config::TomlValue& settings,
                                             const std::string& id);

/// Changes the settings of simulated clouds: with each change, the cloud's plugin gets all of its
/// settings again. On an error the cloud stays as it was. Borrows `config`, `plugins` and `host`.
class CloudControl {
public:
    /// `clouds`: at least one; no two of their groups have the same id.
    CloudControl(std::vector<SimulatedCloud> clouds, const runtime::config::Config& config,
                 const runtime::PluginSet& plugins, runtime::PluginHost& host, Time start)
        : clouds_(std::move(clouds)),
          config_(config),
          plugins_(plugins),
          host_(host),
          start_(start) {}

    Result<void> apply(const CloudChange& change, Time now);
    /// Adds the group to the first cloud.
    Result<void> apply(const AddGroup& add, Time now);
    Result<void> apply(const RemoveGroup& remove, Time now);
    Result<void> apply(const CloudEdit& edit, Time now);

    /// The ids of the groups, cloud by cloud, in the order in which the groups were added.
    std::vector<std::string> groups() const;
    /// Whether the group was removed and has not been added again.
    bool has_left(const std::string& group) const { return left_.contains(group); }
    /// How many machines the group's cloud can give the group in all at `now`, by its settings;
    /// absent: as many as it is asked for.
    std::optional<int> capacity_of(const std::string& group, Time now) const;

    /// In the order given to the constructor.
    const std::vector<SimulatedCloud>& clouds() const noexcept { return clouds_; }
    /// A setting of the cloud other than `groups`; NULL: the cloud or the setting is absent.
    const runtime::config::TomlValue* find(const PluginInstanceId& cloud,
                                           std::string_view key) const;

private:
    SimulatedCloud& cloud_of(const std::string& group);
    SimulatedCloud& cloud_named(const PluginInstanceId& id);
    Result<void> apply_settings(SimulatedCloud& cloud, runtime::config::TomlValue settings);

    std::vector<SimulatedCloud> clouds_;
    std::set<std::string> left_;
    const runtime::config::Config& config_;
    const runtime::PluginSet& plugins_;
    runtime::PluginHost& host_;
    const Time start_;
};

}  // namespace capstan::simulation
