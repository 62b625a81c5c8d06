/// `capstan plugin call`: asks one decision hook one question, JSON in and JSON out.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "commands/call_request.hpp"
#include "engine/policies.hpp"
#include "plugin_tool/call_controller.hpp"

namespace capstan::plugin_tool {

/// The kinds that can be called.
enum class CallKind { expander, similarity, splitter, controller, group_source, cloud };

/// Takes a short name or an id: "expander" or "capstan.expander/1". Absent: no such kind.
std::optional<CallKind> find_call_kind(std::string_view kind);
/// The kind's id at the boundary: "capstan.expander/1".
std::string_view kind_id_of(CallKind kind);
/// A sentence that says that `kind` cannot be called, and lists the kinds that can be.
std::string unknown_call_kind(std::string_view kind);

/// The question to a group source, as JSON:
///
///     {"pods":[POD...],"machines":[MACHINE...],"existing":[{"id":"web","template":TEMPLATE}],
///      "limits":{"cpu":"32","nodes":"10"},"cloud":"aws"}
///
/// MACHINE is {"name":"n1-standard-4","capacity":{},"allocatable":{},"labels":{},"taints":[],
/// "zones":["a"],"spot":true,"price_per_hour":0.2,"spot_price_per_hour":0.1}; only the name is
/// required. Without zones there is one offering, in no zone; with `spot` each zone has a second,
/// spot offering. Machines are amd64 and linux unless their labels say otherwise. `limits` is what
/// the cluster may still grow by. `cloud` names the instance that offers these machines.
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

/// Functions that ask the plugin. The one that `kind` names is set; a cloud has none, since it
/// reads no question.
struct CallArguments {
    CallKind kind = CallKind::expander;
    /// The question has an option at least.
    std::function<Result<engine::FilterResult>(const commands::ExpanderRequest&)> expander{};
    std::function<Result<Similarity>(const commands::SimilarityRequest&)> similarity{};
    std::function<Result<std::vector<int>>(const commands::SplitterRequest&)> splitter{};
    /// Runs one reconcile.
    std::function<Result<ControllerAnswer>(const ControllerRequest&)> controller{};
    /// Suggests groups that could be created.
    std::function<Result<engine::GroupsAnswer>(const GroupsRequest&)> group_source{};
};

/// Reads one request from `in` and prints one line to `out`. Returns the exit code: 0, the line is
/// the answer; 1, the hook failed and the line is {"error":"..."}; 2, the request cannot be read,
/// `err` lists all that is wrong with its places, and `out` stays empty.
int call(const CallArguments& arguments, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace capstan::plugin_tool
