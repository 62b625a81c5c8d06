/// The pods and nodes of a cluster behind an API server in this process.
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

/// Kubelets, controllers and the scheduler, as far as they are needed: nodes of the cloud's first
/// machines are full of running pods; those of later ones are ready and take two of the pods that
/// wait. A pod that is evicted, or whose node goes, waits anew. [the loop's thread]
class Crowd {
public:
    /// Borrows the store.
    Crowd(simulation::api_server::ObjectStore& store, const LiveSize& size);
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    /// Whether all first nodes are full.
    bool is_complete() const noexcept { return full_nodes_ == first_nodes_; }
    /// The `number`th running pod makes place for another.
    void replace(std::uint64_t number);
    /// A pod half as large as a node, for which none of the first nodes has room.
    void add_waiting(const std::string& name);
    /// A pod for which no machine is large enough.
    void add_hopeless(const std::string& name);
    /// It is not wanted any more.
    void remove(const std::string& name);
    std::size_t running() const noexcept { return running_.size(); }
    std::size_t later_nodes() const noexcept { return later_nodes_; }
    std::size_t lost_nodes() const noexcept { return lost_nodes_; }
    /// Pods that ended though they were wanted.
    std::size_t evicted() const noexcept { return evicted_; }

private:
    struct Running {
        int node = 0, generation = 0;
    };
    void see_node(const simulation::api_server::Change& change);
    void see_pod(const simulation::api_server::Change& change);
    void welcome(const std::string& node);
    void lose(const std::string& node);
    void fill(const std::string& node);
    void run_waiting();
    void run_on(const std::string& node, const std::string& pod);
    /// A copy of `model`. Without a node it waits.
    void create(const std::string& name, const simulation::json::object& model,
                const std::string& node = {});
    void leave_assignment(const std::string& pod);
    void end_pod(const std::string& name);

    simulation::api_server::ObjectStore& store_;
    const simulation::api_server::ResourceKind &nodes_, &pods_;
    const int pods_per_node_, first_nodes_;
    /// What pods are copies of.
    const simulation::json::object running_pod_, waiting_pod_, hopeless_pod_;
    std::vector<std::string> node_names_;
    std::vector<Running> running_;
    std::set<std::string, std::less<>> wanted_;             ///< of add_waiting
    std::deque<std::string> waiting_;                       ///< those of them that have no node
    std::map<std::string, std::set<std::string>> pods_on_;  ///< of later nodes
    int full_nodes_ = 0;
    std::size_t later_nodes_ = 0, lost_nodes_ = 0, evicted_ = 0;
    std::vector<std::unique_ptr<simulation::api_server::Subscription>> seen_;
};

}  // namespace capstan::bench
