/// How far a scale-up has come: pods that are left, nodes ordered, what the limits still allow.
/// A value: a copy that was made before a step undoes the step.
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

/// What one group got of an option.
struct GroupIncrease {
    pass_context::GroupIndex group = 0;
    int nodes = 0;
    std::string role{};  ///< "smallest of 3 similar groups"; empty: it is the only one
};

/// An option that is carried out.
struct AcceptedOption {
    ChosenOption chosen{};
    std::vector<GroupIncrease> growths{};
};

struct Progress {
    explicit Progress(const pass_context::PassContext& context);

    std::vector<int> left;  ///< by pod group: pods that wait; only those that are pending count
    std::vector<int> fit;   ///< by pod group: pods for which there is room as it is
    QuotaTracker quotas;
    std::vector<AcceptedOption> grants{};
    std::vector<std::string> notes{};
    std::string stopped{};  ///< why no further option is taken; empty: there is none
};

/// Pods on new nodes, by group and then by pod group.
using SchedulablePods =
    std::map<pass_context::GroupIndex, std::map<scheduling::PodGroupIndex, int>>;
SchedulablePods count_schedulable(const scheduling::Placement& placement,
                                  scheduling::Slot first_new);

// How many new nodes of one shape a set of pods needs.

struct Demand {
    scheduling::PodGroupIndex pod_group = 0;
    int count = 0;
    bool operator==(const Demand&) const = default;
};

struct Estimate {
    int nodes = 0;                      ///< nodes that hold at least one of the pods
    std::vector<Demand> schedulable{};  ///< ascending by pod group, none of zero
    bool operator==(const Estimate&) const = default;
};

/// Packs as many of `pods` as it can on new nodes of `shape`, largest first: each class fills the
/// nodes opened before it, then opens more. Larger is the sum of the shares of allocatable cpu and
/// memory; a tie goes to the lower pod group. Never opens a node that nothing would be put on, nor
/// more than `max_nodes`. The new nodes with their pods stay in `placement`, as slots from the
/// former slot_count() on; undo takes them away.
///     50,000 pods of 50m and 1,000 of 95m on nodes of 1000m, 100 pods each  ->  2,595 nodes
Estimate estimate(scheduling::Placement& placement, scheduling::TemplateNodeId shape,
                  std::span<const Demand> pods, int max_nodes);

}  // namespace capstan::engine::scale_up
