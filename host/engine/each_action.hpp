/// The one walk over a decision's actions, and what each is about. What tells of a decision (log,
/// events, story, JSON, metrics) is a visitor of it.
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

/// What an action is about, as values. What does not apply is empty.
struct ActionFacts {
    std::string_view action{};  ///< "increase", the same for all of a kind
    std::string group{};
    std::string node{};  ///< of several the first, then those after it: "n1,n2"
    std::string pod{};   ///< "shop/web-1"
    int delta = 0;       ///< machines that the group is to have more or fewer of
    bool operator==(const ActionFacts&) const = default;
};

/// What became of an action: errors by machine for a removal, at most one for any other.
struct ActionResult {
    bool is_known = false;  ///< false: it was not carried out, as in a dry run
    std::span<const Error> errors{};
    const Error* shortfall = nullptr;  ///< of an increase that is done in part; NULL: in full
    int agreed = 0;                    ///< machines, of an increase that is done

    bool is_done() const noexcept { return is_known && errors.empty(); }
    /// NULL: there is none.
    const Error* error() const noexcept { return errors.empty() ? nullptr : &errors.front(); }
    /// Why it did not come to all that was asked for; NULL: it did.
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
    return {true, results[at] ? std::span(&*results[at], 1) : std::span<const Error>()};
}
inline ActionResult result_at(const std::vector<std::vector<Error>>& results, std::size_t at) {
    return at < results.size() ? ActionResult{true, results[at]} : ActionResult{};
}

/// As find_error of actions.hpp.
inline const Error* find_error(std::span<const Error> removal, const MachineId& machine) noexcept {
    for (const Error& error : removal)
        if (error.subject.empty() || error.subject == machine.value()) return &error;
    return nullptr;
}

/// Calls `visit(action, result)` for each action, kind by kind in the order in which Decision has
/// them, each kind in its own. A result borrows from `results`.
template <class Visitor>
void for_each_action(const Decision& decision, const Results& results, Visitor&& visit) {
    const auto walk = [&](const auto& actions, const auto& became) {
        for (std::size_t i = 0; i < actions.size(); ++i) visit(actions[i], result_at(became, i));
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

/// The same for the actions of one kind alone.
template <class Action, class Visitor>
void for_each_action_of(const Decision& decision, const Results& results, Visitor&& visit) {
    for_each_action(decision, results, [&](const auto& action, const ActionResult& result) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(action)>, Action>)
            visit(action, result);
    });
}

/// One visitor of several functions, each for some kinds of action.
template <class... Functions>
struct Visitors : Functions... {
    using Functions::operator()...;
};

}  // namespace capstan::engine
