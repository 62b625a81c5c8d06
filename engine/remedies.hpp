/// What a person can do about the reasons of a decision. docs/why.md shows the same table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <capstan/ids.hpp>

#include "engine/decision.hpp"
#include "engine/reason.hpp"

namespace capstan::engine {

struct Remedy {
    /// "MaxSizeReached" of a Reason, "NotUnderutilized" of a node; with BlockedByPod also the drain
    /// rule, "BlockedByPod/pdb"; "PodsNotCreated" of a workload.
    std::string_view code;
    /// GROUP stands for the node groups with the reason, SUBJECT for the name of its subject.
    std::string_view text;
};

/// Every code that a person can act on: those of reasons, then those of nodes.
std::span<const Remedy> remedies() noexcept;

/// "raise max of web-a, web-b"; empty: the code has no remedy.
std::string remedy_for(const Reason& reason, std::span<const NodeGroupId> groups);
/// For a workload that has fewer pods than it wants because its controller does not create them.
/// `failure`: see snapshot::ControllerObject. `is_short`: it wants more than it has; otherwise it
/// wants none.
std::string remedy_for_missing_pods(const std::string& failure, bool is_short);
/// The remedy for the reason of the pods.
std::string remedy_for(const UnschedulablePods& pods);
/// `drain_rule`: the rule that blocks the node, if its reason is `blocked_by_pod`. Empty: a budget
/// blocks it.
std::string remedy_for(const NodeVerdict& node, std::string_view drain_rule);

}  // namespace capstan::engine
