#include "autoscaler/daemon/stuck_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/abi/cloud.h>
#include <capstan/abi/controller.h>

#include "plugin_runtime/services/metrics.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct StuckCallsTest : testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    plugin_runtime::services::Metrics metrics;
    std::vector<std::string> handed_over;
    int came_back = 0;
    bool leads = true;
    StuckCalls calls{loop,
                     metrics.registry(),
                     {.hand_over_after = 60s,
                      .hand_over =
                          [this](const std::string& because) {
                              if (leads) handed_over.push_back(because);
                              return leads;
                          },
                      .come_back = [this] { ++came_back; }}};

    static plugin_runtime::loop::HeldCall refresh_for(Duration lasts) {
        return {"aws", CAPSTAN_KIND_CLOUD, plugin_runtime::loop::Hook::refresh, lasts};
    }
};

TEST_F(StuckCallsTest, AreReportedInAMetric) {
    calls.look({refresh_for(7s)});
    EXPECT_THAT(metrics.text(),
                HasSubstr("capstan_plugin_stuck_seconds{hook=\"refresh\",plugin=\"aws\"} 7"));
    calls.look({});
    EXPECT_THAT(metrics.text(), Not(HasSubstr("capstan_plugin_stuck_seconds{")));
}

TEST_F(StuckCallsTest, HandTheLeaseOverUntilTheThreadReturns) {
    calls.look({refresh_for(59s)});
    EXPECT_THAT(handed_over, IsEmpty());
    calls.look({refresh_for(60s)});
    EXPECT_THAT(handed_over, ElementsAre("plugin aws: refresh has blocked its thread for 1m"));
    EXPECT_EQ(came_back, 0);
    calls.look({});
    EXPECT_EQ(came_back, 1);
    calls.look({});
    EXPECT_EQ(came_back, 1);
}

TEST_F(StuckCallsTest, HandTheLeaseOverAtMostEveryTenMinutes) {
    calls.look({refresh_for(60s)});
    loop.advance(9min);
    calls.look({refresh_for(10min)});
    EXPECT_THAT(handed_over, testing::SizeIs(1)) << "if all hosts are affected, one must lead";
    loop.advance(1min);
    calls.look({refresh_for(11min)});
    EXPECT_THAT(handed_over, testing::SizeIs(2));
}

TEST_F(StuckCallsTest, AreIgnoredWithoutLeadership) {
    leads = false;
    calls.look({refresh_for(60s)});
    leads = true;
    calls.look({refresh_for(61s)});
    EXPECT_THAT(handed_over, testing::SizeIs(1)) << "it was not handed over before";
}

TEST_F(StuckCallsTest, AreIgnoredForControllers) {
    calls.look({{"balancer", CAPSTAN_KIND_CONTROLLER, plugin_runtime::loop::Hook::reconcile, 1h}});
    EXPECT_THAT(handed_over, IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
