/// What a cloud has agreed to, until its lists show it.
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

/// [strand] For clouds that list the old target for a while after they have agreed to another one,
/// and that have no idempotency keys of their own. Resize::expected_target says what counts.
class TargetAnswers {
public:
    /// Whether the request was decided on the target that is listed, or on the one that was agreed
    /// to last, with or without the machines whose removal was agreed to since.
    bool suits(const Resize& request, int listed) const {
        if (request.expected_target == listed) return true;
        if (request.expected_target == counted(request.group, listed)) return true;
        const auto at = by_group_.find(request.group);
        return at != by_group_.end() && request.expected_target == listed - at->second.removed;
    }
    /// The target with what was agreed to and is not listed yet.
    int counted(const NodeGroupId& group, int listed) const {
        const auto at = by_group_.find(group);
        if (at == by_group_.end()) return listed;
        const int left = listed - at->second.removed;
        return at->second.counts ? std::max(at->second.target, left) : left;
    }
    /// Whether the request was made before: its answer was given, or it ended without one and the
    /// list shows its `goal` now.
    bool is_repeat(const Resize& request, int goal, int listed) const {
        const auto at = by_group_.find(request.group);
        if (request.idempotency_key.empty() || at == by_group_.end() ||
            at->second.key != request.idempotency_key)
            return false;
        return at->second.is_answered || goal == listed;
    }
    /// A request is on its way, and may be carried out without an answer.
    void begin(const Resize& request) {
        Answer& answer = by_group_[request.group];
        answer.key = request.idempotency_key;
        answer.is_answered = false;
    }
    void agree(const Resize& request, int target) {
        Answer& answer = by_group_[request.group];
        answer.key = request.idempotency_key;
        answer.is_answered = true;
        answer.counts = true;
        answer.target = target;
        answer.at = moment();
        answer.listed_before += target - request.expected_target;
    }
    /// Machines whose removal was agreed to; the list showed the target `listed` before.
    void lower(const NodeGroupId& group, int by, int listed) {
        const int before = counted(group, listed);
        Answer& answer = by_group_[group];
        if (answer.removed == 0) answer.listed_before = before;
        answer.removed += by;
        answer.removed_at = moment();
        answer.target = std::max(0, answer.target - by);
    }

    /// The list shows all removals by now, though not by a lower target: others have raised it.
    void forget_removals(const NodeGroupId& group) {
        const auto at = by_group_.find(group);
        if (at != by_group_.end()) at->second.removed = 0;
    }

    /// A moment to compare answers with.
    std::uint64_t moment() noexcept { return ++clock_; }
    /// A list that was asked for at that moment shows this target.
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
        bool counts = false;  ///< `target` is not seen in a list yet
        int target = 0;
        std::uint64_t at = 0;
        int removed = 0;        ///< machines, which the list's target may still have
        int listed_before = 0;  ///< what the list shows once it has all but the removals
        std::uint64_t removed_at = 0;
    };
    std::map<NodeGroupId, Answer> by_group_{};
    std::uint64_t clock_ = 0;
};

CAPSTAN_NAMESPACE_END
