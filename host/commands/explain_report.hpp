/// Answers of a pass as people and programs read them.
#pragma once

#include <ostream>

#include <boost/json/object.hpp>

#include "simulation/explainer.hpp"

namespace capstan::commands {

void print_pod(std::ostream& out, const simulation::Question& question,
               const simulation::Explained& explained);
void print_group(std::ostream& out, const engine::GroupAnswer& group);
/// `at`: the moment of the pass.
void print_node(std::ostream& out, const engine::NodeVerdict& node, Time at);
void print_matrix(std::ostream& out, const engine::Matrix& matrix);

/// Whichever was asked for.
void print_explained(std::ostream& out, const simulation::Question& question,
                     const simulation::Explained& explained);
boost::json::object explained_json(const simulation::Question& question,
                                   const simulation::Explained& explained);

boost::json::object pod_json(const simulation::Question& question,
                             const simulation::Explained& explained);
boost::json::object group_json(const engine::GroupAnswer& group);
boost::json::object node_json(const engine::NodeVerdict& node, Time at);
boost::json::object matrix_json(const engine::Matrix& matrix);

}  // namespace capstan::commands
