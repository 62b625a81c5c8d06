/// `capstan plugin call`: asks one decision hook one question, JSON in and JSON out.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "commands/call_controller.hpp"
#include "commands/call_groups.hpp"
#include "engine/policies.hpp"

namespace capstan::commands {

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
