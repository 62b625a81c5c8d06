#include "simulator/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Notes the texts of the events that it is told.
struct EventLogTest : ::testing::Test, Observer {
    std::vector<std::string> observed;
    EventLog event_log{start, *this};

    void on_event(const Event& event) override { observed.push_back(event.text); }
    void note(const char* text) { event_log.add(start + 5min, EventKind::note, "", text); }
    std::vector<std::string> kept() {
        std::vector<std::string> out;
        for (const Event& event : event_log.events()) out.push_back(event.text);
        return out;
    }
};

TEST_F(EventLogTest, PassesEventsOnAndKeepsThem) {
    note("a");
    note("b");
    EXPECT_THAT(observed, ElementsAre("a", "b"));
    EXPECT_THAT(kept(), ElementsAre("a", "b"));
    EXPECT_EQ(event_log.events().front().at, 5min) << "since the start";
}

TEST_F(EventLogTest, HoldsEventsBackUntilTheyAreTaken) {
    note("before");
    event_log.hold();
    note("held 1");
    note("held 2");
    EXPECT_THAT(observed, ElementsAre("before"));
    std::vector<Event> held = event_log.take_held();
    ASSERT_EQ(held.size(), 2u);
    note("command");
    for (Event& event : held) event_log.add(std::move(event));
    EXPECT_THAT(observed, ElementsAre("before", "command", "held 1", "held 2"));
    EXPECT_EQ(kept(), observed);
    EXPECT_THAT(event_log.take_held(), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator
