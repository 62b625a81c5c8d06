/// The controller plugins of a simulation, and the cluster that they see.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "plugin_runtime/instances/controller_client.hpp"
#include "simulator/api_server/local_api.hpp"
#include "simulator/event_log.hpp"
#include "simulator/external_events.hpp"
#include "simulator/run_statistics.hpp"
#include "simulator/shared_replicas.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

/// Shows plugins the pods and the workloads of the simulated cluster through the API server in
/// memory, calls the controllers, and carries out what they scale. A write takes effect at the
/// next `obey`, so never while a pass runs. The Events that plugins record become notes. Borrows
/// its parts. [the loop's thread]
class ControllerPlugins {
public:
    struct Parts {
        api_server::LocalApi& api;
        SimulatedCluster& cluster;
        EventLog& event_log;
        RunStatistics& statistics;
    };
    ControllerPlugins(
        const Parts& parts,
        std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> clients);
    ControllerPlugins(const ControllerPlugins&) = delete;
    ControllerPlugins& operator=(const ControllerPlugins&) = delete;
    ~ControllerPlugins();

    /// Whether a plugin has scaled a workload since the last `obey`.
    bool has_writes() const noexcept { return !written_.empty(); }
    /// Carries out what plugins have scaled. False: nothing was.
    bool obey(Time now);
    /// Shows the plugins what has changed in the cluster; their watches have it afterwards. The
    /// first call also begins to call the controllers.
    void show(Time now);
    /// This process leads, or leads no longer; controllers are called only while it leads.
    void lead(bool leads);
    /// Sets whether plugins cannot reach the API server; their watches then end.
    void break_api(bool is_broken);
    /// Sets spec.replicas of a custom object that has a scale, such as a Balancer, and of the name
    /// (NAME or NAMESPACE/NAME). False: there is no such object.
    bool scale_object(const Scale& to, Time now);
    std::vector<BalancerState> balancers() const;

private:
    void subscribe(const std::string& resource, std::function<void(const boost::json::object&)> on);
    void take_write(const std::string& kind, const boost::json::object& workload);
    void take_event(const boost::json::object& event);
    void show_pod(const PodState& pod, Time now);
    void show_workload(const WorkloadState& workload);

    Parts parts_;
    std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> clients_;
    std::map<std::string, WorkloadState> workloads_;  ///< as they were shown, by id
    std::set<std::string> spaces_;                    ///< namespaces that exist in the server
    std::map<std::string, int> written_;              ///< replicas that plugins wrote, by id
    std::vector<std::unique_ptr<api_server::Subscription>> subscriptions_;
    bool has_begun_ = false, leads_ = true, api_is_broken_ = false;
};

}  // namespace capstan::simulator
