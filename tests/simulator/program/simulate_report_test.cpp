#include "simulator/program/simulate_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace capstan::simulator::program {
namespace {

using namespace std::chrono_literals;

TEST(SimulateReport, PrintsAnEventWithItsReasonBelow) {
    std::ostringstream out;
    print_event(out, {.at = 70s,
                      .kind = simulator::EventKind::increase,
                      .text = "increase web by 2: 1 -> 3",
                      .because = "makes room for 4 pods"});
    EXPECT_EQ(out.str(),
              "1m10s     increase web by 2: 1 -> 3\n"
              "            makes room for 4 pods\n");
}

TEST(SimulateReport, PrintsTimesOfDayIfTheStartIsReal) {
    const Time start = time_from_unix_ns(std::int64_t{1'795'773'600} * 1'000'000'000);
    const simulator::Event event{.at = 26h, .text = "increase web by 2", .because = "2 pods"};
    std::ostringstream out;
    print_event(out, event, start);
    EXPECT_EQ(out.str(),
              "26h       2026-11-28T12:00:00Z  increase web by 2\n"
              "                                  2 pods\n");
    simulator::Report report{.start = start, .events = {event}};
    EXPECT_EQ(report_json(report).at("start").as_string(), "2026-11-27T10:00:00Z");
    EXPECT_EQ(report_json(report).at("events").at(0).at("time").as_string(),
              "2026-11-28T12:00:00Z");
    report.start.reset();
    EXPECT_FALSE(report_json(report).contains("start"));
    EXPECT_FALSE(report_json(report).at("events").at(0).as_object().contains("time"));
}

TEST(SimulateReport, TitleHasTheLimitOfADump) {
    simulator::Input input{.title = "cluster of d.json",
                           .start = time_from_unix_ns(0),
                           .start_because = "latest heartbeat of node n1",
                           .time_limit = 24h};
    const auto title = [&](std::optional<Duration> until) {
        std::ostringstream out;
        print_title(out, input, until);
        return out.str();
    };
    EXPECT_EQ(title({}),
              "cluster of d.json\n"
              "from 1970-01-01T00:00:00Z (latest heartbeat of node n1)\n"
              "for at most 24h; --until DURATION sets another time limit\n\n");
    EXPECT_EQ(title(2h),
              "cluster of d.json\n"
              "from 1970-01-01T00:00:00Z (latest heartbeat of node n1)\n"
              "for 2h\n\n");
    input = {.title = "a scenario"};
    EXPECT_EQ(title({}), "a scenario\n\n");
}

TEST(SimulateReport, PrintsARepeatedReasonOnlyInJson) {
    const simulator::Event event{.at = 70s,
                                 .kind = simulator::EventKind::eviction,
                                 .text = "1 pod is evicted from web-1",
                                 .because = "unneeded for 10m",
                                 .is_repeated = true};
    std::ostringstream out;
    print_event(out, event);
    EXPECT_EQ(out.str(), "1m10s     1 pod is evicted from web-1\n");
    simulator::Report report;
    report.events = {event};
    EXPECT_EQ(report_json(report).at("events").at(0).at("because").as_string(), "unneeded for 10m");
}

TEST(SimulateReport, PrintsOnlyDecisionsForManyPods) {
    simulator::Input input;
    input.steps.emplace_back();
    EXPECT_EQ(detail_for(input), Detail::everything);
    input.steps.front().actions.resize(1000);
    EXPECT_EQ(detail_for(input), Detail::decisions);
    EXPECT_FALSE(is_shown({.kind = simulator::EventKind::arrival}, Detail::decisions));
    EXPECT_TRUE(is_shown({.kind = simulator::EventKind::increase}, Detail::decisions));
}

TEST(SimulateReport, PrintsUnknownValuesInWordsAndAsNullInJson) {
    std::ostringstream out;
    const simulator::Report report;
    print_summary(out, report);
    EXPECT_NE(out.str().find("no pod was bound"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("unknown: a group has no price"), std::string::npos);
    const auto summary = report_json(report).at("summary").as_object();
    EXPECT_TRUE(summary.at("cost").is_null());
    EXPECT_TRUE(summary.at("pending_ms").as_object().at("p95").is_null());
}

TEST(ProgressBar, MeasuresTimeIfTheEndIsKnownAndStepsOtherwise) {
    EXPECT_EQ(bar_of({.at = 6h, .end = 24h, .nodes = 12, .pending = 1}),
              "[#####---------------]  25%  at 6h of 24h, 12 nodes, 1 pod pending");
    EXPECT_EQ(bar_of({.at = 6h, .step = 1, .steps = 2, .nodes = 1, .pending = 0}),
              "[##########----------]  50%  at 6h, 1 node, 0 pods pending");
    EXPECT_EQ(bar_of({.at = 30h, .end = 24h}).substr(0, 28), "[####################] 100% ");
}

TEST(ProgressBar, DrawsNothingWithoutATerminal) {
    std::ostringstream out;
    ProgressBar bar(out, false);
    bar.show({.at = 6h, .end = 24h});
    bar.clear();
    EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace capstan::simulator::program
