/// Applies faults to the simulation: to the clouds, machines, nodes, the API server, the clock and
/// the autoscaler itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "simulator/autoscaler_process.hpp"
#include "simulator/cloud_control.hpp"
#include "simulator/controller_plugins.hpp"
#include "simulator/event_log.hpp"
#include "simulator/faults.hpp"
#include "simulator/node_registrar.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

class FaultInjector {
public:
    struct Parts {
        SimulatedCluster& cluster;
        NodeRegistrar& node_registrar;
        AutoscalerProcess& autoscaler;
        EventLog& event_log;
        CloudControl* cloud = nullptr;             ///< NULL: no cloud is simulated
        ControllerPlugins* controllers = nullptr;  ///< NULL: no controller plugin is called
    };
    FaultInjector(const Parts& parts, Faults faults) : parts_(parts), faults_(std::move(faults)) {}

    std::optional<Time> next_due() const { return faults_.next_due(); }
    /// Begins and ends the faults that are due. Returns how far the wall clock is set forward; a
    /// negative value sets it back. Fails if a fault is about a simulated cloud and no cloud is
    /// simulated, or if a fault names a plugin that makes no decisions, or if one that changes the
    /// settings of a group names a group that never existed.
    /// A fault of a group that has left the cloud is ignored. A group made by auto-provisioning is
    /// not in the cloud's settings, so faults that change those settings are ignored for it.
    Result<Duration> reach(Time now);

private:
    /// The notice about a machine of a group.
    struct Notice {
        int machine = 0;            ///< its number
        bool is_withdrawn = false;  ///< the machine stays at the end
    };
    Result<void> strike(const FaultEvent& event, Time now);
    /// A setting of a cloud that faults have changed.
    struct StruckSetting {
        std::optional<config::TomlValue> before{};  ///< absent: it was not set
        std::vector<FaultKind> faults{};            ///< under way; the last one counts
    };
    Result<void> strike_cloud(const FaultEvent& event, Time now);
    void list_partly(const PluginInstanceId& cloud, bool begins);
    PluginInstanceId struck_cloud(const FaultEvent& event);
    void name_plugin(FaultEvent& event);
    Result<void> fail_plugin(const FaultEvent& event);
    Result<void> strike_group(const FaultEvent& event, Time now);
    std::optional<int> find_machine(const FaultEvent& event) const;
    Result<void> interrupt(const FaultEvent& event, Time now);
    void flap(const FaultEvent& event, Time now);
    std::optional<std::string> find_node(const FaultEvent& event) const;
    Result<void> edit_node(const FaultEvent& event, Time now);
    Result<void> add_twin(const FaultEvent& event, Time now);
    /// Groups of the clouds' settings, then groups made by auto-provisioning. All groups that the
    /// autoscaler knows if no cloud is simulated.
    std::vector<std::string> groups();
    /// Whether the event asks a cloud to change a group that its settings do not name.
    bool is_out_of_reach(const FaultEvent& event) const;

    Parts parts_;
    Faults faults_;
    std::map<std::string, std::optional<int>> capacities_;  ///< before the stock-out, by group
    std::map<std::pair<std::string, std::string>, StruckSetting> settings_;  ///< by cloud and key
    std::set<std::string> partly_listed_;           ///< clouds whose list is not complete
    std::map<FaultKind, PluginInstanceId> struck_;  ///< clouds drawn for faults that name none
    std::string failing_plugin_{};                  ///< drawn for the fault that names none
    std::map<std::string, std::string> flapping_;   ///< the node made unready, by group
    /// What undoes the change of a node, by kind and group.
    std::map<std::pair<FaultKind, std::string>, NodeEdit> undo_;
    std::map<std::string, std::string> twins_;  ///< the second Node object, by group
    std::map<std::string, Notice> notices_;     ///< by group
    std::set<std::string> made_;  ///< groups made by auto-provisioning, including deleted ones
};

}  // namespace capstan::simulator
