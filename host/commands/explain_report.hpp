/// The answers of `capstan explain`, as text and as JSON.
#pragma once

#include <ostream>

#include <boost/json/object.hpp>

#include "autoscaler/questions/question.hpp"

namespace capstan::commands {

/// Prints the part of `explained` that the question asked for. `is_wide`: a matrix has the sizes of
/// groups and the requests of pods, and a line for each group.
void print_explained(std::ostream& out, const autoscaler::questions::Explained& explained,
                     bool is_wide = false);
boost::json::object explained_json(const autoscaler::questions::Explained& explained);

}  // namespace capstan::commands
