/// The object that a typed name means.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/ids.hpp>
#include <capstan/result.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "runtime/pass_cycle.hpp"
#include "simulation/run.hpp"

namespace capstan::simulation {

// Workloads as far as pods tell of them: by their owners.

/// Whether a pod with this owner is of the workload. A Deployment is known by the ReplicaSets that
/// it names NAME-HASH.
bool is_of_workload(const engine::snapshot::PodOwner& owner, std::string_view kind,
                    std::string_view name);

/// Those of the kind in the namespace that pods of the cluster belong to, ascending, each once.
std::vector<std::string> workloads(const engine::snapshot::Cluster& cluster, std::string_view kind,
                                   std::string_view ns);

/// The name itself where there is one of it; else the only one that goes on after it with a dot
/// ("ip-10-0-1-17" for "ip-10-0-1-17.ec2.internal"), else the only one that begins with it.
/// `not_found` otherwise: `unknown`, and what may be meant, or which names there are. `names`
/// ascend.
///     "no pass saw a node 'n'; several begin so: n1, n2"
Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown);

// Looks on while a simulation runs, and asks one of its passes a question.

/// About one pod, the pods of one workload, one group, one node, or with none of these about all
/// pending classes and all groups. Names may be cut short where what remains is of one object.
struct Question {
    std::string pod_ns{}, pod_name{};
    std::string workload_kind{}, workload_name{};  ///< "Deployment" in `pod_ns`, or a pod's owner
    NodeGroupId group{};
    std::string node{};
    /// Nothing: about the end.
    std::optional<Time> at{};
    /// What a scheduler spreads pods over, where pods wait that it has not been asked about, as in
    /// a dump. Nothing: all that wait have been.
    std::optional<std::vector<engine::snapshot::DefaultSpread>> unasked_scheduler{};
};

struct Explained {
    Time at{};  ///< of the pass that was asked
    runtime::PassAnswer answer{};
    /// What the cluster says of the pod or workload, before any answer: "has a node: n3". An answer
    /// may follow.
    std::string settled{};
    std::string subject{};  ///< "shop/web-1", in full; empty: of a group, node or matrix
    bool is_workload = false;
    std::vector<Explained> pods{};  ///< of a workload: one pod without a node of each class
};

/// The pass that counts is that of the moment that is asked about, or what one would see then. Of a
/// pod that has got a node by the end it is the first that saw it without one, of a node that has
/// vanished the last that saw it.
class Explainer final : public Observer {
public:
    explicit Explainer(Question question) : question_(std::move(question)) {}

    void on_pass(const runtime::PassInput& input, const runtime::PassResult& result) override;
    bool wants_last_look() const override { return !asked_; }
    void on_last_look(const runtime::PassInput& input) override { asked_ = input; }
    void on_end() override;

    /// Once the simulation has run. `not_found`: no pass ever saw such a pod, group or node; the
    /// message has what may be meant.
    const Result<Explained>& result() const noexcept { return result_; }

private:
    struct Found {
        std::optional<engine::snapshot::PodGroupId> waiting;  ///< its class, when it has no node
        std::string node;
    };
    static std::optional<Found> find_pod(const runtime::PassInput& input, const std::string& ns,
                                         const std::string& name);
    void remember_pods(const runtime::PassInput& input);
    Result<std::string> search_pod() const;
    Result<Explained> explain_pod(const std::string& name) const;
    Result<Explained> explain_workload() const;
    Result<Explained> explain_node() const;
    Result<Explained> explain_group() const;
    /// Empty: nothing is known that the scheduler could have done.
    std::string missed_by_scheduler(engine::snapshot::PodGroupId equivalence_group) const;

    /// A pass, and the class of the pod that it saw waiting.
    struct Seen {
        runtime::PassInput input;
        engine::snapshot::PodGroupId equivalence_group = 0;
    };
    Question question_;
    std::optional<runtime::PassInput> asked_;  ///< the pass that is asked about
    /// Pods of the namespace with names that begin as the question says, and when each was first
    /// seen waiting; nothing: never.
    std::map<std::string, std::optional<Seen>> first_;
    std::optional<runtime::PassInput> with_node_;  ///< the last that saw the node
    Result<Explained> result_ = fail(ErrorCode::not_found, "no pass was run");
};

}  // namespace capstan::simulation
