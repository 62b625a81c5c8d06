/// The state of a scale-up: pods that are left, options taken, room within the limits. It is a
/// value: assigning a copy from before a step undoes the step.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/scale_up/quota_tracker.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// The part of an option that one group got.
struct GroupIncrease {
    GroupIndex group = 0;
    int nodes = 0;
    std::string role{};  ///< "smallest of 3 similar groups"; empty: it is the only one
};

/// An option that the pass has taken.
struct AcceptedOption {
    ChosenOption chosen{};
    std::vector<GroupIncrease> increases{};
};

struct Progress {
    explicit Progress(const pass_context::PassContext& context);

    std::vector<int> left;  ///< by pod group: pending pods without room so far
    std::vector<int> fit;   ///< by pod group: pods with room on existing or upcoming nodes
    QuotaTracker quotas;
    std::vector<AcceptedOption> accepted_options{};
    std::vector<std::string> notes{};
    std::string stopped{};  ///< why no further option is taken; empty: there is none
};

/// The number of pods on new nodes, by node group and then by pod group.
using SchedulablePods = std::map<GroupIndex, std::map<PodGroupIndex, int>>;
SchedulablePods count_schedulable(const scheduling::Placement& placement,
                                  scheduling::Slot first_new);

// How many new nodes of one template a set of pods needs.

/// A number of pods of one pod group.
struct Demand {
    PodGroupIndex pod_group = 0;
    int count = 0;
    bool operator==(const Demand&) const = default;
};

struct Estimate {
    int nodes = 0;                      ///< nodes that hold at least one of the pods
    std::vector<Demand> schedulable{};  ///< ascending by pod group; none has zero pods
    bool operator==(const Estimate&) const = default;
};

/// Packs as many of `pods` as possible on new nodes of `template_node`. Pod groups come in the
/// order of SizeOrders (packing.hpp): each fills the nodes opened before it, then opens more. Opens
/// no node that stays empty, and at most `max_nodes`. The new nodes with their pods stay in
/// `placement`, as slots from the former slot_count() on; Placement::undo removes them.
///     50,000 pods of 50m and 1,000 of 95m on nodes of 1000m, 100 pods each  ->  2,595 nodes
Estimate estimate(scheduling::Placement& placement, TemplateNodeId template_node,
                  std::span<const Demand> pods, int max_nodes);

}  // namespace capstan::engine::scale_up
