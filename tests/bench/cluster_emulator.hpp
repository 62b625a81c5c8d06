/// A cluster of fake nodes and pods behind an API server in this process.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "live_cluster.hpp"
#include "simulation/api_server/object_store.hpp"

namespace capstan::bench {

/// Simulates kubelets, controllers and the scheduler as far as the benchmarks need them. The first
/// nodes, those of the cloud's initial machines, are filled with running pods. A later node becomes
/// ready at once and gets up to two of the pods of add_pending(). If such a pod is evicted or its
/// node is deleted, it becomes pending again. [the loop's thread]
class ClusterEmulator {
public:
    /// Borrows the store.
    ClusterEmulator(simulation::api_server::ObjectStore& store, const LiveSize& size);
    ClusterEmulator(const ClusterEmulator&) = delete;
    ClusterEmulator& operator=(const ClusterEmulator&) = delete;

    /// Whether all first nodes have joined and are full.
    bool is_complete() const noexcept { return full_nodes_ == first_nodes_; }
    /// Deletes a running pod and creates another one on its node. `number`: which pod, modulo the
    /// number of running pods.
    void replace(std::uint64_t number);
    /// Adds a pending pod that is half as large as a node; it fits on none of the first nodes.
    void add_pending(const std::string& name);
    /// Adds a pending pod that is too large for any machine.
    void add_hopeless(const std::string& name);
    /// Deletes a pod of add_pending() for good.
    void remove(const std::string& name);
    std::size_t running() const noexcept { return running_.size(); }
    std::size_t later_nodes() const noexcept { return later_nodes_; }
    std::size_t removed_nodes() const noexcept { return removed_nodes_; }
    /// How often a pod of add_pending() was evicted or lost its node.
    std::size_t evicted() const noexcept { return evicted_; }

private:
    struct Running {
        int node = 0, generation = 0;
    };
    void on_node(const simulation::api_server::Change& change);
    void on_pod(const simulation::api_server::Change& change);
    void start_node(const std::string& node);
    void end_node(const std::string& node);
    void fill(const std::string& node);
    void bind_pending();
    void bind(const std::string& node, const std::string& pod);
    /// Creates a pod as a copy of `model`; without a node the pod is pending.
    void create(const std::string& name, const simulation::json::object& model,
                const std::string& node = {});
    void unassign(const std::string& pod);
    void end_pod(const std::string& name);

    simulation::api_server::ObjectStore& store_;
    const simulation::api_server::ResourceKind &nodes_, &pods_;
    const int pods_per_node_, first_nodes_;
    /// The models that pods are copies of.
    const simulation::json::object running_pod_, pending_pod_, hopeless_pod_;
    std::vector<std::string> node_names_;
    std::vector<Running> running_;
    std::set<std::string, std::less<>> wanted_pods_;        ///< of add_pending
    std::deque<std::string> pending_;                       ///< pods of add_pending without a node
    std::map<std::string, std::set<std::string>> pods_on_;  ///< of later nodes
    int full_nodes_ = 0;
    std::size_t later_nodes_ = 0, removed_nodes_ = 0, evicted_ = 0;
    std::vector<std::unique_ptr<simulation::api_server::Subscription>> subscriptions_;
};

}  // namespace capstan::bench
