/// What a pass makes of pods and groups, for `capstan explain`: the same arguments as run_pass and
/// the same answers, for any pod group and any node group.
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

/// Pods of a class that get room on new nodes of a group.
struct SchedulableOn {
    NodeGroupId group{};
    std::uint32_t pods = 0;
    bool operator==(const SchedulableOn&) const = default;
};

struct PodAnswer {
    PodCount pods{};                ///< those that count as pending; none: `example` is empty
    std::uint32_t fit = 0;          ///< of those, on existing or upcoming nodes
    std::uint32_t schedulable = 0;  ///< on new ones, or on existing ones once new ones are there
    std::uint32_t unschedulable = 0;
    std::vector<SchedulableOn> schedulable_on{};  ///< by group
    std::string because{};                        ///< in one sentence
    /// Why each group takes no (further) pod of the class; "would take it" where it does. Where
    /// pods are left as the pass leaves things, else as it finds them.
    std::vector<GroupReason> groups{};
};

/// A pending class as one group sees it.
struct ClassVerdict {
    PodCount pods{};
    std::string refusal{};  ///< of an empty new node; empty: it takes one of the pods
    bool operator==(const ClassVerdict&) const = default;
};

struct GroupAnswer {
    NodeGroupId group{};
    std::string obstacle{};         ///< why it cannot grow; empty: it can
    std::string template_source{};  ///< or why there is none
    std::string target_because{};   ///< why more count than its cloud lists; empty: they do not
    std::optional<int> headroom{};  ///< nodes up to its maximum; nothing: it has none
    health::Upcoming upcoming{};
    int increase = 0;                     ///< what the pass would add
    std::vector<NodeGroupId> similar{};   ///< by id
    std::vector<ClassVerdict> classes{};  ///< all that are pending, in the order they are placed
    templates::TemplateComparison comparison{};  ///< its cloud's template beside a node
};

/// What a cloud tells of the machine of a node.
struct NodeMachine {
    PluginInstanceId cloud{};
    /// Nothing: the cloud has lost it, for it tells of all its machines.
    std::optional<Machine> machine{};
    std::string group_fingerprint{};  ///< of its group's template now; empty: unknown, or no group
    /// Whether it was made from another template than its group's new machines are.
    bool has_drifted() const noexcept {
        return machine && !machine->template_fingerprint.empty() && !group_fingerprint.empty() &&
               machine->template_fingerprint != group_fingerprint;
    }
};

/// Pending classes against groups: the refusal of each pair as in GroupAnswer, or the obstacle of
/// the group. Texts are kept once.
struct Matrix {
    std::vector<PodCount> classes{};  ///< in the order they are placed
    std::vector<NodeGroupId> groups{};
    std::vector<std::string> texts{};    ///< the first is empty: takes one of the pods
    std::vector<std::uint32_t> cells{};  ///< index into texts; a row of groups for each class
    const std::string& at(std::size_t equivalence_group, std::size_t group) const {
        return texts[cells[equivalence_group * groups.size() + group]];
    }
};

/// A pass that was run to be asked about. Borrows all arguments as long as it lives.
class Explanation {
public:
    Explanation(Explanation&&) noexcept;
    Explanation& operator=(Explanation&&) noexcept;
    ~Explanation();

    const Decision& decision() const noexcept;
    /// A class that is neither pending nor was asked about gives `not_found`.
    Result<PodAnswer> pod(snapshot::PodGroupId equivalence_group);
    Result<GroupAnswer> group(const NodeGroupId& id);
    /// Why a node stays, or when it goes.
    Result<NodeVerdict> node(std::string_view name) const;
    /// Nothing: there is no such node, or no cloud knows its machine.
    std::optional<NodeMachine> machine_of(std::string_view node) const;
    Matrix matrix();

private:
    struct State;
    explicit Explanation(std::unique_ptr<State> state) noexcept;
    friend Explanation explain_pass(const Snapshot& snapshot, Memory memory,
                                    const Policies& policies, const Settings& settings,
                                    const CallContext& call_context,
                                    std::span<const snapshot::PodGroupId> asked);
    std::unique_ptr<State> state_;
};

/// Runs a pass to be asked about. `asked`: classes to be answered for though they may not be
/// pending.
Explanation explain_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                         const Settings& settings, const CallContext& call_context,
                         std::span<const snapshot::PodGroupId> asked = {});

}  // namespace capstan::engine::pass
