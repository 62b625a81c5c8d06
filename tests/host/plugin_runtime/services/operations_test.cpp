#include "plugin_runtime/services/operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>

#include <boost/asio/io_context.hpp>

namespace capstan::plugin_runtime::services {
namespace {

using namespace std::chrono_literals;

struct OperationTableTest : testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    io::ManualLoop loop{io, clock};
    std::shared_ptr<loop::Strand> strand =
        std::make_shared<loop::Strand>(io, loop::Strand::Options{});
    std::atomic<int> late{0}, overdue{0};
    std::vector<std::string> misuse;
    std::shared_ptr<OperationTable> table = make_table();
    std::vector<Result<std::any>> ended;

    std::shared_ptr<OperationTable> make_table() {
        return std::make_shared<OperationTable>(
            loop, strand,
            OperationTable::Options{
                .max_open = 2,
                .on_late = [this] { ++late; },
                .on_overdue = [this] { ++overdue; },
                .on_cancel = {},
                .on_misuse = [this](const std::string& sentence) { misuse.push_back(sentence); }});
    }
    Operation number(Duration deadline = 10s) {
        return {.what = "resize",
                .result_type = CAPSTAN_RESULT_RESIZED,
                .deadline = loop.monotonic() + deadline,
                .from_abi = [](const void* result) -> Result<std::any> {
                    const int value = *static_cast<const int*>(result);
                    if (value < 0)
                        return fail(ErrorCode::internal, "target is " + std::to_string(value));
                    return std::any(value);
                },
                .done = [this](Result<std::any> result) { ended.push_back(std::move(result)); }};
    }
    capstan_op open() { return table->open(number()).value(); }
    const Error& error() {
        loop.settle();
        return ended.at(0).error();
    }
};

TEST_F(OperationTableTest, ReturnsACopyOfTheResult) {
    const capstan_op op = open();
    int result = 7;
    EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_RESIZED, &result), CAPSTAN_OK);
    result = 0;
    EXPECT_TRUE(ended.empty()) << "called inside complete";
    loop.settle();
    EXPECT_EQ(std::any_cast<int>(*ended.at(0)), 7);
    EXPECT_EQ(table->open_count(), 0u);
}

TEST_F(OperationTableTest, CountsAndIgnoresLateAndDoubleCompletions) {
    const int result = 7;
    const capstan_op op = open();
    table->complete(op, CAPSTAN_RESULT_RESIZED, &result);
    EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_RESIZED, &result), CAPSTAN_E_NOT_FOUND);
    const capstan_error error{sizeof error, CAPSTAN_E_INTERNAL, {}, {}, {}, -1, 0, 0};
    EXPECT_EQ(table->fail(op, &error), CAPSTAN_E_NOT_FOUND);
    loop.settle();
    EXPECT_EQ(ended.size(), 1u);
    EXPECT_EQ(late, 2);
}

TEST_F(OperationTableTest, RefusesAStaleIdOfAReusedSlot) {
    const int result = 7;
    const capstan_op stale = open();
    table->complete(stale, CAPSTAN_RESULT_RESIZED, &result);
    const capstan_op fresh = open();
    EXPECT_EQ(stale & 0xffffffff, fresh & 0xffffffff);
    EXPECT_EQ(table->complete(stale, CAPSTAN_RESULT_RESIZED, &result), CAPSTAN_E_NOT_FOUND);
    EXPECT_TRUE(table->is_cancelled(stale));
    EXPECT_FALSE(table->is_cancelled(fresh));
    EXPECT_EQ(table->deadline_of(stale), std::nullopt);
}

TEST_F(OperationTableTest, RefusesAnIdOfAnotherInstance) {
    const auto other = make_table();
    const capstan_op op = open();
    const capstan_op foreign = other->open(number()).value();
    EXPECT_EQ(table->complete(foreign, CAPSTAN_RESULT_NONE, nullptr), CAPSTAN_E_NOT_FOUND);
    EXPECT_EQ(table->open_count(), 1u);
    EXPECT_NE(op, foreign);
}

TEST_F(OperationTableTest, RefusesUnknownIds) {
    for (const capstan_op op :
         {capstan_op{0}, capstan_op{1}, ~capstan_op{0}, capstan_op{1} << 63}) {
        EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_NONE, nullptr), CAPSTAN_E_NOT_FOUND) << op;
    }
}

TEST_F(OperationTableTest, RefusesAResultOfAnotherType) {
    const int result = 7;
    EXPECT_EQ(table->complete(open(), CAPSTAN_RESULT_TEMPLATE, &result),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(error().code, ErrorCode::internal);
    EXPECT_EQ(error().message,
              "resize: the plugin completed with a result of type 4, expected type 2");
}

TEST_F(OperationTableTest, RefusesAMissingOrInvalidResult) {
    table->complete(open(), CAPSTAN_RESULT_RESIZED, nullptr);
    EXPECT_EQ(error().message, "resize: the plugin completed without a result");
    ended.clear();
    const int nonsense = -1;
    EXPECT_EQ(table->complete(open(), CAPSTAN_RESULT_RESIZED, &nonsense),
              CAPSTAN_E_INVALID_ARGUMENT);
    EXPECT_EQ(error().message, "resize: target is -1");
}

TEST_F(OperationTableTest, EndsWithTheStatusThatAFunctionReturned) {
    table->answered(open(), CAPSTAN_E_THROTTLED);
    EXPECT_EQ(error().code, ErrorCode::throttled);
    EXPECT_EQ(error().message, "resize returned throttled without an error message");
}

TEST_F(OperationTableTest, PrefersAReportedErrorToTheReturnedStatus) {
    const capstan_op op = open();
    const capstan_error reported{
        sizeof reported, CAPSTAN_E_QUOTA, str("no room"), str("QuotaExceeded"), {}, 500, 0, 0};
    table->fail(op, &reported);
    table->answered(op, CAPSTAN_E_QUOTA);
    EXPECT_EQ(error(),
              (Error{ErrorCode::quota, "resize: no room", "QuotaExceeded", "", Duration(500ms)}));
    EXPECT_EQ(late, 0);
}

TEST_F(OperationTableTest, MeasuresOperationsByHookAndResult) {
    std::vector<std::string> timed;
    table = std::make_shared<OperationTable>(
        loop, strand,
        OperationTable::Options{
            .max_open = 2,
            .on_late = {},
            .on_overdue = {},
            .on_cancel = {},
            .on_end = [&](loop::Hook hook, Duration took, const Error* error) {
                timed.push_back(std::string(loop::name_of(hook)) + " " + std::to_string(took / 1s) +
                                "s " + std::string(error ? name_of(error->code) : "ok"));
            }});
    const auto open_timed = [&](loop::Hook hook) {
        Operation operation = number();
        operation.hook = hook;
        return table->open(std::move(operation)).value();
    };
    const int target = 7;
    const capstan_op increase = open_timed(loop::Hook::increase);
    loop.advance(2s);
    table->complete(increase, CAPSTAN_RESULT_RESIZED, &target);
    const capstan_op remove = open_timed(loop::Hook::remove);
    loop.advance(1s);
    table->answered(remove, CAPSTAN_E_THROTTLED);
    open_timed(loop::Hook::refresh);
    loop.advance(1min);
    table->complete(open(), CAPSTAN_RESULT_RESIZED, &target);
    EXPECT_THAT(timed, testing::ElementsAre("increase 2s ok", "remove 1s throttled",
                                            "refresh 15s deadline"))
        << "the last one is not a hook call";
}

TEST_F(OperationTableTest, ReportsADoubleCompletionOnce) {
    const int target = 7;
    for (int i = 0; i < 3; ++i) {
        const capstan_op op = open();
        EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_RESIZED, &target), CAPSTAN_OK);
        EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_RESIZED, &target), CAPSTAN_E_NOT_FOUND);
    }
    EXPECT_THAT(misuse,
                testing::ElementsAre("resize: was completed twice; the first completion counts"));
    EXPECT_EQ(late, 3);
}

TEST_F(OperationTableTest, ReportsACompletionFollowedByAnErrorOnce) {
    const int target = 7;
    for (int i = 0; i < 2; ++i) {
        const capstan_op op = open();
        EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_RESIZED, &target), CAPSTAN_OK);
        table->answered(op, CAPSTAN_E_INTERNAL);
    }
    loop.settle();
    EXPECT_THAT(misuse, testing::ElementsAre("resize: was completed, and then its function "
                                             "returned internal; the completion counts"));
    EXPECT_EQ(std::any_cast<int>(*ended.at(1)), 7);
}

TEST_F(OperationTableTest, DoesNotReportALateCompletionAsMisuse) {
    const capstan_op op = open();
    loop.advance(1min);
    const int target = 7;
    table->complete(op, CAPSTAN_RESULT_RESIZED, &target);
    EXPECT_EQ(late, 1);
    EXPECT_THAT(misuse, testing::IsEmpty());
}

TEST_F(OperationTableTest, LimitsOpenOperations) {
    open();
    open();
    const auto third = table->open(number());
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, ErrorCode::busy);
    EXPECT_EQ(third.error().message, "resize: 2 calls are running, no more are allowed");
    Operation stop = number();
    stop.reserved = true;
    EXPECT_TRUE(table->open(std::move(stop)))
        << "a full table must not prevent an instance from stopping";
    table->close_all(0, {ErrorCode::cancelled, "end"});
}

TEST_F(OperationTableTest, CancelsAtTheDeadlineAndClosesAfterAGracePeriod) {
    const capstan_op op = open();
    static int cancellations = 0;
    cancellations = 0;
    table->on_cancel(op, [](void*, capstan_op) noexcept { ++cancellations; }, nullptr);
    loop.advance(9s);
    EXPECT_EQ(cancellations, 0);
    loop.advance(1s);
    EXPECT_EQ(cancellations, 1);
    EXPECT_TRUE(table->is_cancelled(op));
    EXPECT_TRUE(ended.empty()) << "the grace period has just begun";
    loop.advance(5s);
    EXPECT_EQ(error().code, ErrorCode::deadline);
    EXPECT_EQ(overdue, 1);
    EXPECT_EQ(cancellations, 1);
    EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_NONE, nullptr), CAPSTAN_E_NOT_FOUND);
}

TEST_F(OperationTableTest, AcceptsAResultWithinTheGracePeriod) {
    const capstan_op op = open();
    loop.advance(12s);
    const int result = 7;
    EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_RESIZED, &result), CAPSTAN_OK);
    loop.settle();
    EXPECT_TRUE(ended.at(0));
    EXPECT_EQ(overdue, 0);
}

TEST_F(OperationTableTest, CallsACancelFunctionThatIsSetAfterTheDeadlineImmediately) {
    const capstan_op op = open();
    loop.advance(10s);
    static int cancellations = 0;
    cancellations = 0;
    table->on_cancel(op, [](void*, capstan_op) noexcept { ++cancellations; }, nullptr);
    loop.settle();
    EXPECT_EQ(cancellations, 1);
}

TEST_F(OperationTableTest, CallsNoCancelFunctionAfterTheEnd) {
    const capstan_op op = open();
    static int cancellations = 0;
    cancellations = 0;
    table->on_cancel(op, [](void*, capstan_op) noexcept { ++cancellations; }, nullptr);
    table->cancel_all(0);  // posts the call
    const int result = 7;
    table->complete(op, CAPSTAN_RESULT_RESIZED, &result);
    loop.settle();
    EXPECT_EQ(cancellations, 0);
}

TEST_F(OperationTableTest, WaitsForARunningCancelFunctionWithoutBlockingTheLoop) {
    static std::binary_semaphore entered{0}, may_return{0};
    const auto other =
        std::make_shared<loop::Strand>(io, loop::Strand::Options{.has_thread = true});
    table = std::make_shared<OperationTable>(
        loop, other, OperationTable::Options{.on_late = {}, .on_overdue = {}, .on_cancel = {}});
    const capstan_op op = open();
    table->on_cancel(
        op,
        [](void*, capstan_op) noexcept {
            entered.release();
            may_return.acquire();
        },
        nullptr);
    table->cancel(op);
    entered.acquire();
    EXPECT_TRUE(table->end(op, {ErrorCode::deadline, "it took too long"}));
    loop.settle();
    EXPECT_TRUE(ended.empty()) << "its arguments are still in use";
    EXPECT_EQ(table->complete(op, CAPSTAN_RESULT_NONE, nullptr), CAPSTAN_E_NOT_FOUND);
    may_return.release();
    while (ended.empty()) loop.settle();
    EXPECT_EQ(ended.at(0).error().message, "resize: it took too long");
    EXPECT_EQ(table->open_count(), 0u);
}

TEST_F(OperationTableTest, DoesNotWaitForeverForACancelFunction) {
    static std::binary_semaphore entered{0}, may_return{0};
    const auto other =
        std::make_shared<loop::Strand>(io, loop::Strand::Options{.has_thread = true});
    table = std::make_shared<OperationTable>(
        loop, other, OperationTable::Options{.on_late = {}, .on_overdue = {}, .on_cancel = {}});
    const capstan_op op = open();
    table->on_cancel(
        op,
        [](void*, capstan_op) noexcept {
            entered.release();
            may_return.acquire();
        },
        nullptr);
    table->cancel(op);
    entered.acquire();
    table->end(op, {ErrorCode::deadline, "it took too long"});
    loop.advance(1s);
    EXPECT_EQ(error().code, ErrorCode::deadline);
    may_return.release();
}

TEST_F(OperationTableTest, AbandonsOperationsDespiteARunningCancelFunction) {
    static std::binary_semaphore entered{0}, may_return{0};
    const auto other =
        std::make_shared<loop::Strand>(io, loop::Strand::Options{.has_thread = true});
    table = std::make_shared<OperationTable>(
        loop, other, OperationTable::Options{.on_late = {}, .on_overdue = {}, .on_cancel = {}});
    const capstan_op op = open();
    table->on_cancel(
        op,
        [](void*, capstan_op) noexcept {
            entered.release();
            may_return.acquire();
        },
        nullptr);
    table->cancel(op);
    entered.acquire();
    table->abandon_all({ErrorCode::cancelled, "the instance was abandoned"});
    other->close();
    EXPECT_EQ(error().code, ErrorCode::cancelled);
    may_return.release();
}

TEST_F(OperationTableTest, AllowsACancelFunctionToEndItsOperation) {
    const capstan_op op = open();
    table->on_cancel(
        op,
        [](void* user, capstan_op self) noexcept {
            const capstan_error gone{
                sizeof gone, CAPSTAN_E_CANCELLED, str("gave up"), {}, {}, -1, 0, 0};
            static_cast<OperationTable*>(user)->fail(self, &gone);
        },
        table.get());
    loop.advance(10s);
    EXPECT_EQ(error().message, "resize: gave up");
}

TEST_F(OperationTableTest, ClosesAllButTheStopOperation) {
    const capstan_op stopping = open();
    open();
    table->close_all(stopping, {ErrorCode::cancelled, "the plugin is stopping"});
    EXPECT_EQ(error().message, "resize: the plugin is stopping");
    EXPECT_EQ(table->open_count(), 1u);
    table->close_all(0, {ErrorCode::cancelled, "end"});
}

TEST_F(OperationTableTest, LimitsAndEscapesErrorMessages) {
    const std::string flood = "bad\x1b[2J" + std::string(9000, 'a');
    const capstan_error error_with_flood{sizeof error_with_flood, 99, str(flood), {}, {}, -1, 0, 0};
    table->fail(open(), &error_with_flood);
    EXPECT_EQ(error().code, ErrorCode::internal) << "an unknown code";
    EXPECT_LT(error().message.size(), 4200u);
    EXPECT_THAT(error().message, testing::StartsWith("resize: bad\\x1b[2Jaaa"));
}

TEST_F(OperationTableTest, EndsOnceIfManyThreadsComplete) {
    for (int round = 0; round < 50; ++round) {
        const capstan_op op = open();
        std::atomic<int> accepted{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                const int result = 7;
                if (table->complete(op, CAPSTAN_RESULT_RESIZED, &result) == CAPSTAN_OK) ++accepted;
            });
        }
        table->cancel_all(0);
        for (std::thread& thread : threads) thread.join();
        loop.settle();
        EXPECT_EQ(accepted, 1);
    }
    EXPECT_EQ(ended.size(), 50u);
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
