/// Answers of a pass as people and programs read them.
#pragma once

#include <ostream>

#include <boost/json/object.hpp>

#include "simulation/explainer.hpp"

namespace capstan::commands {

/// Whichever was asked for.
void print_explained(std::ostream& out, const simulation::Explained& explained);
boost::json::object explained_json(const simulation::Explained& explained);

}  // namespace capstan::commands
