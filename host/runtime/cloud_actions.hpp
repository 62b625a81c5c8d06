/// What a decision asks of clouds, action by action, and the results of its actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>

#include "engine/decision.hpp"
#include "runtime/actions_under_way.hpp"

namespace capstan::runtime {

enum class CloudAction : std::uint8_t { decrease, removal, creation, increase, deletion };
/// What clouds are asked for, by its place in the decision.
using ActionPlace = std::pair<CloudAction, std::size_t>;

/// A decision without its reasons.
engine::Decision cloud_actions_of(const engine::Decision& decision);
NodeGroupId group_at(const engine::Decision& decision, const ActionPlace& place);
/// "increase web by 3".
std::string command_at(const engine::Decision& decision, const ActionPlace& place);
void set_error(engine::Results& results, const ActionPlace& place, const Error& error);
/// Every action of the decision with that error, those that no cloud is asked for included.
engine::Results failed_results(const engine::Decision& decision, const Error& error);
/// The action alone, with its result.
ActionsUnderWay::Ended ended_action(const engine::Decision& decision,
                                    const engine::Results& results, const ActionPlace& place);

}  // namespace capstan::runtime
