#include "autoscaler/daemon/watch_outage.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct FailureLogTest : ::testing::Test {
    std::vector<std::string> lines;  ///< without their time
    plugin_runtime::services::Logger log{
        {}, std::make_shared<io::ManualClock>(), [this](std::string_view line) {
            lines.emplace_back(line.substr(line.find(' ') + 1));
        }};
    FailureLog failures{
        log, {.source = "pass", .failed = "pass failed", .succeeded = "passes succeed again"}};

    void fail_at(Duration now, ErrorCode code = ErrorCode::unavailable) {
        failures.failed({code, "not synced for " + std::to_string(now / 1s) + "s"}, now);
    }
};

TEST_F(FailureLogTest, LogsARepeatedFailureOnce) {
    for (Duration now = 10s; now < 5min; now += 10s) fail_at(now);
    EXPECT_THAT(lines, ElementsAre("error pass: pass failed: not synced for 10s"));
}

TEST_F(FailureLogTest, RepeatsALastingFailureEveryFiveMinutes) {
    for (Duration now = 0s; now <= 11min; now += 10s) fail_at(now);
    EXPECT_THAT(lines, ElementsAre("error pass: pass failed: not synced for 0s",
                                   "error pass: pass failed: not synced for 300s (31 times in "
                                   "a row, for 5m)",
                                   "error pass: pass failed: not synced for 600s (61 times in "
                                   "a row, for 10m)"));
}

TEST_F(FailureLogTest, LogsAnotherErrorImmediately) {
    fail_at(0s);
    fail_at(10s, ErrorCode::internal);
    fail_at(20s);
    fail_at(30s, ErrorCode::internal);
    EXPECT_THAT(lines, ElementsAre("error pass: pass failed: not synced for 0s",
                                   "error pass: pass failed: not synced for 10s (2 times in a "
                                   "row, for 10s)"));
}

TEST_F(FailureLogTest, LogsTheEndOfAFailureOnce) {
    fail_at(0s);
    fail_at(10s);
    lines.clear();
    failures.succeeded(20s);
    failures.succeeded(30s);
    EXPECT_THAT(lines, ElementsAre("info  pass: passes succeed again, after 2 failures in 20s"));
    lines.clear();
    fail_at(40s);
    EXPECT_THAT(lines, ElementsAre("error pass: pass failed: not synced for 40s"));
}

TEST_F(FailureLogTest, LogsANewFailureAfterAnHourWithoutOne) {
    fail_at(0s);
    fail_at(10s);
    lines.clear();
    fail_at(1h);
    EXPECT_THAT(lines, ElementsAre("error pass: pass failed: not synced for 3600s"));
}

TEST_F(FailureLogTest, LogsNothingWithoutAFailure) {
    failures.succeeded(10s);
    EXPECT_THAT(lines, IsEmpty());
}

TEST_F(FailureLogTest, ForgetsAFailureIfAnotherHostLeads) {
    fail_at(0s);
    lines.clear();
    failures.forget();
    failures.succeeded(20s);
    EXPECT_THAT(lines, IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
