/// The scheduler: binds pending pods to nodes, with the engine's predicates and the scores of
/// simulator/scheduler.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "simulator/control_plane/context/control_context.hpp"

namespace capstan::simulator::control_plane {

/// The store's objects as a Cluster of the engine, kept up to date by the feed. [the loop's thread]
class SchedulingView {
public:
    /// `changed` is called after a change that the Cluster shows.
    SchedulingView(ControlContext& context, std::function<void()> changed);
    SchedulingView(const SchedulingView&) = delete;
    SchedulingView& operator=(const SchedulingView&) = delete;

    /// The cluster, with the scheduler's default spread constraints.
    engine::snapshot::Cluster cluster() {
        return engine::snapshot::with_default_spread(builder_.build(),
                                                     context_.options().default_spread);
    }
    /// Sets the node of a pod that the scheduler has just bound, before the feed delivers the
    /// change.
    void bind(const json::object& pod, std::string_view node);

private:
    void follow(const api_server::ResourceKind& kind, const api_server::Change& change);
    void load(const api_server::ResourceKind& kind, const json::object& object);

    ControlContext& context_;
    std::function<void()> changed_;
    engine::snapshot::ClusterBuilder builder_;
};

/// Why no node takes a pod, by pod equivalence group, in kube-scheduler's words:
///     0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.
std::map<engine::PodGroupId, std::string> explain_unschedulable(
    const engine::snapshot::Cluster& cluster, const std::set<engine::PodGroupId>& classes);

/// Binds the pods of schedulerName "default-scheduler". Pods of higher priority come first, then
/// older pods. All pods that found no node are tried again in a round after the cluster has
/// changed, with a pause before each round. A new pod is tried at once, or with the others in the
/// next round if that was already due. No pod is preempted. [the loop's thread]
class PodScheduler {
public:
    /// Pods that one handler of the loop tries.
    static constexpr std::size_t pods_per_turn = 250;
    /// The pause between a change and the next round, at speed 1.
    static constexpr Duration round_pause = std::chrono::milliseconds(200);

    explicit PodScheduler(ControlContext& context);
    ~PodScheduler();

private:
    /// A pending pod, in the order in which pods are tried.
    struct PendingPod {
        std::int64_t priority = 0;
        std::string created{}, key{};
        bool operator<(const PendingPod& other) const;
    };
    struct Candidate {
        api_server::ApiObject pod{};
        engine::PodGroupId equivalence_group = 0;
    };
    void follow(const api_server::Change& change);
    void stop_waiting(const std::string& key);
    void note_change();
    void wake();
    void take_turn();
    void begin_round();
    std::vector<api_server::ApiObject> next_pods();
    std::vector<Candidate> classified(const engine::snapshot::Cluster& cluster,
                                      const std::vector<api_server::ApiObject>& pods) const;
    void bind(const json::object& pod, const std::string& node);
    void mark_unschedulable(const std::vector<api_server::ApiObject>& pods);
    void set_unschedulable(const json::object& pod, std::string_view reason,
                           const std::string& message);

    ControlContext& context_;
    std::map<std::string, PendingPod> waiting_;  ///< all pending pods, by "namespace/name"
    std::set<PendingPod> round_;                 ///< pending pods that this round has not tried yet
    bool is_scheduled_ = false;                  ///< the loop is about to call take_turn()
    io::TimerId next_round_ = 0;                 ///< 0: no timer is set
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    SchedulingView view_;
};

}  // namespace capstan::simulator::control_plane
