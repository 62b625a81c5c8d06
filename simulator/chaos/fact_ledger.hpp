/// What facts add up to: the pods, nodes and machines of a run as they truly are.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>
#include <capstan/resources.hpp>
#include <capstan/time.hpp>

#include "engine/decision.hpp"
#include "engine/snapshot.hpp"
#include "simulator/facts.hpp"

namespace capstan::simulator::chaos {

/// Waste up to this many machines is not reported, since a single order may be unlucky.
inline constexpr int machines_tolerated = 3;

/// A pod of the ledger.
struct LedgerPod {
    std::string batch{};
    std::string node{};  ///< empty: it is pending
    Time arrived{};
    Resources requests{};          ///< with {"pods", 1}
    bool belongs_to_node = false;  ///< of a DaemonSet, or a mirror pod
    /// Users said that it must not be moved, or Kubernetes has nothing that would recreate it: the
    /// annotation safe-to-evict, no controller, local storage, kube-system.
    bool is_unmovable = false;
    /// Has constraints other than resources, labels and taints, so that first-fit is not certain.
    bool is_constrained = false;
    engine::snapshot::PodSpec spec{};
};

struct LedgerNode {
    std::string group{};  ///< empty: of no group
    Resources allocatable{};
    Labels labels{};
    std::vector<Taint> taints{};
    Time joined{};
    bool is_ready = false;
    std::set<std::string> pods{};
};

/// The pods that were pending when machines were ordered.
using PodNames = std::shared_ptr<const std::set<std::string>>;

struct LedgerMachine {
    std::string group{};
    Time listed{};           ///< when a pass first saw it in its cloud's list
    PodNames ordered_for{};  ///< NULL: the autoscaler did not order it
    std::optional<Time> started{};
    std::string node{};  ///< empty: it has not joined
    bool has_failed = false, has_served = false;
    bool is_withdrawn = false;  ///< its cloud no longer lists it, and it never ran
    bool is_announced = false;  ///< its cloud has said that it will leave
};

/// Called with each fact, and with the groups of each pass. A machine belongs to the oldest order
/// of its group that has machines to come.
class FactLedger {
public:
    void observe(const Fact& fact);
    /// The cloud's lists, with machines that do not run yet.
    void observe(const std::vector<engine::Group>& groups, Time now);
    /// Called with the decision of each pass, before it is carried out. An increase is ordered for
    /// the pods that are pending now, even if its cloud agrees later.
    void observe(const engine::Decision& decision);

    const std::map<std::string, LedgerPod, std::less<>>& pods() const noexcept { return pods_; }
    const std::map<std::string, LedgerNode, std::less<>>& nodes() const noexcept { return nodes_; }
    const std::map<std::string, LedgerMachine, std::less<>>& machines() const noexcept {
        return machines_;
    }
    /// NULL: there is no such pod, node, machine.
    const LedgerPod* find_pod(std::string_view name) const;
    const LedgerNode* find_node(std::string_view name) const;
    const LedgerMachine* find_machine(std::string_view id) const;
    /// The machine of a node; NULL: none is known.
    const LedgerMachine* machine_of(std::string_view node) const;
    bool had_fault(FaultKind kind, Time since) const;  ///< of any group
    /// The id of the machine of a node; empty: none is known.
    std::string_view id_of(std::string_view node) const;
    /// Whether a fault of that kind is or was active for the group, or for all groups, since then.
    bool had_fault(FaultKind kind, std::string_view group, Time since) const;

private:
    struct Order {
        int left = 0;
        PodNames pods{};
    };

    void bind(const Fact& fact);
    void order(const Fact& fact);
    PodNames pending() const;
    void withdraw(const Fact& fact);
    LedgerMachine& machine(std::string_view id, std::string_view group, Time now);

    std::map<std::string, LedgerPod, std::less<>> pods_;
    std::map<std::string, LedgerNode, std::less<>> nodes_;
    std::map<std::string, LedgerMachine, std::less<>> machines_;
    std::map<std::string, std::string, std::less<>> machine_of_node_;
    std::map<std::string, std::deque<Order>, std::less<>> orders_;  ///< by group
    /// By group: the pods of a decided increase whose cloud has not answered.
    std::map<std::string, PodNames, std::less<>> decided_;
    bool is_started_ = false;
    /// When the last fault ended, by kind and group; max(): it is active.
    std::map<std::pair<FaultKind, std::string>, Time> faults_;
};

/// Nodes in the making, for first-fit packing.
struct Bin {
    Resources room{};
    Labels labels{};
    std::vector<Taint> taints{};
};
/// Whether the pod fits by resources, labels and taints.
bool fits_bin(const LedgerPod& pod, const Bin& bin);

}  // namespace capstan::simulator::chaos
