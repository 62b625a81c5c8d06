/// Whether a machine that could be had is worth a thought, judged by its figures alone.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <capstan/machine_type.hpp>
#include <capstan/node_template.hpp>
#include <capstan/pod.hpp>

namespace capstan::engine::provisioning {

/// What the figures of machine type, offer and plan come to; NULL of the offer: the plan has none.
NodeTemplate make_sketch(const MachineType& type, const MachineOffering* offer,
                         const GroupPlan& plan);

/// The offer that a plan is for; NULL: there is none.
const MachineOffering* find_offer(const MachineType& type, const GroupPlan& plan) noexcept;

/// Why none of the pods would run on such a node; nothing: one would. DaemonSets are not counted.
std::optional<std::string> why_useless(const NodeTemplate& sketch,
                                       std::span<const PodEquivalenceGroup> pods);

}  // namespace capstan::engine::provisioning
