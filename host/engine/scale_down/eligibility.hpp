/// Whether a node is looked at at all, before its pods are.
#pragma once

#include <optional>
#include <string>

#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/scale_down/unremovable.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine {

struct Ineligible {
    Unremovable reason = Unremovable::none;
    std::string because{};
    std::optional<Time> until{};  ///< when time alone ends it
};

/// The first reason that keeps a node, in upstream's order; utilization and pods are not looked at.
/// Nothing: none does.
std::optional<Ineligible> find_ineligible(const Snapshot& snapshot, const Membership& membership,
                                          const Health& health, const Memory& memory,
                                          const Settings& settings, NodeIndex node, Time now);

}  // namespace capstan::engine
