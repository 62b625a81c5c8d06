/// Writes an Input as a scenario file: the inverse of scenario.hpp.
#pragma once

#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/config/document.hpp"
#include "simulation/input.hpp"

namespace capstan::simulation {

/// A scenario file that is read back as an equal Input. `sections`: a table with the sections of
/// the configuration, which an Input does not have. `remarks`: lines of comment at the top.
///
/// A step whose actions are all at its beginning stays one step. If actions of any step come later,
/// each moment becomes a step of its own, with the key `at`; all steps then need a length.
/// Fails with `unsupported` if no scenario file can say the same; the message names what it is.
Result<std::string> write_scenario(const Input& input, const runtime::config::TomlValue& sections,
                                   const std::vector<std::string>& remarks = {});

}  // namespace capstan::simulation
