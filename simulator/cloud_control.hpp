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

#include "autoscaler/plugin_host.hpp"
#include "autoscaler/plugin_set.hpp"
#include "config/configuration.hpp"
#include "config/document.hpp"
#include "simulator/external_events.hpp"
#include "simulator/input.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator {

// Changes of the simulated cloud, put into its settings.

/// Applies a change to the settings of its group. Keys that are settings of a group replace the
/// group's own, with tables merged. All other keys become one entry of the group's `changes`, due
/// at `at` after the start. `not_found`: there is no such group.
Result<void> add_change(config::TomlValue& settings, const CloudChange& change, Duration at);
void add_group(config::TomlValue& settings, config::TomlValue group);
Result<void> remove_group(config::TomlValue& settings, const std::string& id);
/// NULL: there is no such group.
config::TomlValue* find_group(config::TomlValue& settings, const std::string& id);
const config::TomlValue* find_group(const config::TomlValue& settings, const std::string& id);

/// Changes the settings of simulated clouds: with each change, the cloud's plugin gets all of its
/// settings again. On an error the cloud stays as it was. Borrows `config`, `plugins` and `host`.
class CloudControl {
public:
    /// `clouds`: at least one; no two of their groups have the same id.
    CloudControl(std::vector<SimulatedCloud> clouds, const config::Config& config,
                 const autoscaler::PluginSet& plugins, autoscaler::PluginHost& host, Time start)
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
    const config::TomlValue* find(const PluginInstanceId& cloud, std::string_view key) const;

private:
    SimulatedCloud& cloud_of(const std::string& group);
    SimulatedCloud& cloud_named(const PluginInstanceId& id);
    Result<void> apply_settings(SimulatedCloud& cloud, config::TomlValue settings);

    std::vector<SimulatedCloud> clouds_;
    std::set<std::string> left_;
    const config::Config& config_;
    const autoscaler::PluginSet& plugins_;
    autoscaler::PluginHost& host_;
    const Time start_;
};

}  // namespace capstan::simulator
