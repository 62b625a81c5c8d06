/// Whether a node is looked at at all, before its pods are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/decision.hpp"
#include "engine/health/health.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::drainability {

struct Ineligible {
    Unremovable reason = Unremovable::none;
    std::string because{};
    std::optional<Time> until{};  ///< when time alone ends it, by `now`
    std::string pod{};            ///< "namespace/name" of the pod that it waits for; empty: none
};

/// The first reason that keeps a node, in upstream's order; utilization and pods are not looked at.
/// Nothing: none does.
std::optional<Ineligible> find_ineligible(const Snapshot& snapshot,
                                          const templates::Membership& membership,
                                          const health::Health& health, const Memory& memory,
                                          const Settings& settings, snapshot::NodeIndex node,
                                          const PassTime& time);

}  // namespace capstan::engine::drainability
