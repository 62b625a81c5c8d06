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

/// Group settings of the change replace those of the group, tables merged; the rest becomes one of
/// the group's `changes`, at `at` after the start. `not_found`: there is no such group.
Result<void> add_change(runtime::config::TomlValue& settings, const CloudChange& change,
                        Duration at);
void add_group(runtime::config::TomlValue& settings, runtime::config::TomlValue group);
Result<void> remove_group(runtime::config::TomlValue& settings, const std::string& id);
/// NULL: there is none.
runtime::config::TomlValue* find_group(runtime::config::TomlValue& settings, const std::string& id);
const runtime::config::TomlValue* find_group(const runtime::config::TomlValue& settings,
                                             const std::string& id);

/// Hands a cloud's plugin its settings anew, each time with one more change. An error leaves the
/// cloud as it was. Borrows what it is made of.
class CloudControl {
public:
    /// `clouds`: one at least; the ids of their groups differ.
    CloudControl(std::vector<SimulatedCloud> clouds, const runtime::config::Config& config,
                 const runtime::PluginSet& plugins, runtime::PluginHost& host, Time start)
        : clouds_(std::move(clouds)),
          config_(config),
          plugins_(plugins),
          host_(host),
          start_(start) {}

    Result<void> happen(const CloudChange& change, Time now);
    /// Of several clouds the first one gets the group.
    Result<void> happen(const AddGroup& add, Time now);
    Result<void> happen(const RemoveGroup& remove, Time now);
    Result<void> happen(const CloudEdit& edit, Time now);

    /// By id, cloud by cloud, in the order in which they were added.
    std::vector<std::string> groups() const;
    /// Whether a cloud had the group and has it no more.
    bool has_left(const std::string& group) const { return left_.contains(group); }
    /// How many machines the cloud has for the group at all now, as it was told; nothing: as many
    /// as it is asked for.
    std::optional<int> capacity_of(const std::string& group, Time now) const;

    /// In the order in which they were given.
    const std::vector<SimulatedCloud>& clouds() const noexcept { return clouds_; }
    /// One of a cloud's own settings beside `groups`; NULL: it was not told.
    const runtime::config::TomlValue* find(const PluginInstanceId& cloud,
                                           std::string_view key) const;

private:
    SimulatedCloud& cloud_of(const std::string& group);
    SimulatedCloud& cloud_named(const PluginInstanceId& id);
    Result<void> apply(SimulatedCloud& cloud, runtime::config::TomlValue settings);

    std::vector<SimulatedCloud> clouds_;
    std::set<std::string> left_;
    const runtime::config::Config& config_;
    const runtime::PluginSet& plugins_;
    runtime::PluginHost& host_;
    const Time start_;
};

}  // namespace capstan::simulation
