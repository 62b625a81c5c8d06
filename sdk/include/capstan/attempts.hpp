/// Attempts of a request whose failures its cloud explains.
///
/// Unlike RetryingClient this lets the cloud's own word decide: that a request was refused before
/// anything was done, so that a change may be sent again, too, or that another attempt would not
/// help. Each attempt may await credentials.
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

/// When the same request may succeed a moment later.
enum class RepeatWhen : std::uint8_t {
    never,
    if_safe,  ///< it may have been carried out: if it can be sent twice
    always,   ///< it was not carried out
};

/// An attempt without an answer that could be used.
struct FailedAttempt {
    Error error{};
    RepeatWhen again = RepeatWhen::never;
    bool timed_out = false;
};

/// What came of an attempt: nothing failed, or `failed`. With `is_corrected` the cause is mended,
/// as by other credentials: the next attempt follows at once and counts as the same one.
struct Attempt {
    std::optional<FailedAttempt> failed{};
    bool is_corrected = false;
};

/// `share` of a time, from 0 up to 1.
constexpr Duration share_of(Duration whole, double share) noexcept {
    return Duration(static_cast<std::int64_t>(static_cast<double>(whole.count()) * share));
}

/// A success whose body could not be read, for the reason in `error`. `action` is what the cloud
/// calls the request.
inline FailedAttempt judge_unreadable(const std::string& action, Error error) {
    FailedAttempt out;
    out.again = RepeatWhen::if_safe;
    error.code = ErrorCode::unavailable;
    out.error = within(action, std::move(error));
    return out;
}

/// No reply came: what the host says of it.
inline FailedAttempt judge_absence(const std::string& action, Error error) {
    FailedAttempt out;
    const bool was_lost = error.provider_code == "connection_lost";
    out.timed_out = error.code == ErrorCode::deadline;
    // An answer that is larger than was asked for is one that cannot be read.
    if (error.code == ErrorCode::quota) return judge_unreadable(action, std::move(error));
    if (out.timed_out || was_lost) {
        out.again = RepeatWhen::if_safe;
    } else if (error.code == ErrorCode::busy || error.code == ErrorCode::unavailable) {
        // With a full queue of the host, and without a connection, nothing was sent.
        out.again = RepeatWhen::always;
    }
    error.provider_code.clear();  // it is the host's word, not the cloud's
    out.error = within(action, std::move(error));
    return out;
}

/// There were no credentials, so nothing was sent: a time-out of their source leaves nothing open.
/// What the search for them lacks is nothing that the request is about: a file that is not there is
/// no group that is gone.
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

/// [strand] The budget of all requests of a client, as RetryPolicy has it; its `statuses`, `errors`
/// and `also` count for nothing.
class AttemptBudget {
public:
    explicit AttemptBudget(RetryPolicy policy)
        : policy_(std::move(policy)), left_(policy_.budget) {}

    /// Why no other attempt follows the failed `attempt`, the first being 1; empty: one does.
    /// `time` is what the operation has left.
    std::string find_end(const FailedAttempt& failed, Repeatable repeatable, int attempt,
                         Duration wait, std::optional<Duration> time) const {
        if (failed.again == RepeatWhen::never) return would_not_help;
        if (failed.again == RepeatWhen::if_safe && repeatable != Repeatable::yes)
            return "it may have been carried out";
        if (attempt >= policy_.attempts) return "no more are made";
        if (left_ < (failed.timed_out ? policy_.timeout_cost : policy_.cost))
            return "too many requests fail";
        if (failed.error.retry_after > policy_.retry_after_max) return "it asks for a longer wait";
        if (time && wait >= *time) return "no time is left for another";
        return {};
    }
    /// How long to wait after the failed `attempt`: a share of a time that doubles, and no shorter
    /// than the cloud asks. `share` is from 0 up to 1.
    Duration delay_after(int attempt, double share, std::optional<Duration> advice) const {
        Duration most = policy_.delay;
        for (int n = 1; n < attempt && most < policy_.delay_max; ++n) most *= 2;
        most = std::min(most, policy_.delay_max);
        return std::max(share_of(most, share), advice.value_or(Duration::zero()));
    }
    /// What a repetition costs is taken; a success gives back what its request has paid.
    int pay(const FailedAttempt& failed) {
        const int cost = failed.timed_out ? policy_.timeout_cost : policy_.cost;
        left_ -= cost;
        return cost;
    }
    void refund(int paid) {
        left_ = std::min(policy_.budget, left_ + std::max(policy_.refund, paid));
    }
    int left() const noexcept { return left_; }

    /// The error of a request's last attempt: how many there were, and why there is no other. Of a
    /// change that may have been carried out it is `deadline`.
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
    static constexpr const char* would_not_help = "it would not help";
    RetryPolicy policy_;
    int left_;
};

/// Attempts until one succeeds. A Failure has the error of the last one. The budget lives as long
/// as the task.
inline Task<void> make_attempts(Host host, AttemptBudget& budget, Repeatable repeatable,
                                std::function<Task<Attempt>()> make) {
    int paid = 0;
    for (int attempt = 1;;) {
        const Attempt made = co_await make();
        if (!made.failed) {
            budget.refund(paid);
            co_return;
        }
        if (made.is_corrected) continue;
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
