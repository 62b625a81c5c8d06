#include "repetition.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "aws_error.hpp"

namespace capstan::aws {
namespace {

constexpr const char* would_not_help = "it would not help";

}  // namespace

FailedAttempt judge_absence(const std::string& action, Error error) {
    FailedAttempt out;
    const bool was_lost = error.provider_code == "connection_lost";
    out.timed_out = error.code == ErrorCode::deadline;
    // An answer that is larger than was asked for is one that cannot be read.
    if (error.code == ErrorCode::quota) return judge_unreadable(action, std::move(error));
    if (out.timed_out || was_lost) {
        out.again = Again::if_safe;
    } else if (error.code == ErrorCode::busy || error.code == ErrorCode::unavailable) {
        // With a full queue of the host, and without a connection, nothing was sent.
        out.again = Again::always;
    }
    error.provider_code.clear();  // it is the host's word, not AWS's
    out.error = within(action, std::move(error));
    return out;
}

FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now) {
    const AwsErrorText text = read_aws_error(reply);
    FailedAttempt out;
    out.error = make_aws_error(action, reply, now);
    out.again = meaning_of(reply.status, text.code, text.message).again;
    return out;
}

FailedAttempt judge_unreadable(const std::string& action, Error error) {
    FailedAttempt out;
    out.again = Again::if_safe;
    error.code = ErrorCode::unavailable;
    out.error = within(action, std::move(error));
    return out;
}

std::string RepetitionBudget::find_end(const FailedAttempt& failed, Repeatable repeatable,
                                       int attempt, Duration wait,
                                       std::optional<Duration> time) const {
    if (failed.again == Again::no) return would_not_help;
    if (failed.again == Again::if_safe && repeatable != Repeatable::yes)
        return "it may have been carried out";
    if (attempt >= policy_.attempts) return "no more are made";
    if (left_ < (failed.timed_out ? policy_.timeout_cost : policy_.cost))
        return "too many requests fail";
    if (failed.error.retry_after > policy_.retry_after_max) return "it asks for a longer wait";
    if (time && wait >= *time) return "no time is left for another";
    return {};
}

Duration RepetitionBudget::delay_after(int attempt, double share,
                                       std::optional<Duration> advice) const {
    Duration most = policy_.delay;
    for (int n = 1; n < attempt && most < policy_.delay_max; ++n) most *= 2;
    most = std::min(most, policy_.delay_max);
    return std::max(share_of(most, share), advice.value_or(Duration::zero()));
}

int RepetitionBudget::pay(const FailedAttempt& failed) {
    const int cost = failed.timed_out ? policy_.timeout_cost : policy_.cost;
    left_ -= cost;
    return cost;
}

void RepetitionBudget::refund(int paid) {
    left_ = std::min(policy_.budget, left_ + std::max(policy_.refund, paid));
}

Error last_error(const FailedAttempt& failed, Repeatable repeatable, int attempts,
                 const std::string& end) {
    Error out = failed.error;
    if (failed.again == Again::if_safe && repeatable != Repeatable::yes)
        out.code = ErrorCode::deadline;
    if (attempts > 1 || end != would_not_help)
        out.message += " (after " + counted(attempts, "attempt") + "; " + end + ")";
    return out;
}

}  // namespace capstan::aws
