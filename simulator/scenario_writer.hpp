/// Writes an Input as a scenario file: the inverse of scenario.hpp.
#pragma once

#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "config/document.hpp"
#include "simulator/input.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator {

/// What a scenario file has besides its Input.
struct ScenarioExtras {
    const config::TomlValue& sections;  ///< a table with the sections of a configuration
    const std::vector<SharedReplicas>& balancers;
    std::vector<std::string> remarks{};  ///< lines of comment at the top
};

/// A scenario file that is read back as an equal Input.
///
/// A step whose actions are all at its beginning stays one step. If actions of any step come later,
/// each moment becomes a step of its own, with the key `at`; all steps then need a length.
/// Fails with `unsupported` if no scenario file can say the same; the message names what it is.
Result<std::string> write_scenario(const Input& input, const ScenarioExtras& extras);

}  // namespace capstan::simulator
