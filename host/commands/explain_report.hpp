/// The answers of `capstan explain`, as text and as JSON.
#pragma once

#include <ostream>

#include <boost/json/object.hpp>

#include "simulation/explainer.hpp"

namespace capstan::commands {

/// Prints the part of `explained` that the question asked for.
void print_explained(std::ostream& out, const simulation::Explained& explained);
boost::json::object explained_json(const simulation::Explained& explained);

}  // namespace capstan::commands
