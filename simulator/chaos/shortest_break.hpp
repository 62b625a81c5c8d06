/// A chaos run that breaks an invariant, reduced to the fewest events that still break it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <capstan/result.hpp>

#include "simulator/chaos/trial.hpp"
#include "simulator/input.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator::chaos {

/// A break as an input of its own, which run_judged breaks as well.
struct Break {
    /// The base with the actions and faults that are left, each at its time and with what chance
    /// had chosen. Actions that were impossible are left out. Judge::calm is set.
    Input input{};
    /// The first violation of the same invariant. If the run ended with an error, the invariant
    /// is "error" and the text is the message.
    Violation violation{};
    std::size_t events = 0, events_before = 0;  ///< actions and faults: left, and of the whole run
    int runs = 0;                               ///< how often the simulation was run
};

/// Reduces the chaos run of `base` and `seed`: first to the shortest beginning that breaks the same
/// invariant, by bisection, and then by leaving out events in ever smaller parts. Equal arguments
/// give equal breaks. Stops after `runs_max` runs, with the best that was found.
/// `not_found`: the run breaks nothing. `internal`: with the same faults at fixed times it does not
/// break; a defect of the simulation.
Result<Break> find_shortest_break(const Input& base, const Setup& setup, std::uint64_t seed,
                                  int runs_max = 60);

}  // namespace capstan::simulator::chaos
