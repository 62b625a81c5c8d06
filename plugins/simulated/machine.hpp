/// What a machine of a group is, from its table of the settings.
#pragma once

#include <string>
#include <vector>

#include <capstan/node_template.hpp>
#include <capstan/settings.hpp>

namespace capstan::simulated {

/// Where a group's machines are, and on what terms.
struct Location {
    std::string zone{}, region{};  ///< empty: not said
    bool spot = false;             ///< the cloud may take them back
};

/// The node that a machine becomes, with the labels every node has; of several types the least of
/// each resource, and no type. Only settings that `check_node` let pass.
NodeTemplate read_node(const Settings& machine, std::string name, const Location& location);
/// Equal for nodes that are alike.
std::string fingerprint_of(const NodeTemplate& node);
/// The types of its machines, the first one first; empty: one without a name.
std::vector<std::string> read_types(const Settings& machine);
/// Rejects what the schema cannot say: negative amounts, taints that are none, more allocatable
/// than there is, types that cannot be told apart.
void check_node(const Settings& machine);

}  // namespace capstan::simulated
