/// Which failed attempts of a request to AWS are followed by another one, and when.
///
/// Unlike RetryingClient this knows from AWS's code that a request was refused before anything was
/// done, so a change may be sent again, too, and it knows from a lost connection that it may not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <capstan/retry.hpp>

#include "error_codes.hpp"

namespace capstan::aws {

/// `share` of a time, from 0 up to 1.
constexpr Duration share_of(Duration whole, double share) noexcept {
    return Duration(static_cast<std::int64_t>(static_cast<double>(whole.count()) * share));
}

/// An attempt without an answer.
struct FailedAttempt {
    Error error{};
    Again again = Again::no;
    bool timed_out = false;
};

/// No reply came: what the host says of it.
FailedAttempt judge_absence(const std::string& action, Error error);
/// A reply that is no success.
FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now);
/// A success whose body could not be read, for the reason in `error`.
FailedAttempt judge_unreadable(const std::string& action, Error error);

/// [strand] The budget of all requests of a client, as RetryPolicy has it.
class RepetitionBudget {
public:
    explicit RepetitionBudget(RetryPolicy policy)
        : policy_(std::move(policy)), left_(policy_.budget) {}

    /// Why no other attempt follows the failed `attempt`, the first being 1; empty: one does.
    /// `time` is what the operation has left.
    std::string find_end(const FailedAttempt& failed, Repeatable repeatable, int attempt,
                         Duration wait, std::optional<Duration> time) const;
    /// How long to wait after the failed `attempt`: a share of a time that doubles, and no shorter
    /// than AWS asks. `share` is from 0 up to 1.
    Duration delay_after(int attempt, double share, std::optional<Duration> advice) const;
    /// What a repetition costs is taken; a success gives back what its request has paid.
    int pay(const FailedAttempt& failed);
    void refund(int paid);
    int left() const noexcept { return left_; }

private:
    RetryPolicy policy_;
    int left_;
};

/// The error of a request's last attempt: how many there were, and why there is no other. Of a
/// change that may have been carried out it is `deadline`.
Error last_error(const FailedAttempt& failed, Repeatable repeatable, int attempts,
                 const std::string& end);

}  // namespace capstan::aws
