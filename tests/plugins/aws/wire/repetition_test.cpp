#include "wire/repetition.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_http.hpp>

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using testing::reply;

FailedAttempt refused_with(int status, const std::string& code) {
    return judge_refusal(
        "ec2:A", reply(status, "<Error><Code>" + code + "</Code><Message>m</Message></Error>"), {});
}

FailedAttempt absent_with(ErrorCode code, std::string provider_code = {}) {
    return judge_absence("ec2:A", Error{code, "m", std::move(provider_code)});
}

std::string end_of(const FailedAttempt& failed, Repeatable repeatable, int attempt = 1) {
    return RepetitionBudget({}).find_end(failed, repeatable, attempt, 1s, 1min);
}

TEST(Repetition, OfAReadFollowsWhateverMayPass) {
    for (const FailedAttempt& failed :
         {refused_with(400, "Throttling"), refused_with(500, "InternalFailure"),
          refused_with(503, ""), absent_with(ErrorCode::deadline),
          absent_with(ErrorCode::unavailable),
          absent_with(ErrorCode::unavailable, "connection_lost"), absent_with(ErrorCode::busy),
          judge_unreadable("ec2:A", {ErrorCode::unavailable, "cut"})})
        EXPECT_EQ(end_of(failed, Repeatable::yes), "") << failed.error.message;
}

TEST(Repetition, OfAChangeFollowsWhereNothingWasDone) {
    for (const FailedAttempt& failed :
         {refused_with(400, "Throttling"), refused_with(503, "RequestLimitExceeded"),
          refused_with(500, "ResourceContention"), absent_with(ErrorCode::unavailable),
          absent_with(ErrorCode::busy)})
        EXPECT_EQ(end_of(failed, Repeatable::no), "") << failed.error.message;
}

TEST(Repetition, OfAChangeThatMayHaveBeenCarriedOutDoesNotFollow) {
    for (const FailedAttempt& failed :
         {refused_with(500, "InternalFailure"), refused_with(502, ""),
          absent_with(ErrorCode::deadline), absent_with(ErrorCode::unavailable, "connection_lost"),
          judge_unreadable("ec2:A", {ErrorCode::unavailable, "cut"})}) {
        const std::string end = end_of(failed, Repeatable::no);
        EXPECT_EQ(end, "it may have been carried out") << failed.error.message;
        const Error error = last_error(failed, Repeatable::no, 1, end);
        EXPECT_EQ(error.code, ErrorCode::deadline) << error.message;
        EXPECT_THAT(error.message, EndsWith("(after 1 attempt; it may have been carried out)"));
    }
}

TEST(Repetition, DoesNotFollowWhatWouldFailAgain) {
    for (const FailedAttempt& failed :
         {refused_with(400, "ValidationError"), refused_with(403, "AccessDenied"),
          refused_with(500, "InsufficientInstanceCapacity"), absent_with(ErrorCode::permission),
          absent_with(ErrorCode::cancelled)}) {
        const std::string end = end_of(failed, Repeatable::yes);
        EXPECT_NE(end, "");
        EXPECT_EQ(last_error(failed, Repeatable::yes, 1, end), failed.error);
    }
}

TEST(Repetition, AnAnswerBeyondTheLimitWasCarriedOut) {
    const FailedAttempt failed = absent_with(ErrorCode::quota);
    EXPECT_EQ(failed.error.code, ErrorCode::unavailable);
    EXPECT_EQ(end_of(failed, Repeatable::no), "it may have been carried out");
}

TEST(Repetition, TheHostsWordIsNoCodeOfAws) {
    EXPECT_EQ(absent_with(ErrorCode::unavailable, "connection_lost").error.provider_code, "");
}

TEST(Repetition, EndsWithTheAttemptsTheTimeAndTheBudget) {
    const FailedAttempt failed = refused_with(400, "Throttling");
    RetryPolicy policy;
    policy.budget = 12;
    RepetitionBudget budget(policy);
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 3, 1s, 1min), "no more are made");
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 2s, 2s), "no time is left for another");
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 2s, std::nullopt), "");
    budget.pay(failed);
    budget.pay(failed);
    EXPECT_EQ(budget.left(), 2);
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 1s, 1min), "too many requests fail");
    budget.refund(5);
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 1s, 1min), "");
}

TEST(Repetition, ASuccessGivesBackWhatItPaidAndOneMoreAtLeast) {
    RepetitionBudget budget({});
    const int paid = budget.pay(absent_with(ErrorCode::deadline));
    EXPECT_EQ(paid, 10);
    EXPECT_EQ(budget.left(), 490);
    budget.refund(0);
    EXPECT_EQ(budget.left(), 491);
    budget.refund(paid);
    EXPECT_EQ(budget.left(), 500);
}

TEST(Repetition, WaitsAShareOfATimeThatDoublesUpToItsBound) {
    const RepetitionBudget budget({});
    EXPECT_EQ(budget.delay_after(1, 0.5, std::nullopt), 500ms);
    EXPECT_EQ(budget.delay_after(2, 0.5, std::nullopt), 1s);
    EXPECT_EQ(budget.delay_after(3, 0.0, std::nullopt), 0s);
    EXPECT_EQ(budget.delay_after(60, 0.5, std::nullopt), 10s);
    EXPECT_EQ(budget.delay_after(1, 0.5, 7s), 7s);
}

TEST(Repetition, AnAdviceThatIsTooLongEndsIt) {
    FailedAttempt failed = refused_with(503, "Throttling");
    failed.error.retry_after = 1min;
    EXPECT_EQ(end_of(failed, Repeatable::yes), "it asks for a longer wait");
}

}  // namespace
}  // namespace capstan::aws
