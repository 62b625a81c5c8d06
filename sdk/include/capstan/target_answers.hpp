/// The answers of a cloud to changes of targets, kept until the cloud's lists show them.
///
/// Some clouds list the old target for a while after they have agreed to a new one. When the plugin
/// compared Resize::expected_target with such a list alone, it would refuse the host's next
/// request, or make machines twice. So this class keeps the last agreed target of each group, and
/// counts with the larger of it and the list's target. Removals work the other way: the list may
/// still have the removed machines, so their number is subtracted. A list that was asked for after
/// an answer, and shows it, ends the need for it.
///
///     TargetAnswers answers_;                            // a member
///     const int listed = co_await read_target(request.group);
///     if (answers_.is_repeat(request, goal, listed)) co_return Resized{goal};
///     if (!answers_.suits(request, listed)) co_return fail(ErrorCode::conflict, "...");
///     answers_.begin(request);
///     co_await set_target(request.group, goal);
///     answers_.agree(request, goal);
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include <capstan/cloud_view.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] For clouds with lists that lag behind answers, and without idempotency keys of their
/// own. Resize::expected_target has the rule.
class TargetAnswers {
public:
    /// Whether `expected_target` of the request is the listed target or the one agreed to last,
    /// with or without the machines whose removal was agreed to since. Otherwise it is a conflict.
    bool suits(const Resize& request, int listed) const {
        if (request.expected_target == listed) return true;
        if (request.expected_target == counted(request.group, listed)) return true;
        const auto at = by_group_.find(request.group);
        return at != by_group_.end() && request.expected_target == listed - at->second.removed;
    }
    /// The group's target, with changes that were agreed to and are not listed yet.
    int counted(const NodeGroupId& group, int listed) const {
        const auto at = by_group_.find(group);
        if (at == by_group_.end()) return listed;
        const int left = listed - at->second.removed;
        return at->second.counts ? std::max(at->second.target, left) : left;
    }
    /// Whether a request with the same key was made before, and had its effect: it was answered, or
    /// it ended without an answer and the list shows its `goal` now.
    bool is_repeat(const Resize& request, int goal, int listed) const {
        const auto at = by_group_.find(request.group);
        if (request.idempotency_key.empty() || at == by_group_.end() ||
            at->second.key != request.idempotency_key)
            return false;
        return at->second.is_answered || goal == listed;
    }
    /// Called before the request is sent: it may be carried out although no answer comes.
    void begin(const Resize& request) {
        Answer& answer = by_group_[request.group];
        answer.key = request.idempotency_key;
        answer.is_answered = false;
    }
    /// Called when the cloud has agreed to the request, with the new target.
    void agree(const Resize& request, int target) {
        Answer& answer = by_group_[request.group];
        answer.key = request.idempotency_key;
        answer.is_answered = true;
        answer.counts = true;
        answer.target = target;
        answer.at = moment();
        answer.listed_before += target - request.expected_target;
    }
    /// Called when the cloud has agreed to remove `by` machines; `listed` is the listed target
    /// before.
    void lower(const NodeGroupId& group, int by, int listed) {
        const int before = counted(group, listed);
        Answer& answer = by_group_[group];
        if (answer.removed == 0) answer.listed_before = before;
        answer.removed += by;
        answer.removed_at = moment();
        answer.target = std::max(0, answer.target - by);
    }

    /// Called when the list shows all removals although its target is no lower, because something
    /// else has raised the target.
    void forget_removals(const NodeGroupId& group) {
        const auto at = by_group_.find(group);
        if (at != by_group_.end()) at->second.removed = 0;
    }

    /// A logical time, later than all before; see `see`.
    std::uint64_t moment() noexcept { return ++clock_; }
    /// Called with each listed target. `asked_at` is the `moment()` before the list was asked for:
    /// a list may show only answers that were given before.
    void see(const NodeGroupId& group, int listed, std::uint64_t asked_at) {
        const auto at = by_group_.find(group);
        if (at == by_group_.end()) return;
        Answer& answer = at->second;
        if (answer.at < asked_at && listed >= answer.target) answer.counts = false;
        if (answer.removed_at < asked_at && listed <= answer.listed_before - answer.removed)
            answer.removed = 0;
    }

private:
    struct Answer {
        std::string key{};  ///< of the last request
        bool is_answered = false;
        bool counts = false;  ///< no list has shown `target` yet
        int target = 0;
        std::uint64_t at = 0;
        int removed = 0;        ///< removed machines that the list's target may still have
        int listed_before = 0;  ///< the listed target once all changes but the removals show
        std::uint64_t removed_at = 0;
    };
    std::map<NodeGroupId, Answer> by_group_{};
    std::uint64_t clock_ = 0;
};

CAPSTAN_NAMESPACE_END
