#include "simulator/run_figures.hpp"

#include <gtest/gtest.h>

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

TEST(RunFigures, FormatTimesWithDaysFromTwoDaysOn) {
    EXPECT_EQ(clock_text(0s), "0s");
    EXPECT_EQ(clock_text(90s), "1m30s");
    EXPECT_EQ(clock_text(36h), "36h");
    EXPECT_EQ(clock_text(48h), "2d");
    EXPECT_EQ(clock_text(149 * 24h + 3h + 700ms), "149d3h");
}

TEST(RunFigures, NameUnknownValues) {
    EXPECT_EQ(figures_of(Summary()),
              (std::vector<Figure>{{"time", "0s, 0 passes"},
                                   {"pods", "0 arrived, 0 bound, 0 completed"},
                                   {"pending time", "no pod was bound"},
                                   {"nodes", "0 at the start, 0 at most, 0 at the end"},
                                   {"node hours", "0.00"},
                                   {"cost", "unknown: a group has no price"},
                                   {"used", "no nodes"}}));
}

TEST(RunFigures, SayWhyARunEndedEarly) {
    Report report;
    EXPECT_EQ(figures_of(report), figures_of(report.summary));
    report.end_because = "time limit of 24h reached";
    EXPECT_EQ(figures_of(report).back(), (Figure{"end", "time limit of 24h reached"}));
}

TEST(RunFigures, CountRecreatedPodsAmongArrivedPods) {
    Summary s;
    s.pods_arrived = 29;
    s.pods_recreated = 3;
    EXPECT_EQ(figures_of(s)[1].text, "29 arrived (3 recreated), 0 bound, 0 completed");
}

}  // namespace
}  // namespace capstan::simulator
