/// Repeated attempts of a request, for clouds whose errors say whether a request can be repeated.
///
/// RetryingClient decides by the HTTP status. Here the client of a cloud judges each failure by the
/// cloud's own error: a request that was refused before anything was done can be sent again even if
/// it is a change, and for other errors another attempt would not help. Each attempt may await
/// credentials.
///
///     AttemptBudget budget_{RetryPolicy()};                    // a member of the client
///     const auto attempt = [&]() { return send_once(call); };  // a Task<Attempt>
///     co_await make_attempts(host_, budget_, Repeatable::no, attempt);
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <capstan/retry.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Whether the same request can be sent again and may succeed a moment later.
enum class RepeatWhen : std::uint8_t {
    never,
    if_safe,  ///< the request may have been carried out: only if it can be sent twice
    always,   ///< the request was not carried out
};

/// An attempt without a usable reply.
struct FailedAttempt {
    Error error{};
    RepeatWhen again = RepeatWhen::never;
    bool timed_out = false;
};

/// The outcome of an attempt: success, or `failed`. With `is_corrected` the cause of the failure
/// has been removed, for example by new credentials: the next attempt follows at once and counts as
/// the same one, unless the request is Repeatable::never.
struct Attempt {
    std::optional<FailedAttempt> failed{};
    bool is_corrected = false;
};

/// The part `share` of a time; `share` is from 0 up to 1.
constexpr Duration share_of(Duration whole, double share) noexcept {
    return Duration(static_cast<std::int64_t>(static_cast<double>(whole.count()) * share));
}

/// The outcome for a success whose body could not be read, for the reason in `error`. `action` is
/// the cloud's name for the request.
inline FailedAttempt judge_unreadable(const std::string& action, Error error) {
    FailedAttempt out;
    out.again = RepeatWhen::if_safe;
    error.code = ErrorCode::unavailable;
    out.error = within(action, std::move(error));
    return out;
}

/// The outcome when the host has no reply; `error` is the host's.
inline FailedAttempt judge_no_reply(const std::string& action, Error error) {
    FailedAttempt out;
    const bool was_lost = error.provider_code == "connection_lost";
    const bool is_trusted = error.provider_code != "untrusted_certificate";
    out.timed_out = error.code == ErrorCode::deadline;
    // A reply that exceeds max_reply_bytes cannot be read.
    if (error.code == ErrorCode::quota) return judge_unreadable(action, std::move(error));
    if (out.timed_out || was_lost) {
        out.again = RepeatWhen::if_safe;
    } else if (error.code == ErrorCode::busy ||
               (error.code == ErrorCode::unavailable && is_trusted)) {
        // Nothing was sent: the host's queue was full, or there was no connection.
        out.again = RepeatWhen::always;
    }
    error.provider_code.clear();  // a code of the host, not of the cloud
    out.error = within(action, std::move(error));
    return out;
}

/// The error when there were no credentials, so nothing was sent. A time-out of the source of
/// credentials is `unavailable`, since the request cannot have been carried out. Most other errors
/// are `unauthenticated`: `not_found` for a missing credentials file, for example, would mean that
/// the request's object is gone.
inline Error unsent_error(const std::string& action, Error error) {
    switch (error.code) {
        case ErrorCode::deadline: error.code = ErrorCode::unavailable; break;
        case ErrorCode::unavailable:
        case ErrorCode::throttled:
        case ErrorCode::cancelled:
        case ErrorCode::busy:
        case ErrorCode::internal: break;
        default: error.code = ErrorCode::unauthenticated;
    }
    return within(action, std::move(error));
}

/// [strand] The retry budget that all requests of a client share. It follows a RetryPolicy, but
/// ignores its `statuses`, `errors` and `also`.
class AttemptBudget {
public:
    explicit AttemptBudget(RetryPolicy policy)
        : policy_(std::move(policy)), left_(policy_.budget) {}

    /// Why no other attempt follows the failed `attempt` (the first one is 1); empty: another one
    /// follows. `time` is the time that the operation has left.
    std::string find_end(const FailedAttempt& failed, Repeatable repeatable, int attempt,
                         Duration wait, std::optional<Duration> time) const {
        if (failed.again == RepeatWhen::never) return would_not_help;
        if (repeatable == Repeatable::never) return "not sent twice";
        if (failed.again == RepeatWhen::if_safe && repeatable != Repeatable::yes)
            return "it may have taken effect";
        if (attempt >= policy_.attempts) return "attempt limit reached";
        if (left_ < (failed.timed_out ? policy_.timeout_cost : policy_.cost))
            return "retry budget used up";
        if (failed.error.retry_after > policy_.retry_after_max)
            return "the requested wait is too long";
        if (time && wait >= *time) return "no time left for another attempt";
        return {};
    }
    /// How long to wait after the failed `attempt`: a random `share`, from 0 up to 1, of a time
    /// that doubles, and at least as long as the cloud asks.
    Duration delay_after(int attempt, double share, std::optional<Duration> advice) const {
        Duration most = policy_.delay;
        for (int n = 1; n < attempt && most < policy_.delay_max; ++n) most *= 2;
        most = std::min(most, policy_.delay_max);
        return std::max(share_of(most, share), advice.value_or(Duration::zero()));
    }
    /// Takes the cost of a repetition from the budget, and returns the cost. After a success
    /// `refund` gives back the cost of the last repetition, or RetryPolicy::refund if that is more.
    int pay(const FailedAttempt& failed) {
        const int cost = failed.timed_out ? policy_.timeout_cost : policy_.cost;
        left_ -= cost;
        return cost;
    }
    void refund(int paid) {
        left_ = std::min(policy_.budget, left_ + std::max(policy_.refund, paid));
    }
    int left() const noexcept { return left_; }

    /// The error of a request's last attempt, with the number of attempts and why there is no
    /// further one. The code is `deadline` for a change that may have been carried out.
    static Error last_error(const FailedAttempt& failed, Repeatable repeatable, int attempts,
                            const std::string& end) {
        Error out = failed.error;
        if (failed.again == RepeatWhen::if_safe && repeatable != Repeatable::yes)
            out.code = ErrorCode::deadline;
        if (attempts > 1 || end != would_not_help)
            out.message += " (after " + counted(attempts, "attempt") + "; " + end + ")";
        return out;
    }

private:
    static constexpr const char* would_not_help = "not retryable";
    RetryPolicy policy_;
    int left_;
};

/// Repeats the request until it succeeds or find_end gives a reason to end. Then it throws a
/// Failure with the error of the last attempt. The budget must outlive the task.
inline Task<void> make_attempts(Host host, AttemptBudget& budget, Repeatable repeatable,
                                std::function<Task<Attempt>()> make) {
    int paid = 0;
    for (int attempt = 1;;) {
        Attempt made = co_await make();
        if (!made.failed) {
            budget.refund(paid);
            co_return;
        }
        if (made.is_corrected) {
            if (repeatable != Repeatable::never) continue;
            // The caller's next attempt will have the missing part.
            made.failed->error.code = ErrorCode::unavailable;
        }
        const std::optional<Duration> time = co_await time_left(host);
        const Duration wait =
            budget.delay_after(attempt, host.random_share(), made.failed->error.retry_after);
        const std::string end = budget.find_end(*made.failed, repeatable, attempt, wait, time);
        if (!end.empty())
            throw Failure(AttemptBudget::last_error(*made.failed, repeatable, attempt, end));
        paid = budget.pay(*made.failed);
        ++attempt;
        co_await sleep_for(host, wait);
    }
}

CAPSTAN_NAMESPACE_END
