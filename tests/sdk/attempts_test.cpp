#include <capstan/attempts.hpp>

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/run_task.hpp>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using testing::FakeHost;
using testing::run;

FailedAttempt failed_with(RepeatWhen again, ErrorCode code = ErrorCode::unavailable) {
    return {.error = {code, "servers.list: m"}, .again = again};
}

FailedAttempt absent_with(ErrorCode code, std::string provider_code = {}) {
    return judge_no_reply("servers.list", Error{code, "m", std::move(provider_code)});
}

FailedAttempt unreadable() {
    return judge_unreadable("servers.list", {ErrorCode::invalid_argument, "the answer is cut"});
}

std::string end_of(const FailedAttempt& failed, Repeatable repeatable, int attempt = 1) {
    return AttemptBudget(RetryPolicy()).find_end(failed, repeatable, attempt, 1s, 1min);
}

TEST(Attempts, FailAsUnsentRequestsWithoutCredentials) {
    struct Case {
        ErrorCode of_the_search, of_the_request;
    };
    for (const Case& each :
         {Case{ErrorCode::deadline, ErrorCode::unavailable},
          Case{ErrorCode::unavailable, ErrorCode::unavailable},
          Case{ErrorCode::throttled, ErrorCode::throttled},
          Case{ErrorCode::cancelled, ErrorCode::cancelled}, Case{ErrorCode::busy, ErrorCode::busy},
          Case{ErrorCode::internal, ErrorCode::internal},
          Case{ErrorCode::not_found, ErrorCode::unauthenticated},
          Case{ErrorCode::out_of_capacity, ErrorCode::unauthenticated},
          Case{ErrorCode::invalid_config, ErrorCode::unauthenticated},
          Case{ErrorCode::permission, ErrorCode::unauthenticated}})
        EXPECT_EQ(unsent_error("servers.list", {each.of_the_search, "m"}),
                  (Error{each.of_the_request, "servers.list: m"}));
}

TEST(Attempts, RepeatAReadAfterTemporaryErrors) {
    for (const FailedAttempt& failed :
         {failed_with(RepeatWhen::always), failed_with(RepeatWhen::if_safe),
          absent_with(ErrorCode::deadline), absent_with(ErrorCode::unavailable),
          absent_with(ErrorCode::unavailable, "connection_lost"), absent_with(ErrorCode::busy),
          unreadable()})
        EXPECT_EQ(end_of(failed, Repeatable::yes), "") << failed.error.message;
}

TEST(Attempts, RepeatAChangeIfNothingWasDone) {
    for (const FailedAttempt& failed :
         {failed_with(RepeatWhen::always), absent_with(ErrorCode::unavailable),
          absent_with(ErrorCode::busy)})
        EXPECT_EQ(end_of(failed, Repeatable::no), "") << failed.error.message;
}

TEST(Attempts, DoNotRepeatAPossiblyAppliedChange) {
    for (const FailedAttempt& failed :
         {failed_with(RepeatWhen::if_safe), absent_with(ErrorCode::deadline),
          absent_with(ErrorCode::unavailable, "connection_lost"), unreadable()}) {
        const std::string end = end_of(failed, Repeatable::no);
        EXPECT_EQ(end, "it may have taken effect") << failed.error.message;
        const Error error = AttemptBudget::last_error(failed, Repeatable::no, 1, end);
        EXPECT_EQ(error.code, ErrorCode::deadline) << error.message;
        EXPECT_THAT(error.message, EndsWith("(after 1 attempt; it may have taken effect)"));
    }
}

TEST(Attempts, DoNotRepeatAfterPermanentErrors) {
    for (const FailedAttempt& failed :
         {failed_with(RepeatWhen::never), absent_with(ErrorCode::permission),
          absent_with(ErrorCode::cancelled),
          absent_with(ErrorCode::unavailable, "untrusted_certificate")}) {
        const std::string end = end_of(failed, Repeatable::yes);
        EXPECT_NE(end, "");
        EXPECT_EQ(AttemptBudget::last_error(failed, Repeatable::yes, 1, end), failed.error);
    }
}

TEST(Attempts, TreatAChangeWithATooLongResponseAsPossiblyApplied) {
    const FailedAttempt failed = absent_with(ErrorCode::quota);
    EXPECT_EQ(failed.error.code, ErrorCode::unavailable);
    EXPECT_EQ(end_of(failed, Repeatable::no), "it may have taken effect");
}

TEST(Attempts, ReportAnUnreadableResponseAsUnavailable) {
    EXPECT_EQ(unreadable().error,
              (Error{ErrorCode::unavailable, "servers.list: the answer is cut"}));
}

TEST(Attempts, DoNotReportHostCodesAsProviderCodes) {
    EXPECT_EQ(absent_with(ErrorCode::unavailable, "connection_lost").error.provider_code, "");
}

TEST(AttemptBudget, EndsAttemptsByNumberTimeAndBudget) {
    const FailedAttempt failed = failed_with(RepeatWhen::always);
    RetryPolicy policy;
    policy.budget = 12;
    AttemptBudget budget(policy);
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 3, 1s, 1min), "attempt limit reached");
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 2s, 2s),
              "no time left for another attempt");
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 2s, std::nullopt), "");
    budget.pay(failed);
    budget.pay(failed);
    EXPECT_EQ(budget.left(), 2);
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 1s, 1min), "retry budget used up");
    budget.refund(5);
    EXPECT_EQ(budget.find_end(failed, Repeatable::yes, 1, 1s, 1min), "");
}

TEST(AttemptBudget, RefundsWhatASuccessfulRequestPaidButAtLeastOne) {
    AttemptBudget budget{RetryPolicy()};
    const int paid = budget.pay(absent_with(ErrorCode::deadline));
    EXPECT_EQ(paid, 10);
    EXPECT_EQ(budget.left(), 490);
    budget.refund(0);
    EXPECT_EQ(budget.left(), 491);
    budget.refund(paid);
    EXPECT_EQ(budget.left(), 500);
}

TEST(AttemptBudget, WaitsARandomPartOfADoublingTimeUpToItsBound) {
    const AttemptBudget budget{RetryPolicy()};
    EXPECT_EQ(budget.delay_after(1, 0.5, std::nullopt), 500ms);
    EXPECT_EQ(budget.delay_after(2, 0.5, std::nullopt), 1s);
    EXPECT_EQ(budget.delay_after(3, 0.0, std::nullopt), 0s);
    EXPECT_EQ(budget.delay_after(60, 0.5, std::nullopt), 10s);
    EXPECT_EQ(budget.delay_after(1, 0.5, 7s), 7s);
}

TEST(AttemptBudget, EndsAttemptsIfRetryAfterIsTooLong) {
    FailedAttempt failed = failed_with(RepeatWhen::always);
    failed.error.retry_after = 1min;
    EXPECT_EQ(end_of(failed, Repeatable::yes), "the requested wait is too long");
}

TEST(ShareOfDuration, IsBetweenZeroAndAlmostAll) {
    EXPECT_EQ(share_of(10s, 0), 0s);
    EXPECT_EQ(share_of(10s, 0.25), 2500ms);
    EXPECT_LT(share_of(10s, 0.999), 10s);
}

/// A client whose first attempts have the results in `outcomes`, in order. Later attempts succeed.
struct AttemptClient {
    FakeHost host{};
    AttemptBudget budget{RetryPolicy()};
    std::vector<Attempt> outcomes{};
    std::vector<Duration> sent{};

    Task<Attempt> send_once() {
        const std::size_t n = sent.size();
        sent.push_back(host.monotonic());
        co_await sleep_for(host.host(), 100ms);
        co_return n < outcomes.size() ? outcomes[n] : Attempt();
    }
    Result<void> make(Repeatable repeatable = Repeatable::yes, Duration allowed = 10min) {
        return run(host,
                   make_attempts(host.host(), budget, repeatable, [this] { return send_once(); }),
                   allowed);
    }
};

Attempt with_failure(FailedAttempt failed) { return {.failed = std::move(failed)}; }

TEST(MakeAttempts, RepeatsUntilOneSucceeds) {
    AttemptClient a;
    a.outcomes = {with_failure(failed_with(RepeatWhen::always)), with_failure(unreadable())};
    EXPECT_TRUE(a.make());
    EXPECT_EQ(a.sent.size(), 3);
    EXPECT_EQ(a.budget.left(), 495) << "the cost of the last repetition is refunded";
}

TEST(MakeAttempts, StopsAfterTheFirstSuccess) {
    AttemptClient a;
    EXPECT_TRUE(a.make());
    EXPECT_EQ(a.sent.size(), 1);
    EXPECT_EQ(a.budget.left(), 500);
}

TEST(MakeAttempts, ReportsTheNumberOfAttemptsInTheLastError) {
    AttemptClient a;
    a.outcomes.assign(9, with_failure(failed_with(RepeatWhen::always, ErrorCode::throttled)));
    const auto made = a.make();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), (Error{ErrorCode::throttled,
                                   "servers.list: m (after 3 attempts; attempt limit reached)"}));
    EXPECT_EQ(a.sent.size(), 3);
}

TEST(MakeAttempts, SendsAPossiblyAppliedChangeOnce) {
    AttemptClient a;
    a.outcomes = {with_failure(failed_with(RepeatWhen::if_safe))};
    EXPECT_EQ(a.make(Repeatable::no).error().code, ErrorCode::deadline);
    EXPECT_EQ(a.sent.size(), 1);
}

TEST(MakeAttempts, HonorsRetryAfter) {
    AttemptClient a;
    FailedAttempt failed = failed_with(RepeatWhen::always);
    failed.error.retry_after = 7s;
    a.outcomes = {with_failure(failed)};
    ASSERT_TRUE(a.make());
    EXPECT_EQ(a.sent.at(1) - a.sent.at(0), 7s + 100ms);
}

TEST(MakeAttempts, StopsIfTheOperationHasNoTimeForAnotherAttempt) {
    AttemptClient a;
    FailedAttempt failed = failed_with(RepeatWhen::always);
    failed.error.retry_after = 7s;
    a.outcomes = {with_failure(failed)};
    EXPECT_THAT(a.make(Repeatable::yes, 5s).error().message,
                EndsWith("(after 1 attempt; no time left for another attempt)"));
}

TEST(MakeAttempts, RepeatsACorrectedAttemptAtOnceWithoutCost) {
    AttemptClient a;
    Attempt corrected = with_failure(failed_with(RepeatWhen::never, ErrorCode::unauthenticated));
    corrected.is_corrected = true;
    a.outcomes = {corrected, with_failure(failed_with(RepeatWhen::never))};
    EXPECT_EQ(a.make().error().message, "servers.list: m");
    EXPECT_EQ(a.sent.at(1) - a.sent.at(0), 100ms);
    EXPECT_EQ(a.budget.left(), 500);
}

TEST(MakeAttempts, StopsIfAnAttemptThrows) {
    FakeHost host;
    AttemptBudget budget{RetryPolicy()};
    const auto made =
        run(host, make_attempts(host.host(), budget, Repeatable::yes, [] {
                return fail_task<Attempt>({ErrorCode::unauthenticated, "there is no key"});
            }));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), (Error{ErrorCode::unauthenticated, "there is no key"}));
}

TEST(MakeAttempts, EndsWithTheInstance) {
    AttemptClient a;
    a.outcomes.assign(9, with_failure(failed_with(RepeatWhen::always)));
    EXPECT_EQ(a.make(Repeatable::yes, 50ms).error().code, ErrorCode::deadline);
    EXPECT_TRUE(a.host.stop());
    EXPECT_EQ(a.host.misuse(), testing::Misuse{});
    EXPECT_EQ(a.sent.size(), 1);
}

}  // namespace
}  // namespace capstan
