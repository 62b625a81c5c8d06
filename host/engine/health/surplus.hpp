/// What a target holds in vain.
#pragma once

#include <string>

#include "engine/health/figures.hpp"
#include "engine/memory.hpp"

namespace capstan::engine {

/// Machines to be taken back, and a sentence why.
struct Surplus {
    int machines = 0;  ///< zero: none
    std::string because{};
};

/// The group is backed off until a machine joins: one stays asked for.
bool keeps_one(const GroupFigures& group, const Memory& memory, Time now) noexcept;

/// "2 machines failed: no capacity", of machines at these places.
std::string why_failed(const GroupFigures& group, const MachinePlaces& machines);

/// Machines that failed before they were begun, all but the one that is kept.
Surplus failed_requests(const GroupFigures& group, const Memory& memory, Time now);
/// The most of: those that were asked for longer ago than they may take; what the target is too
/// high by, where that is due.
Surplus long_outstanding(const GroupFigures& group, const Memory& memory, Time now);

}  // namespace capstan::engine
