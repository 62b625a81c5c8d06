/// Subjects that no single node can tell apart.
#pragma once

#include <vector>

#include "engine/scheduling/rules.hpp"

namespace capstan::engine {

/// By subject: the lowest that asks the same of a node by itself, by its requests and by every
/// predicate of one node alone. Other pods may still tell the two apart.
std::vector<Subject> find_alike(const Rules& rules);
/// The same where they may not: who looks at pods has no twin but itself.
std::vector<Subject> find_twins(const Rules& rules);

/// Whether all that other pods decide about the subject is its one wide constraint of spread: while
/// something is allowed in its place (Placement::allow), it is a matter of one node alone.
bool is_only_spread(const Rules& rules, Subject subject) noexcept;

/// Whether the node by itself would have the subject, were there room and no other pod.
bool is_welcome(const Rules& rules, Subject subject, NodeIndex node);

}  // namespace capstan::engine
