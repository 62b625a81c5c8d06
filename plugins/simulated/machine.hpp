/// What a machine of a group is, from its table of the settings.
#pragma once

#include <string>

#include <capstan/node_template.hpp>
#include <capstan/settings.hpp>

namespace capstan::simulated {

/// Where a group's machines are.
struct Location {
    std::string zone{}, region{};  ///< empty: not said
};

/// The node that a machine becomes, with the labels every node has. Only settings that `check_node`
/// let pass.
NodeTemplate read_node(const Settings& machine, std::string name, const Location& location);
/// Rejects what the schema cannot say: negative amounts, taints that are none, more allocatable
/// than there is.
void check_node(const Settings& machine);

}  // namespace capstan::simulated
