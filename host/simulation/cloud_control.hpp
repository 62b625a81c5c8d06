/// The simulated cloud as somebody outside changes it while it runs.
#pragma once

#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/config/config.hpp"
#include "runtime/plugin_host.hpp"
#include "runtime/plugin_set.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

/// Hands the plugin its settings anew, each time with one more change. An error leaves the cloud as
/// it was. Borrows what it is made of.
class CloudControl {
public:
    CloudControl(const CloudSettings& cloud, const runtime::Config& config,
                 const runtime::PluginSet& plugins, runtime::PluginHost& host, Time start)
        : source_(cloud.source),
          settings_(cloud.settings),
          config_(config),
          plugins_(plugins),
          host_(host),
          start_(start) {}

    Result<void> happen(const CloudChange& change, Time now);
    Result<void> happen(const AddGroup& add, Time now);
    Result<void> happen(const RemoveGroup& remove, Time now);
    Result<void> happen(const CloudEdit& edit, Time now);

    /// By id, in the order in which they were added.
    std::vector<std::string> groups() const;
    /// How many machines the cloud has for the group at all now, as it was told; nothing: as many
    /// as it is asked for.
    std::optional<int> capacity_of(const std::string& group, Time now) const;
    /// One of the plugin's own settings beside `groups`; NULL: it was not told.
    const runtime::TomlValue* find(std::string_view key) const { return settings_.find(key); }

private:
    Result<void> apply(runtime::TomlValue settings);

    const runtime::Source& source_;
    runtime::TomlValue settings_;
    const runtime::Config& config_;
    const runtime::PluginSet& plugins_;
    runtime::PluginHost& host_;
    const Time start_;
};

}  // namespace capstan::simulation
