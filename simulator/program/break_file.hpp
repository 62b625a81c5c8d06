/// A break that a chaos run found, as a scenario file of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include <capstan/result.hpp>

#include "simulator/program/simulate_input.hpp"

namespace capstan::simulator::program {

struct BreakFile {
    std::string path{};
    std::size_t events = 0, events_before = 0;  ///< in the file, and in the chaos run
};

/// Reduces the chaos run of that seed to the fewest events that still break the same invariant,
/// writes them as SCENARIO-seed-N.toml in `folder`, and runs that file. `repeat`: the command that
/// repeats the chaos run, for the comment at the top. Fails if the break cannot be repeated with
/// fixed times, if no scenario file can express it, if the file cannot be written, or if the file
/// does not break the invariant.
Result<BreakFile> write_break(const Simulation& simulation, std::uint64_t seed,
                              const std::filesystem::path& folder, const std::string& repeat);

}  // namespace capstan::simulator::program
