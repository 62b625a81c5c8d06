/// What clouds answered to increases, for as long as their lists do not show it.
///
/// A cloud's list may lag behind its answers: it agrees to three machines and lists none of them
/// for a while. A pass that believed the list would order them again. So the target that an
/// increase was answered with counts wherever the list shows less:
///
///     increase 0 -> 3, answered 3    the list says 0: 3 count, three machines are on their way
///     the list says 3                the list counts from now on, also when it falls again
///     a removal is agreed to         the machine counts as gone while list and target have it
///     one of the machines fails      2 count, likewise when we take it back or remove it
///     the provisioning time is over  the list counts
///
/// Passes follow each other: what a pass lists, its clouds were asked for after all answers that
/// it remembers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// How long the answer of a cloud may be out when the host that asked it is gone.
inline constexpr Duration answer_time = std::chrono::minutes(2);

/// Before an increase is asked for: it may be answered though this host never hears of it.
void expect_answer(Memory& memory, const Increase& increase, Time now);

/// After a decision was carried out: increases that were taken are answered, those that were cut
/// short may have been taken; decreases, removals and deletions lower what counts.
Memory remember_answers(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now);

/// At the start of a pass: forgets what `listed` shows and what has had its time, and lowers the
/// others by machines that have failed since the pass before.
Memory follow_answers(Memory memory, const Snapshot& listed, const Settings& settings, Time now);

/// `listed` with the targets that count: an answer where the list shows less, else the listed
/// target without machines that their cloud has agreed to remove and still lists. The same groups
/// where every listed target counts.
Snapshot with_answered_targets(const Snapshot& listed, const Memory& memory);

/// Whether a machine that its cloud has agreed to remove is listed as if nothing were.
bool is_still_listed(const NodeRemoval& removal, const std::vector<Group>& groups) noexcept;

/// What a group of with_answered_targets owes its target to; NULL: what its cloud lists.
const AnsweredTarget* find_counting_answer(const Memory& memory, const NodeGroup& group) noexcept;

/// Why another target counts than the list tells of a group, with both numbers; empty: the listed
/// one counts. `listed`: all groups.
std::string why_target_counts(const Group& group, const std::vector<Group>& listed,
                              const Memory& memory);
/// A sentence, with the group's name, for each group with an answer that counts.
std::vector<std::string> tell_answers(const Snapshot& listed, const Memory& memory);

/// When the next answer will have had its time, or `now` where one has; nothing: there is none.
std::optional<Time> next_answer_end(const Memory& memory, Time now) noexcept;

}  // namespace capstan::engine::health
