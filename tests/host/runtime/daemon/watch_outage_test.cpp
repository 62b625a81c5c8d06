#include "runtime/daemon/watch_outage.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace capstan::runtime::daemon {
namespace {

using kubernetes::client::WatchFailure;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Kinds that are lost and found, and what the log has of it.
struct Watches : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    std::vector<std::string> lines;  ///< without their time
    services::Logger log{config::Log(), loop.clock(), [this](std::string_view line) {
                             lines.emplace_back(line.substr(line.find(' ') + 1));
                         }};
    std::map<std::string, WatchFailure> troubles;
    WatchOutage outage{loop, log, [this] {
                           std::vector<WatchFailure> out;
                           for (const auto& [kind, trouble] : troubles) out.push_back(trouble);
                           return out;
                       }};

    void lose(const std::string& kind, const std::string& message = "connection refused",
              ErrorCode code = ErrorCode::unavailable, bool is_unavailable = false) {
        const Error error{code, message};
        troubles[kind] = {kind, error, is_unavailable};
        outage.begin(kind, error);
    }
    std::vector<std::string> told_within(Duration time) {
        loop.advance(time);
        return std::exchange(lines, {});
    }
};

TEST_F(Watches, AreToldOfInOneLineWhenTheyAreLostAndInOneWhenTheyAreBack) {
    for (const char* kind : {"Pod", "Node", "Job"}) lose(kind);
    EXPECT_THAT(told_within(1s), ElementsAre("warn  kubernetes: watches of the API server fail: "
                                             "Job, Node, Pod: connection refused"));
    for (const char* kind : {"Pod", "Node", "Job"}) lose(kind, "forbidden", ErrorCode::permission);
    EXPECT_THAT(told_within(31s), IsEmpty()) << "the same outage";
    troubles.clear();
    EXPECT_THAT(told_within(1min),
                ElementsAre("info  kubernetes: all watches work again after 32s"));
}

TEST_F(Watches, AreNamedByWhatIsWrongWithThem) {
    lose("Pod");
    lose("Node", "forbidden", ErrorCode::permission);
    lose("Job");
    EXPECT_THAT(told_within(1s), ElementsAre("warn  kubernetes: watches of the API server fail: "
                                             "Node: forbidden; Job, Pod: connection refused"));
}

TEST_F(Watches, ThatAreLostLaterAreToldOfTogether) {
    lose("Pod");
    told_within(1s);
    lose("Node");
    loop.advance(5s);
    lose("Job");
    EXPECT_THAT(told_within(20s), IsEmpty());
    EXPECT_THAT(told_within(5s), ElementsAre("warn  kubernetes: watches of the API server have "
                                             "failed for 31s: Job, Node, Pod: connection refused"));
}

TEST_F(Watches, ThatStayAwayAreToldOfEveryFiveMinutesAsItIsThen) {
    lose("Pod");
    told_within(1s);
    troubles["Pod"].error = {ErrorCode::permission, "forbidden"};
    EXPECT_THAT(
        told_within(5min),
        ElementsAre(
            "warn  kubernetes: watches of the API server have failed for 5m1s: Pod: forbidden"));
}

TEST_F(Watches, ThatOpenAndFailAtOnceEndNoOutage) {
    lose("Pod");
    told_within(1s);
    for (int i = 0; i < 5; ++i) {
        troubles.clear();
        EXPECT_THAT(told_within(1s), IsEmpty());
        lose("Pod");
        EXPECT_THAT(told_within(1s), IsEmpty());
    }
}

TEST_F(Watches, ThatAreLostForAMomentAreToldOfOnce) {
    lose("Pod");
    lose("Node");
    troubles.clear();
    EXPECT_THAT(told_within(1min), ElementsAre("info  kubernetes: watches of the API server failed "
                                               "briefly: Node, Pod: connection refused"));
}

TEST_F(Watches, OfAKindThatTheServerDoesNotHaveAreNoOutage) {
    lose("CSIStorageCapacity", "not found", ErrorCode::not_found, true);
    EXPECT_THAT(told_within(1min),
                ElementsAre("warn  kubernetes: CSIStorageCapacity is not watched: not found"));
    lose("CSIStorageCapacity", "not found", ErrorCode::not_found, true);
    EXPECT_THAT(told_within(1min), IsEmpty());
}

}  // namespace
}  // namespace capstan::runtime::daemon
