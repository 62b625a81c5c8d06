/// The targets in clouds' answers to increases, kept until the clouds' lists show them.
///
/// A cloud's list may lag behind its answers: it agrees to three machines and lists none of them
/// for a while. A pass that believed the list would order them again. So the target in the answer
/// to an increase counts as long as the list shows less:
///
///     increase 0 -> 3, answered 3    the list says 0: 3 count, three machines are upcoming
///     the list says 3                the list counts from now on, also when it falls again
///     a removal is agreed to         the machine counts as gone, even if list and target have it
///     one of the machines fails      2 count, likewise when we take it back or remove it
///     the cloud's lag is over        the list counts: another client has set the target
///     the provisioning time is over  the list counts, if the cloud does not state its lag
///
/// Passes follow each other: the lists of a pass were requested after all answers that its memory
/// has.
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

/// How long a call without a known answer may still take effect.
inline constexpr Duration answer_time = std::chrono::minutes(2);

/// Before an increase is requested: records it as possibly accepted, since the cloud may carry it
/// out even if its answer is lost.
void expect_answer(Memory& memory, const Increase& increase, Time now);

/// After a decision was carried out: records the answers of accepted increases, and increases
/// without an answer as possibly accepted. Decreases and removals lower the targets, and deletions
/// end them.
Memory remember_answers(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now);

/// At the start of a pass: forgets targets that `listed` shows and targets whose time is over, and
/// lowers the others by machines that have failed since the pass before.
Memory update_answered_targets(Memory memory, const Snapshot& listed, const Settings& settings,
                               Time now);

/// `listed` with the targets that count: the answered target if the list shows less, otherwise the
/// listed target without machines that their cloud has agreed to remove and still lists. Returns
/// the same groups if every listed target counts.
Snapshot with_answered_targets(const Snapshot& listed, const Memory& memory);

/// Sets the listed targets of the decision's increases and decreases. For a group that is to be
/// made, it is the target that the change was decided on.
void set_listed_targets(Decision& decision, const Snapshot& listed);

/// Whether the cloud has agreed to remove the machine and still lists it in its former state.
bool is_still_listed(const NodeRemoval& removal, const std::vector<Group>& groups) noexcept;

/// The answer from which a group of with_answered_targets has its target; NULL: the target is the
/// listed one. Borrows from `memory`.
const AnsweredTarget* find_counting_answer(const Memory& memory, const NodeGroup& group) noexcept;

/// The part of the group's target from increases whose answer is not known: they may have failed,
/// so this part does not count when machines are removed. `group`: of with_answered_targets.
int count_uncertain(const Memory& memory, const Group& group) noexcept;

/// Why another target counts for a group than the listed one, with both numbers; empty: the listed
/// target counts. `listed`: all groups as listed, `group` among them.
std::string why_target_counts(const Group& group, const std::vector<Group>& listed,
                              const Memory& memory);
/// A sentence, with the group's name, for each group with an answered target that counts.
std::vector<std::string> describe_answered_targets(const Snapshot& listed, const Memory& memory);

/// When the time of the next answer is over, or `now` if it is over for one; absent: there is no
/// answer.
std::optional<Time> next_answer_end(const Memory& memory, Time now) noexcept;

}  // namespace capstan::engine::health
