/// Explains a pass for `capstan explain`. explain_pass takes the arguments of run_pass and runs the
/// same pass; its answers cover every pending pod equivalence group, those in `asked`, and every
/// node group.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decision.hpp"
#include "engine/health/health.hpp"
#include "engine/pass/pass.hpp"
#include "engine/templates/template_comparison.hpp"

namespace capstan::engine::pass {

/// Pods of one pod equivalence group that get room on new nodes of a node group.
struct SchedulableOn {
    NodeGroupId group{};
    std::uint32_t pods = 0;
    bool operator==(const SchedulableOn&) const = default;
};

struct PodAnswer {
    PodCount pods{};        ///< pods that count as pending; none: `example` is empty
    std::uint32_t fit = 0;  ///< of these, pods with room on existing or upcoming nodes
    /// Of these, pods with room on new nodes, or on existing ones once the new nodes are there.
    std::uint32_t schedulable = 0;
    std::uint32_t unschedulable = 0;              ///< the rest
    std::vector<SchedulableOn> schedulable_on{};  ///< by node group
    std::string because{};                        ///< in one sentence
    /// Why the pod that was asked about does not count as pending; none: it counts, or none was
    /// asked about.
    Reason skipped{};
    std::string remedy{};  ///< see remedies.hpp; empty: there is none
    /// Why each node group takes no (further) pod of these; "can schedule it" if it takes one. This
    /// is the state after the scale-up if pods are unschedulable, otherwise the state before it.
    std::vector<GroupReason> groups{};
};

/// Whether an empty new node of a node group takes pods of a pending pod equivalence group.
struct PodGroupVerdict {
    PodCount pods{};
    std::string refusal{};  ///< why the node takes none; empty: it takes one of the pods
    bool operator==(const PodGroupVerdict&) const = default;
};

/// Groups that share no option with a group, for the same reason.
struct NotSimilar {
    std::vector<NodeGroupId> groups{};  ///< by id
    std::string because{};              ///< "labels: label team differs: \"a\" and \"b\""
    bool operator==(const NotSimilar&) const = default;
};

struct GroupAnswer {
    NodeGroupId group{};
    std::string obstacle{};         ///< why it cannot grow; empty: it can
    std::string remedy{};           ///< for the obstacle, see remedies.hpp; empty: there is none
    std::string template_source{};  ///< where its template comes from, or why it has none
    std::string target_because{};   ///< why its target is not the listed one; empty: it is
    std::optional<int> headroom{};  ///< nodes up to its maximum; absent: it has no maximum
    health::Upcoming upcoming{};
    int increase = 0;                       ///< nodes that the scale-up would add
    std::vector<NodeGroupId> similar{};     ///< by id
    std::vector<NotSimilar> not_similar{};  ///< all other existing groups
    /// Every pending pod equivalence group, in the order in which they are placed; none if the node
    /// group has no template.
    std::vector<PodGroupVerdict> pod_groups{};
    templates::TemplateComparison comparison{};  ///< the cloud's template compared with a node
};

/// The machine of a node, as its cloud reports it.
struct NodeMachine {
    PluginInstanceId cloud{};
    /// Absent: the cloud lists all its machines, and the node's is not among them.
    std::optional<Machine> machine{};
    std::string group_fingerprint{};  ///< of its group's template now; empty: unknown, or no group
    /// "spot interruption at 2026-01-02T03:04:05Z; the node takes no new pods ...": the notice that
    /// the machine leaves, and what is done; empty: no notice.
    std::string leaves{};
    /// Whether the machine was made from another template than its group has now.
    bool has_drifted() const noexcept {
        return machine && !machine->template_fingerprint.empty() && !group_fingerprint.empty() &&
               machine->template_fingerprint != group_fingerprint;
    }
};

/// Every pending pod equivalence group against every node group: why the group does not take one of
/// the pods on one more node, as in PodAnswer::groups. Equal texts are stored once.
struct Matrix {
    std::vector<PodCount> pod_groups{};  ///< in the order in which they are placed
    std::vector<NodeGroupId> groups{};
    std::vector<std::string> texts{};    ///< the first is empty: the group takes one of the pods
    std::vector<Reason> reasons{};       ///< as `texts`, without sentences
    std::vector<std::uint32_t> cells{};  ///< index into texts; one row for each pod group
    std::vector<SkippedPods> skipped{};  ///< pods that do not count as pending, by reason
    const std::string& at(std::size_t equivalence_group, std::size_t group) const {
        return texts[cells[equivalence_group * groups.size() + group]];
    }
};

/// The answers about one pass. Borrows all arguments of explain_pass as long as it lives.
class Explanation {
public:
    Explanation(Explanation&&) noexcept;
    Explanation& operator=(Explanation&&) noexcept;
    ~Explanation();

    const Decision& decision() const noexcept;
    /// `not_found`: the pod equivalence group is neither pending nor in `asked`. `pod`: an unbound
    /// pod of it in the cluster of the snapshot; absent: any.
    Result<PodAnswer> pod(PodGroupId equivalence_group, std::optional<PodIndex> pod = std::nullopt);
    Result<GroupAnswer> group(const NodeGroupId& id);
    /// Why a node stays or is removed.
    Result<NodeVerdict> node(std::string_view name) const;
    /// "not ready for 10m", "cordoned"; empty: the node is ready, or there is no such node.
    std::string state_of(std::string_view node) const;
    /// See Health::unhealthy_because.
    const std::string& unhealthy_because() const noexcept;
    /// Absent: there is no such node, or it is not certain which cloud has its machine.
    std::optional<NodeMachine> machine_of(std::string_view node) const;
    /// What can be done about the verdict; empty: nothing, or nothing keeps the node.
    std::string remedy_of(const NodeVerdict& verdict) const;
    Matrix matrix();

private:
    struct State;
    explicit Explanation(std::unique_ptr<State> state) noexcept;
    friend Explanation explain_pass(const Snapshot& snapshot, Memory memory,
                                    const Policies& policies, const Settings& settings,
                                    const CallContext& call_context,
                                    std::span<const PodGroupId> asked);
    std::unique_ptr<State> state_;
};

/// Runs a pass and keeps its state for questions. `asked`: pod equivalence groups that can be asked
/// about even if they are not pending.
Explanation explain_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                         const Settings& settings, const CallContext& call_context,
                         std::span<const PodGroupId> asked = {});

}  // namespace capstan::engine::pass
