/// Faults as they strike: the cloud, the machines, nodes, the API server, the clock and the
/// autoscaler itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "simulation/cloud_control.hpp"
#include "simulation/event_log.hpp"
#include "simulation/faults.hpp"
#include "simulation/node_registrar.hpp"
#include "simulation/simulated_autoscaler.hpp"
#include "simulation/simulated_cluster.hpp"

namespace capstan::simulation {

class FaultInjector {
public:
    struct Parts {
        SimulatedCluster& world;
        NodeRegistrar& machines;
        SimulatedAutoscaler& passes;
        EventLog& event_log;
        CloudControl* cloud = nullptr;  ///< NULL: no cloud is simulated
    };
    FaultInjector(const Parts& parts, Faults faults) : parts_(parts), faults_(std::move(faults)) {}

    std::optional<Time> next_due() const { return faults_.next_due(); }
    /// Lets happen what is due. The answer is how far the wall clock is set forward, or back where
    /// it is negative. The error: a fault of a simulated cloud, and no cloud is one; a group that
    /// never was there. A group that has left is struck by nothing, and one that was made by
    /// auto-provisioning, which a cloud's settings do not name, only by what needs none of them.
    Result<Duration> reach(Time now);

private:
    Result<void> strike(const FaultEvent& event, Time now);
    Result<void> strike_cloud(const FaultEvent& event, Time now);
    PluginInstanceId struck_cloud(const FaultEvent& event);
    Result<void> strike_group(const FaultEvent& event, Time now);
    void flap(const FaultEvent& event, Time now);
    /// Those of the clouds' settings, then those that were made.
    std::vector<std::string> groups();
    /// Whether the event asks a cloud to change a group that its settings do not name.
    bool is_out_of_reach(const FaultEvent& event) const;

    Parts parts_;
    Faults faults_;
    std::map<std::string, std::optional<int>> capacities_;  ///< before the shortage, by group
    std::optional<runtime::config::TomlValue> latency_;     ///< before calls got slow
    std::map<FaultKind, PluginInstanceId> struck_;          ///< by faults about clouds
    std::map<std::string, std::string> flapping_;           ///< the node, by group
    std::set<std::string> made_;  ///< groups by auto-provisioning, those that are gone included
};

}  // namespace capstan::simulation
