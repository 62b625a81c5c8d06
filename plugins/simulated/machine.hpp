/// The machines of a group by the table `machine` of its settings.
#pragma once

#include <string>
#include <vector>

#include <capstan/node_template.hpp>
#include <capstan/settings.hpp>

namespace capstan::simulated {

/// The zone of a group's machines, and whether they are spot.
struct Location {
    std::string zone{}, region{};  ///< empty: not set
    bool spot = false;
};

/// The template of the machine's node, with the labels that every node has. With several types
/// (`mix`) it has the minimum of each resource and no type. `machine` has to have passed
/// check_node.
NodeTemplate read_node(const Settings& machine, std::string name, const Location& location);
/// A hash of the template.
std::string fingerprint_of(const NodeTemplate& node);
/// The types of the machines in their order, at least one; an empty text is a type without a name.
std::vector<std::string> read_types(const Settings& machine);
/// Rejects what the schema cannot express: negative amounts, malformed taints, allocatable above
/// capacity, types with the same name.
void check_node(const Settings& machine);

}  // namespace capstan::simulated
