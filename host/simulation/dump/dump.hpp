/// A real cluster as the input of a simulation: what would happen to it now?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/input.hpp"

namespace capstan::simulation::dump {

struct Dump {
    Input input{};
    /// What was left out and what was guessed, a sentence each.
    std::vector<std::string> remarks{};
};

/// Where the node groups of a dump come from.
enum class DumpGroups {
    guessed,        ///< from the nodes; see group_guess.hpp
    configuration,  ///< from the clouds of the configuration, with the nodes in none of them
};

/// From `kubectl get ... -o json` or a `/snapshotz` of upstream ("-": standard input). The clock
/// starts when the dump says it was taken, else a minute after the youngest object. Budgets are
/// held to their spec. Kinds that decisions need and that are absent are one remark. Fails where
/// the file cannot be read, is no JSON, or lacks nodes or pods.
Result<Dump> read_dump(const std::filesystem::path& file, DumpGroups groups);

}  // namespace capstan::simulation::dump
