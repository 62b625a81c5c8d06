#include "autoscaler/daemon/watch_outage.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan::autoscaler::daemon {
namespace {

using kubernetes::client::WatchFailure;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Watches that fail and recover, and the log lines about them.
struct WatchOutageTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    std::vector<std::string> lines;  ///< without their time
    plugin_runtime::services::Logger log{
        config::Log(), loop.clock(),
        [this](std::string_view line) { lines.emplace_back(line.substr(line.find(' ') + 1)); }};
    std::map<std::string, WatchFailure> failures;
    WatchOutage outage{loop, log, [this] {
                           std::vector<WatchFailure> out;
                           for (const auto& [kind, failure] : failures) out.push_back(failure);
                           return out;
                       }};

    void fail_watch(const std::string& kind, const std::string& message = "connection refused",
                    ErrorCode code = ErrorCode::unavailable, bool is_unavailable = false) {
        const Error error{code, message};
        failures[kind] = {kind, error, is_unavailable};
        outage.begin(kind, error);
    }
    std::vector<std::string> lines_within(Duration time) {
        loop.advance(time);
        return std::exchange(lines, {});
    }
};

TEST_F(WatchOutageTest, LogsOneLineForBeginAndEnd) {
    for (const char* kind : {"Pod", "Node", "Job"}) fail_watch(kind);
    EXPECT_THAT(lines_within(1s), ElementsAre("warn  kubernetes: watches of the API server fail: "
                                              "Job, Node, Pod: connection refused"));
    for (const char* kind : {"Pod", "Node", "Job"})
        fail_watch(kind, "forbidden", ErrorCode::permission);
    EXPECT_THAT(lines_within(31s), IsEmpty()) << "the same outage";
    failures.clear();
    EXPECT_THAT(lines_within(1min),
                ElementsAre("info  kubernetes: all watches work again after 32s"));
}

TEST_F(WatchOutageTest, GroupsKindsByError) {
    fail_watch("Pod");
    fail_watch("Node", "forbidden", ErrorCode::permission);
    fail_watch("Job");
    EXPECT_THAT(lines_within(1s), ElementsAre("warn  kubernetes: watches of the API server fail: "
                                              "Node: forbidden; Job, Pod: connection refused"));
}

TEST_F(WatchOutageTest, CombinesWatchesThatFailLater) {
    fail_watch("Pod");
    lines_within(1s);
    fail_watch("Node");
    loop.advance(5s);
    fail_watch("Job");
    EXPECT_THAT(lines_within(20s), IsEmpty());
    EXPECT_THAT(lines_within(5s),
                ElementsAre("warn  kubernetes: watches of the API server have "
                            "failed for 31s: Job, Node, Pod: connection refused"));
}

TEST_F(WatchOutageTest, RepeatsALastingOutageEveryFiveMinutes) {
    fail_watch("Pod");
    lines_within(1s);
    failures["Pod"].error = {ErrorCode::permission, "forbidden"};
    EXPECT_THAT(
        lines_within(5min),
        ElementsAre(
            "warn  kubernetes: watches of the API server have failed for 5m1s: Pod: forbidden"));
}

TEST_F(WatchOutageTest, ContinuesWhileWatchesFailAgainAtOnce) {
    fail_watch("Pod");
    lines_within(1s);
    for (int i = 0; i < 5; ++i) {
        failures.clear();
        EXPECT_THAT(lines_within(1s), IsEmpty());
        fail_watch("Pod");
        EXPECT_THAT(lines_within(1s), IsEmpty());
    }
}

TEST_F(WatchOutageTest, LogsABriefOutageOnce) {
    fail_watch("Pod");
    fail_watch("Node");
    failures.clear();
    EXPECT_THAT(lines_within(1min),
                ElementsAre("info  kubernetes: watches of the API server failed "
                            "briefly: Node, Pod: connection refused"));
}

TEST_F(WatchOutageTest, LogsAnUnsupportedKindOnce) {
    fail_watch("CSIStorageCapacity", "not found", ErrorCode::not_found, true);
    EXPECT_THAT(lines_within(1min),
                ElementsAre("warn  kubernetes: CSIStorageCapacity is not watched: not found"));
    fail_watch("CSIStorageCapacity", "not found", ErrorCode::not_found, true);
    EXPECT_THAT(lines_within(1min), IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
