/// The actions of a decision that clouds are asked for, and access to their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/error.hpp>
#include <capstan/hash.hpp>
#include <capstan/ids.hpp>

#include "autoscaler/actions_under_way.hpp"
#include "engine/decision.hpp"
#include "engine/pass/outcome.hpp"
#include "engine/policies.hpp"

namespace capstan::autoscaler {

enum class CloudAction : std::uint8_t { decrease, removal, creation, increase, deletion };
/// One action of a decision that a cloud is asked for: its kind, and its index in the list of that
/// kind.
using ActionPlace = std::pair<CloudAction, std::size_t>;

/// The decreases, removals, creations, increases and deletions of `decision`, and nothing else of
/// it.
engine::Decision cloud_actions_of(const engine::Decision& decision);
NodeGroupId group_at(const engine::Decision& decision, const ActionPlace& place);
/// "increase web by 3".
std::string command_at(const engine::Decision& decision, const ActionPlace& place);
void set_error(engine::Results& results, const ActionPlace& place, const Error& error);
/// Results in which every action of the decision has that error, also actions that no cloud is
/// asked for.
engine::Results failed_results(const engine::Decision& decision, const Error& error);
/// A decision and results with this action alone.
ActionsUnderWay::Ended ended_action(const engine::Decision& decision,
                                    const engine::Results& results, const ActionPlace& place);

// The key by which a cloud recognizes a request that it has carried out already.

/// Two keys are equal only for the same kind of request with the same parts to the same cloud in
/// the same pass: a retry has the key of its first try, a later pass has another.
class IdempotencyKey {
public:
    IdempotencyKey(std::string_view kind, const PluginInstanceId& cloud, const NodeGroupId& group,
                   const engine::CallContext& call_context) {
        hash_.add(kind);
        hash_.add(cloud.value());
        hash_.add(group.value());
        hash_.add(unix_ns(call_context.now));
        hash_.add(static_cast<std::int64_t>(call_context.seed));
    }
    /// Adds a part that distinguishes this request from others. The order of the parts matters.
    template <class T>
    IdempotencyKey& with(const T& part) {
        hash_.add(part);
        return *this;
    }
    /// "capstan-" and 16 hexadecimal digits.
    std::string text() const { return "capstan-" + hex_text(hash_.value()); }

private:
    Hash hash_;
};

}  // namespace capstan::autoscaler
