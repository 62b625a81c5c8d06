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
#include "plugin_tool/call_groups.hpp"

namespace capstan::plugin_tool {

// The output of `capstan plugin call`: one line of JSON, with keys in a fixed order.

/// {"options":[0,2],"explain":["..."]}; options are indices into the request's, ascending.
std::string answer_of(const commands::ExpanderRequest& request,
                      const engine::FilterResult& narrowing);
/// {"similar":true,"decided":false,"because":"..."}
std::string answer_of(const Similarity& similarity);
/// {"deltas":{"a":3,"b":0}}; every group of the request, in the order of the request.
std::string answer_of(const commands::SplitterRequest& request, const std::vector<int>& growth);
/// {"error":"..."}
std::string answer_of(const Error& error);

/// The kinds that can be called.
enum class CallKind { expander, similarity, splitter, controller, group_source, cloud };

/// Takes a short name or an id: "expander" or "capstan.expander/1". Absent: no such kind.
std::optional<CallKind> find_call_kind(std::string_view kind);
/// The kind's id at the boundary: "capstan.expander/1".
std::string_view kind_id_of(CallKind kind);
/// A sentence that says that `kind` cannot be called, and lists the kinds that can be.
std::string unknown_call_kind(std::string_view kind);

/// The policies that can be asked, borrowed. The policy that `kind` names is not NULL. A cloud has
/// none, since it reads no question.
struct CallArguments {
    CallKind kind = CallKind::expander;
    engine::Expander* expander = nullptr;
    engine::SimilarityCheck* similarity = nullptr;
    engine::Splitter* splitter = nullptr;
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
