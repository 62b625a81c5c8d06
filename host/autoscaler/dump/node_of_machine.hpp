/// Nodes of running machines that have none yet.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <capstan/cloud_view.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

/// The node as its kubelet and its cloud would make it of the group's template, which is known. It
/// is ready since `wall`.
engine::snapshot::NodeObject node_of_machine(const engine::Group& group, const Machine& machine,
                                             std::string name, Time wall);

/// Sets the labels of a node that do not come from the template of its group: hostname and zone.
void set_own_labels(const Machine& machine, engine::snapshot::NodeObject& node);

/// Names for the nodes of machines.
class NodeNames {
public:
    /// GROUP-NUMBER, with the number at the end of the machine's id where there is one. Of a group
    /// id such as "project/zone/web" the last part counts. `is_taken`: whether a node has the name.
    std::string make(const std::string& group_id, const Machine& machine,
                     const std::function<bool(const std::string&)>& is_taken);

private:
    std::map<std::string, int> last_number_;  ///< by group
};

}  // namespace capstan::autoscaler::dump
