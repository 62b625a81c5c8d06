/// Asks one pass of a simulation for its reasons, and finds the objects that a question names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "autoscaler/pass_cycle.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator {

// Workloads, as far as the owners of pods name them.

/// Whether a pod with this owner is of the workload. A Deployment is recognised by the names of its
/// ReplicaSets, NAME-HASH.
bool is_of_workload(const engine::snapshot::PodOwner& owner, std::string_view kind,
                    std::string_view name);

/// The workloads of that kind and namespace that have pods or an object in the cluster: names,
/// ascending, each once.
std::vector<std::string> workloads(const engine::snapshot::Cluster& cluster, std::string_view kind,
                                   std::string_view ns);

/// The name among `names` that `typed` means: `typed` itself if it is among them; else the only
/// name that goes on after it with a dot ("ip-10-0-1-17" for "ip-10-0-1-17.ec2.internal"); else the
/// only name that begins with it. Otherwise `not_found`, and the message is `unknown` followed by
/// the names that may be meant, or by the names there are. `names` has to be ascending.
///     no node "n" in this cluster; several match: n1, n2
Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown);

// The observer that asks a pass.

/// A question about one pod, the pods of one workload, one group or one node; if none of these is
/// set, about all pending pod equivalence groups and all node groups. A name may be shortened to a
/// beginning that only one object's name has.
struct Question {
    std::string pod_ns{}, pod_name{};
    std::string workload_kind{}, workload_name{};  ///< "Deployment" in `pod_ns`, or a pod's owner
    NodeGroupId group{};
    std::string node{};
    /// The moment that is asked about; absent: the end.
    std::optional<Time> at{};
    /// The default spread constraints of a scheduler that has not yet tried all pending pods, as in
    /// a dump. Absent: the scheduler has tried all pending pods.
    std::optional<std::vector<engine::snapshot::DefaultSpread>> untried_default_spread{};
};

struct Explained {
    Time at{};  ///< of the pass that was asked
    autoscaler::PassAnswer answer{};
    /// What the cluster says of the pod, workload or node: "bound to node n3", "removed at 10m40s".
    /// An answer may follow.
    std::string state{};
    std::string remedy{};   ///< for a workload whose pods are not created; empty: none
    std::string subject{};  ///< "shop/web-1", in full; empty: not about a pod or workload
    bool is_workload = false;
    /// of a workload: one pending pod of each pod equivalence group
    std::vector<Explained> pods{};
    /// of a matrix, as its groups: "3 of 10 nodes"
    std::vector<std::string> sizes{};
    /// of a matrix, as its pod groups: "cpu 3, memory 2Gi"
    std::vector<std::string> requests{};
};

/// Asks the first pass at or after the moment of the question; if there is none, what a pass would
/// see at the end. If a pod has a node or is gone by then, the first pass that saw the pod without
/// a node is asked. If a node has vanished by then, the last pass that saw the node is asked.
class Explainer final : public Observer {
public:
    explicit Explainer(Question question) : question_(std::move(question)) {}

    void on_event(const Event& event) override;
    void on_decision(const autoscaler::PassReport& pass) override;
    bool wants_last_look() const override { return !asked_; }
    void on_last_look(const autoscaler::PassInput& input) override { asked_ = input; }
    void on_end() override;

    /// Call this once the simulation has run. `not_found`: no pass ever saw such a pod, group or
    /// node; the message says what may be meant.
    const Result<Explained>& result() const noexcept { return result_; }

private:
    struct Found {
        engine::PodIndex pod = 0;
        /// its pod equivalence group, if it has no node
        std::optional<engine::PodGroupId> waiting;
        std::string node;
    };
    const autoscaler::PassInput& asked() const {
        CAPSTAN_ASSERT(asked_, "a question is answered before a pass was seen");
        return *asked_;
    }
    static std::optional<Found> find_pod(const autoscaler::PassInput& input, const std::string& ns,
                                         const std::string& name);
    void remember_pods(const autoscaler::PassInput& input);
    Result<std::string> search_pod() const;
    Result<Explained> explain_pod(const std::string& name) const;
    Result<Explained> explain_waiting(engine::PodGroupId equivalence_group,
                                      engine::PodIndex pod) const;
    Result<Explained> explain_workload(const std::string& kind, const std::string& typed) const;
    /// The kind of the workload whose name is that of the question's pod, or begins with it; empty:
    /// there is no such workload.
    std::string find_owner_kind() const;
    Result<Explained> explain_node() const;
    Result<Explained> explain_group() const;
    Result<Explained> explain_matrix() const;
    /// Says which node the pods would fit; empty: none, or the scheduler has tried all pods.
    std::string missed_by_scheduler(engine::PodGroupId equivalence_group) const;

    /// A pass that saw a pod without a node, and the pod's equivalence group in that pass.
    struct Seen {
        autoscaler::PassInput input;
        engine::PodGroupId equivalence_group = 0;
    };
    Question question_;
    std::optional<autoscaler::PassInput> asked_;  ///< the pass that is asked about
    /// Pods of the namespace whose names begin as the question says, with the first pass that saw
    /// each without a node; absent: no pass did.
    std::map<std::string, std::optional<Seen>> first_;
    std::optional<autoscaler::PassInput> with_node_;  ///< the last pass that saw the node
    std::optional<Duration> node_deleted_at_;         ///< since the start
    Result<Explained> result_ = fail(ErrorCode::not_found, "no pass ran");
};

}  // namespace capstan::simulator
