/// Pods that come and go in a large cluster behind an API server in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live_cluster.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::bench {

/// Creates and deletes pods, and leaves the rest to a simulated control plane. The first nodes,
/// those of the cloud's initial machines, are filled with running pods when they join: each has a
/// ReplicaSet of its own. Pods that were added later are bound by the scheduler. [the loop's
/// thread]
class PodTraffic {
public:
    /// Borrows the store.
    PodTraffic(simulator::api_server::ObjectStore& store, const LiveSize& size);

    /// Whether all first nodes have joined and are full.
    bool is_complete() const noexcept { return full_nodes_ == first_nodes_; }
    /// Deletes a running pod of a first node and creates another one there. `number`: which pod,
    /// modulo the number of these pods.
    void replace(std::uint64_t number);
    /// Adds unschedulable pods to a ReplicaSet, which is created if it does not exist. Each pod is
    /// half as large as a node and fits on none of the first nodes.
    void add_pending(const std::string& name, int pods);
    /// As add_pending(), with pods that are too large for any machine.
    void add_hopeless(const std::string& name, int pods);
    /// Deletes one pod of each node that runs pods of a ReplicaSet of add_pending(), for good.
    void remove_one_per_node(const std::string& name);
    /// Deletes a ReplicaSet of add_pending() and its pods.
    void remove(const std::string& name);

    std::size_t running() const noexcept { return running_.size(); }
    std::size_t later_nodes() const noexcept { return joined_nodes_ - full_nodes_; }
    std::size_t removed_nodes() const noexcept { return removed_nodes_; }
    /// How many pods were evicted.
    std::size_t evicted() const noexcept { return evicted_; }

private:
    struct Running {
        simulator::api_server::ApiObject owner{};
        std::string node{};
        int generation = 0;
    };
    void on_node(const simulator::api_server::Change& change);
    void fill(const std::string& node);
    simulator::api_server::ApiObject create_owner(const std::string& name, const char* cpu);
    /// Changes the number of pods that a ReplicaSet should have, and returns the number before.
    std::int64_t scale(const std::string& name, std::int64_t by);
    std::vector<simulator::api_server::ApiObject> pods_of(const std::string& name) const;
    void add_unschedulable(const std::string& name, const char* cpu, int pods);
    void create_running(std::size_t index);
    /// `node`: empty for an unschedulable pod.
    void create(const simulator::json::object& owner, const std::string& name,
                const std::string& node);
    void remove_pod(std::string_view name);

    simulator::api_server::ObjectStore& store_;
    const simulator::api_server::ResourceKind &pods_, &owners_;
    const int pods_per_node_;
    const std::size_t first_nodes_;
    std::vector<Running> running_;  ///< the pods of the first nodes
    std::size_t full_nodes_ = 0, joined_nodes_ = 0, removed_nodes_ = 0, evicted_ = 0;
    std::vector<std::unique_ptr<simulator::api_server::Subscription>> subscriptions_;
};

/// Nodes are ready at once and have no Leases, whose renewals would cost more than the daemon.
inline const simulator::control_plane::ControlPlaneOptions large_cluster{
    .node_start_up = Duration::zero(), .heartbeat = Duration::zero()};

}  // namespace capstan::bench
