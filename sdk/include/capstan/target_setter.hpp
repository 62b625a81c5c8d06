/// Safe changes of a target, for clouds whose API sets an absolute number.
///
/// An absolute number is computed from a target that was read before. If another client, or the
/// cloud itself, has changed the group meanwhile, that number may terminate needed machines. So
/// every change reads the group, checks the request against it, and sets the number at most once.
/// The cloud may still apply a number whose outcome is unknown, even after a higher one, and would
/// then terminate machines. So for half a minute no other number is sent.
///
///     TargetSetter targets_{host};                                    // a member
///     const auto read = [&] { return read_group(request.group); };    // a Task<Current>
///     const auto set = [&](int target) { return set_target(request.group, target); };
///     co_return co_await targets_.increase(request, read, set);
///
/// Only the host remembers which target the cloud has accepted; it passes that as
/// Resize::expected_target.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <capstan/attempts.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/host.hpp>
#include <capstan/semaphore.hpp>
#include <capstan/sentence.hpp>
#include <capstan/task.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// [strand] Changes of a group are made one after the other. Must outlive its changes.
class TargetSetter {
public:
    /// The current state of a group in the cloud.
    struct Current {
        int target = 0;
        /// Machines that exist or are being created; the cloud terminates some of them if the
        /// target is lower. Absent: no change terminates machines.
        std::optional<int> machines{};
        std::optional<int> min{}, max{};
    };
    /// Called right before each `Set`.
    using Read = std::function<Task<Current>()>;
    /// Sends the target to the cloud once, without retries. The code of its Failure decides what
    /// follows. After `throttled` and `busy` the cloud has done nothing: the group is read and
    /// checked again before another attempt. After `deadline`, `unavailable` and `cancelled` the
    /// outcome is unknown: there is no other attempt, and if the request is repeated (same key) and
    /// the group has the target, it is done. Any other code means that the cloud has refused the
    /// request and done nothing.
    using Set = std::function<Task<Resized>(int target)>;

    explicit TargetSetter(const Host& host) : host_(host) {}

    /// Raises the target, in at most three attempts. A target that was sent less than half a minute
    /// ago with unknown outcome blocks every other target until the group is seen to have it: an
    /// increase to a higher target sends the blocking target again and reports the rest as a
    /// shortfall. Errors:
    ///   - `conflict`: the target is neither the expected nor the listed one, the new target would
    ///     be below the number of machines, or a sent target with unknown outcome blocks the new
    ///     one;
    ///   - `invalid_argument`: `delta` is below 1, or the new target would exceed the maximum;
    ///   - an error of `read` or `set`.
    Task<Resized> increase(Resize request, Read read, Set set) {
        return change(std::move(request), +1, std::move(read), std::move(set));
    }
    /// Lowers the target; see `increase`. `invalid_argument`: the new target would be
    /// below the minimum.
    Task<Resized> decrease(Resize request, Read read, Set set) {
        return change(std::move(request), -1, std::move(read), std::move(set));
    }
    /// For other changes of the group, which must not happen between a read and a set.
    Semaphore::Acquire lock(const NodeGroupId& group) { return lock_of(group).acquire(); }

private:
    /// The last request of a group.
    struct Last {
        std::string key{};
        std::optional<Resized> answer{};  ///< absent: the outcome is unknown
    };
    /// A target that the cloud may still set.
    struct Unanswered {
        int target = 0;
        Duration at{};  ///< by host.monotonic(): when the last attempt was given up
        /// Whether the request has taken effect if the group has this target: the group had another
        /// target before, and this one was sent once.
        bool is_seen_by_target = false;
    };

    /// How long a cloud may take to apply a request without a reply.
    static constexpr Duration late_max = std::chrono::seconds(30);
    static constexpr int most_attempts = 3;
    static constexpr Duration first_delay = std::chrono::milliseconds(500);

    Semaphore& lock_of(const NodeGroupId& group) {
        return locks_.try_emplace(group, host_, 1).first->second;
    }
    static Error refusal(const Resize& request, ErrorCode code, const std::string& why) {
        return {code, "group " + in_quotes(request.group.value()) + ": " + why};
    }
    static Unexpected refuse(const Resize& request, ErrorCode code, const std::string& why) {
        return fail(refusal(request, code, why));
    }

    Task<Resized> change(Resize request, int sign, Read read, Set set) {
        const std::int64_t goal =
            std::int64_t{request.expected_target} + std::int64_t{sign} * request.delta;
        if (request.delta < 1 || goal < 0 || goal > std::numeric_limits<int>::max())
            co_return refuse(request, ErrorCode::invalid_argument,
                             "a target of " + std::to_string(request.expected_target) +
                                 " cannot be changed by " + std::to_string(request.delta));
        const Semaphore::Permit permit = co_await lock(request.group);
        for (int attempt = 1;; ++attempt) {
            const Current now = co_await read();
            end_unanswered(request.group, now);
            if (std::optional<Resized> known = find_answer(request, static_cast<int>(goal), now))
                co_return *std::move(known);
            const Result<Resized> next = find_next(request, sign, static_cast<int>(goal), now);
            if (!next) co_return fail(next.error());
            Last& last = last_[request.group];
            last = {.key = request.idempotency_key};
            if (const auto open = unanswered_.find(request.group); open != unanswered_.end())
                open->second.is_seen_by_target = false;
            Result<Resized> answer = co_await as_result(set(next->target));
            if (answer) {
                if (!answer->shortfall) answer->shortfall = next->shortfall;
                last_[request.group].answer = *answer;
                co_return *std::move(answer);
            }
            if (is_outcome_open(answer.error())) {
                if (now.machines) note_unanswered(request.group, next->target, now.target);
            } else {
                // Nothing was done: the request may be repeated.
                last_.erase(request.group);
            }
            if (attempt == most_attempts || !may_try_again(answer.error()))
                co_return fail(std::move(answer).error());
            const std::optional<Duration> time = co_await time_left(host_);
            const Duration wait = delay_after(attempt, answer.error());
            if (time && wait >= *time) co_return fail(std::move(answer).error());
            co_await sleep_for(host_, wait);
        }
    }

    /// The result of the same request, if it was made before and took effect.
    std::optional<Resized> find_answer(const Resize& request, int goal, const Current& now) const {
        const auto at = last_.find(request.group);
        if (request.idempotency_key.empty() || at == last_.end() ||
            at->second.key != request.idempotency_key)
            return std::nullopt;
        if (at->second.answer) return at->second.answer;
        return now.target == goal ? std::optional(Resized{goal}) : std::nullopt;
    }

    void note_unanswered(const NodeGroupId& group, int target, int before) {
        const Unanswered first{.target = target, .is_seen_by_target = before != target};
        unanswered_.try_emplace(group, first).first->second.at = host_.monotonic();
    }
    void end_unanswered(const NodeGroupId& group, const Current& now) {
        const auto at = unanswered_.find(group);
        if (at == unanswered_.end()) return;
        const Unanswered& open = at->second;
        const bool is_done = open.is_seen_by_target && now.target == open.target;
        if (is_done || host_.monotonic() - open.at >= late_max) unanswered_.erase(at);
    }

    /// The target to set, with a shortfall if it is not the goal.
    Result<Resized> find_next(const Resize& request, int sign, int goal, const Current& now) const {
        Resized out{.target = goal};
        const auto open = unanswered_.find(request.group);
        if (now.machines && open != unanswered_.end() && goal != open->second.target) {
            const int target = open->second.target;
            Error why = refusal(request, ErrorCode::conflict,
                                "a target of " + std::to_string(goal) +
                                    " is postponed: " + std::to_string(target) +
                                    " was requested less than half a minute ago with unknown "
                                    "outcome and may still be applied");
            const bool may_grow_to_it =
                goal > target && target > now.target && target >= request.expected_target;
            if (sign < 0 || !may_grow_to_it) return fail(std::move(why));
            out = {.target = target, .shortfall = std::move(why)};
        }
        if (const auto checked = check(request, sign, out.target, now); !checked)
            return fail(checked.error());
        return out;
    }

    static Result<void> check(const Resize& request, int sign, int goal, const Current& now) {
        if (now.target != request.expected_target && now.target != request.listed_target)
            return refuse(request, ErrorCode::conflict,
                          "its target is " + std::to_string(now.target) + ", and " +
                              std::to_string(request.expected_target) + " was expected");
        const std::string wanted = "a target of " + std::to_string(goal) + " is ";
        if (sign > 0 && now.max && goal > *now.max)
            return refuse(request, ErrorCode::invalid_argument,
                          wanted + "above its maximum of " + std::to_string(*now.max));
        if (sign < 0 && now.min && goal < *now.min)
            return refuse(request, ErrorCode::invalid_argument,
                          wanted + "below its minimum of " + std::to_string(*now.min));
        if (now.machines && goal < *now.machines)
            return refuse(request, ErrorCode::conflict,
                          wanted + "below its " + counted(*now.machines, "machine") +
                              ", so the cloud might terminate some of them");
        return {};
    }

    static bool is_outcome_open(const Error& error) noexcept {
        return error.code == ErrorCode::deadline || error.code == ErrorCode::unavailable ||
               error.code == ErrorCode::cancelled;
    }
    static bool may_try_again(const Error& error) noexcept {
        return error.code == ErrorCode::throttled || error.code == ErrorCode::busy;
    }
    Duration delay_after(int attempt, const Error& error) const {
        const Duration most = first_delay * (1 << attempt);
        return std::max(share_of(most, host_.random_share()),
                        error.retry_after.value_or(Duration::zero()));
    }

    const Host host_;
    std::map<NodeGroupId, Semaphore> locks_{};  ///< one permit each
    std::map<NodeGroupId, Last> last_{};
    std::map<NodeGroupId, Unanswered> unanswered_{};
};

CAPSTAN_NAMESPACE_END
