/// Why a pod runs nowhere, in kube-scheduler's words.
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
#include "simulation/control_plane/context/control_context.hpp"

namespace capstan::simulation::control_plane {

// The store's objects as the engine's predicates want them, kept up to date.

/// Holds what the store holds, also of changes that were not told yet where they come first to
/// another object's. [the loop's thread]
class SchedulingView {
public:
    /// `changed` is called when something did that a cluster shows.
    SchedulingView(ControlContext& context, std::function<void()> changed);
    SchedulingView(const SchedulingView&) = delete;
    SchedulingView& operator=(const SchedulingView&) = delete;

    /// With the scheduler's default constraints.
    engine::snapshot::Cluster cluster() {
        return engine::snapshot::with_default_spread(builder_.build(),
                                                     context_.options().default_spread);
    }
    /// A pod has its node now; said by the scheduler that bound it, before the change arrives.
    void bind(const json::object& pod, std::string_view node);

private:
    void follow(const api_server::ResourceKind& kind, const api_server::Change& change);
    void load(const api_server::ResourceKind& kind, const json::object& object);

    ControlContext& context_;
    std::function<void()> changed_;
    engine::snapshot::ClusterBuilder builder_;
};

/// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}."
std::map<engine::snapshot::PodGroupId, std::string> explain_unschedulable(
    const engine::snapshot::Cluster& cluster,
    const std::set<engine::snapshot::PodGroupId>& classes);

// Gives nodes to pods that ask for the default scheduler: the engine's predicates, the
// simulation's scores.

/// Pods of higher priority come first, then older ones. Pods that found no node are tried again,
/// all together, when something changed, but not all the time. No pod is preempted. [the loop's
/// thread]
class PodScheduler {
public:
    /// Pods that are tried in one turn of the loop.
    static constexpr std::size_t pods_per_turn = 250;
    /// Between two rounds over the pods that wait.
    static constexpr Duration round_pause = std::chrono::milliseconds(200);

    explicit PodScheduler(ControlContext& context);
    ~PodScheduler();

private:
    /// A pod's place among those that wait.
    struct Turn {
        std::int64_t priority = 0;
        std::string created{}, key{};
        bool operator<(const Turn& other) const;
    };
    struct Candidate {
        api_server::ApiObject pod{};
        engine::snapshot::PodGroupId equivalence_group = 0;
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
    void refuse(const std::vector<api_server::ApiObject>& pods);
    void set_refused(const json::object& pod, std::string_view reason, const std::string& message);

    ControlContext& context_;
    std::map<std::string, Turn> waiting_;
    std::set<Turn> round_;  ///< those of them that are still to be tried
    bool is_awake_ = false;
    io::TimerId next_round_ = 0;  ///< 0: none is set
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    SchedulingView view_;
};

}  // namespace capstan::simulation::control_plane
