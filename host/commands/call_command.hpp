/// `capstan plugin call`: asks one decision hook one question, JSON in and JSON out.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "commands/call_controller.hpp"
#include "commands/call_groups.hpp"
#include "commands/call_request.hpp"
#include "engine/policies.hpp"

namespace capstan::commands {

// What `capstan plugin call` prints: one line of JSON, its keys always in the same order.

/// {"options":[0,2],"explain":["..."]}; indices are the request's, ascending.
std::string answer_of(const ExpanderRequest& request, const engine::FilterResult& narrowing);
/// {"similar":true,"decided":false,"because":"..."}
std::string answer_of(const Similarity& similarity);
/// {"deltas":{"a":3,"b":0}}; every group of the request, in its order.
std::string answer_of(const SplitterRequest& request, const std::vector<int>& growth);
/// {"error":"..."}
std::string answer_of(const Error& error);

/// The kinds that can be called.
enum class CallKind { expander, similarity, splitter, controller, group_source, cloud };

/// "expander" or "capstan.expander/1".
std::optional<CallKind> find_call_kind(std::string_view kind);
/// The kind's id at the boundary: "capstan.expander/1".
std::string_view kind_id_of(CallKind kind);
/// Why `kind` is none, with the kinds there are.
std::string unknown_call_kind(std::string_view kind);

/// The policy to ask, of all kinds but a cloud, which reads no question; the one that `kind` names
/// is not NULL. Borrowed.
struct CallArguments {
    CallKind kind = CallKind::expander;
    engine::Expander* expander = nullptr;
    engine::SimilarityCheck* similarity = nullptr;
    engine::Splitter* splitter = nullptr;
    /// One reconcile.
    std::function<Result<ControllerAnswer>(const ControllerRequest&)> controller{};
    /// Which groups there could be.
    std::function<Result<engine::GroupsAnswer>(const GroupsRequest&)> group_source{};
};

/// Reads one request from `in` and prints one line to `out`. 0: the answer. 1: the hook failed, and
/// the line is
/// {"error":"..."}. 2: the request cannot be read; `err` says where and why, all of it at once,
/// `out` stays empty.
int call(const CallArguments& arguments, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace capstan::commands
