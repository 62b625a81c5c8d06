/// First-fit-decreasing bin packing by pod groups: how many new nodes the pods of an option need.
///
/// Pods that are placed late find the gaps that earlier ones left, and small pods fit into gaps
/// that large ones do not. So pod groups come largest first, by the sum of their shares of a node's
/// cpu and memory, and each pod goes to the first node that has room. The pods of a pod group are
/// equivalent, so a node takes as many of them as fit in one step, and nodes with equal pods are
/// one slot with a count.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/scale_up/progress.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// Pod groups, the largest first.
using SizeOrder = std::shared_ptr<const std::vector<PodGroupIndex>>;

/// Orders the pod groups of `predicates` by the sum of their shares of allocatable cpu and memory,
/// ties by index. Templates with the same ratio of memory to cpu share one order, which is computed
/// once. Borrows the predicates.
class SizeOrders {
public:
    explicit SizeOrders(const scheduling::CompiledPredicates& predicates);
    SizeOrder of(TemplateNodeId template_node);

private:
    struct Size {
        std::int64_t cpu = 0, memory = 0;
    };
    const scheduling::CompiledPredicates* predicates_;
    std::vector<Size> sizes_;  // by pod group
    std::map<std::pair<std::int64_t, std::int64_t>, SizeOrder> by_ratio_;
};

// Packing itself.

/// New nodes of a template that may be opened.
struct Supply {
    TemplateNodeId template_node = 0;
    int nodes = 0;
    bool operator==(const Supply&) const = default;
};

/// The result of packing a list of demands.
struct Packed {
    std::vector<Demand> schedulable{};  ///< in the order of the list; none has zero pods
    /// Pod groups of which not even an empty node takes a pod.
    std::vector<PodGroupIndex> refused{};
};

/// Puts pods on slots, one pod group at a time, each pod on the first slot with room. Borrows its
/// arguments.
class Packing {
public:
    /// `passed_over` by slot: whether the slot is skipped; NULL: no slot is.
    explicit Packing(scheduling::Placement& placement,
                     const std::vector<bool>* passed_over = nullptr)
        : placement_(&placement), passed_over_(passed_over) {}

    /// Puts pods on slots of [from, end), in order, until no slot has room or `wanted` pods are
    /// placed. Returns how many were placed. A slot of which only some nodes are needed is split.
    int fill(PodGroupIndex pod_group, scheduling::Slot from, scheduling::Slot end, int wanted);
    /// Opens nodes of `supplies`, in their order, and fills each before the next is opened; opens
    /// no node that stays empty. Takes the nodes off `supplies` and returns how many pods were
    /// placed. Ends early once there are as many nodes as minDomains requires, since then nodes
    /// that were opened before have room again.
    int open(PodGroupIndex pod_group, std::span<Supply> supplies, int wanted);
    /// Each of `demands` in turn fills the nodes that were opened since the call began, then opens
    /// more of `supplies`, in their order.
    Packed pack(std::span<Supply> supplies, std::span<const Demand> demands);

private:
    bool pack_one(std::span<Supply> supplies, const Demand& demand, scheduling::Slot from,
                  int& placed);
    int place(PodGroupIndex pod_group, scheduling::Slot slot, const scheduling::Room& room,
              int wanted);
    int place_on_part(PodGroupIndex pod_group, scheduling::Slot slot, int nodes, int per_node);
    int open_some(PodGroupIndex pod_group, Supply& supply, int wanted);
    int open_nodes(PodGroupIndex pod_group, Supply& supply, int nodes, int per_node);

    bool is_passed_over(scheduling::Slot slot) const noexcept;

    scheduling::Placement* placement_;
    const std::vector<bool>* passed_over_;
};

}  // namespace capstan::engine::scale_up
