/// The part of `capstan explain` that runs a simulation.
#pragma once

#include "commands/explain_command.hpp"

namespace capstan::simulator::program {

/// Runs the simulation up to the moment of the question, and prints the answer; an
/// `ExplainOverTime`.
int explain_over_time(const commands::ExplainArguments& arguments, commands::Streams streams);

}  // namespace capstan::simulator::program
