/// Visits the actions of a decision in order, each with its result; facts_of() describes an action
/// by values. The log, Events, the decision history, JSON and metrics are visitors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/actions.hpp"
#include "engine/decision.hpp"

namespace capstan::engine {

/// What an action is about, as values. A value that does not apply is empty.
struct ActionFacts {
    std::string_view action{};  ///< "increase", the same for all of a kind
    std::string group{};
    std::string node{};  ///< several are joined by commas: "n1,n2"
    std::string pod{};   ///< "shop/web-1"
    int delta = 0;       ///< machines requested for the group; negative: taken back or removed
    bool operator==(const ActionFacts&) const = default;
};

/// The result of an action: errors by machine for a removal, at most one error for any other.
struct ActionResult {
    bool is_known = false;  ///< false: the action was not carried out, as in a dry run
    std::span<const Error> errors{};
    const Error* shortfall = nullptr;  ///< why an increase is done in part; NULL: done in full
    int agreed = 0;                    ///< of a done increase: machines that the cloud agreed to

    bool is_done() const noexcept { return is_known && errors.empty(); }
    /// NULL: there is none.
    const Error* error() const noexcept { return errors.empty() ? nullptr : &errors.front(); }
    /// Why the action was not done in full; NULL: it was.
    const Error* refusal() const noexcept { return errors.empty() ? shortfall : &errors.front(); }
};

inline ActionFacts facts_of(const Decrease& decrease) {
    return {.action = "decrease", .group = decrease.group.value(), .delta = -decrease.by};
}
inline ActionFacts facts_of(const MachineRemoval& removal) {
    ActionFacts out{.action = "remove",
                    .group = removal.group.value(),
                    .delta = -static_cast<int>(removal.machines.size())};
    for (const std::string& node : removal.nodes)
        if (!node.empty()) out.node += (out.node.empty() ? "" : ",") + node;
    return out;
}
inline ActionFacts facts_of(const GroupCreation& creation) {
    return {.action = "create", .group = creation.group.value()};
}
inline ActionFacts facts_of(const GroupDeletion& deletion) {
    return {.action = "delete", .group = deletion.group.value()};
}
inline ActionFacts facts_of(const Increase& increase) {
    return {.action = "increase", .group = increase.group.value(), .delta = increase.by};
}
inline ActionFacts facts_of(const NodeChange& change) {
    return {.action = "change", .node = change.node};
}
inline ActionFacts facts_of(const Eviction& eviction) {
    return {.action = "evict", .node = eviction.node, .pod = eviction.ns + "/" + eviction.pod};
}

/// "change node n1"
inline std::string command_of(const NodeChange& change) { return "change node " + change.node; }

inline ActionResult result_at(const std::vector<std::optional<Error>>& results, std::size_t at) {
    if (at >= results.size()) return {};
    const std::optional<Error>& error = results[at];
    return {true, error ? std::span(&*error, 1) : std::span<const Error>()};
}
inline ActionResult result_at(const std::vector<std::vector<Error>>& results, std::size_t at) {
    return at < results.size() ? ActionResult{true, results[at]} : ActionResult{};
}

/// The same as find_error of actions.hpp, for the errors of an ActionResult.
inline const Error* find_error(std::span<const Error> removal, const MachineId& machine) noexcept {
    for (const Error& error : removal)
        if (error.subject.empty() || error.subject == machine.value()) return &error;
    return nullptr;
}

/// Calls `visit(action, result)` for each action: kind by kind in the order of Decision's members,
/// within a kind in the order of its list. A result borrows from `results`.
template <class Visitor>
void for_each_action(const Decision& decision, const Results& results, Visitor&& visit) {
    const auto walk = [&](const auto& actions, const auto& outcomes) {
        for (std::size_t i = 0; i < actions.size(); ++i) visit(actions[i], result_at(outcomes, i));
    };
    walk(decision.decreases, results.decreases);
    walk(decision.removals, results.removals);
    walk(decision.creations, results.creations);
    for (std::size_t i = 0; i < decision.increases.size(); ++i) {
        ActionResult result = result_at(results.increases, i);
        result.shortfall = find_shortfall(results, i);
        if (result.is_done()) result.agreed = count_agreed(decision.increases[i], results, i);
        visit(decision.increases[i], result);
    }
    walk(decision.node_changes, results.node_changes);
    walk(decision.evictions, results.evictions);
    walk(decision.deletions, results.deletions);
}

/// The same as for_each_action, for the actions of one kind alone.
template <class Action, class Visitor>
void for_each_action_of(const Decision& decision, const Results& results, Visitor&& visit) {
    for_each_action(decision, results, [&](const auto& action, const ActionResult& result) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(action)>, Action>)
            visit(action, result);
    });
}

/// Whether the decision has an action on clouds or on the cluster.
inline bool asks_for_something(const Decision& decision) {
    bool asks = false;
    for_each_action(decision, {}, [&asks](const auto&, const ActionResult&) { asks = true; });
    return asks;
}

/// One visitor of several functions, each for some kinds of action.
template <class... Functions>
struct Visitors : Functions... {
    using Functions::operator()...;
};

}  // namespace capstan::engine
