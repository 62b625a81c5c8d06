/// `capstan plugin call --kind group_source`: its question and its answer, as JSON.
///
///     {"pods":[POD...],"machines":[MACHINE...],"existing":[{"id":"web","template":TEMPLATE}],
///      "limits":{"cpu":"32","nodes":"10"},"cloud":"aws"}
///
/// MACHINE is {"name":"n1-standard-4","capacity":{},"allocatable":{},"labels":{},"taints":[],
/// "zones":["a"],"spot":true,"price_per_hour":0.2,"spot_price_per_hour":0.1}; only the name is
/// required. Without zones there is one offering, in no zone; with `spot` each zone has a second,
/// spot offering. Machines are amd64 and linux unless their labels say otherwise. `limits` is what
/// the cluster may still grow by. `cloud` names the instance that offers these machines.
#pragma once

#include <string>
#include <vector>

#include "engine/policies.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::plugin_tool {

struct GroupsRequest {
    std::vector<PodEquivalenceGroup> pods{};
    std::vector<MachineType> machines{};    ///< by name
    std::vector<NodeGroup> groups{};        ///< by id
    std::vector<NodeTemplate> templates{};  ///< by group; an empty name: the group has none
    Resources room{};
    std::string cloud{};  ///< the instance's name; may be empty

    /// This request as the engine's question. Fills `existing`; the question borrows from it and
    /// from this request.
    engine::GroupsQuestion question(std::vector<engine::GroupsQuestion::Existing>& existing) const;
};

GroupsRequest decode_groups_request(const kubernetes::JsonCursor& root);

/// {"groups":[{"name","machine_type","zone","spot","labels":{},"taints":[],"because":"..."}],
/// "left_out":[{"machine_type","because"}],"max_groups":50,"explain":[]}
std::string answer_of(const engine::GroupsAnswer& answer);

}  // namespace capstan::plugin_tool
