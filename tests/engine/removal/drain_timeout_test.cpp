// Three nodes with ten replicas each, and a budget that allows one disruption. An evicted replica
// runs again after 30s, so two minutes are not enough to drain a node.
#include <algorithm>
#include <set>

#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using enum RemovalPhase;

struct DrainTimeout : RemovalCase {
    std::set<Time> starting;  ///< when each evicted replica is running again
    std::size_t evicted = 0;

    DrainTimeout() {
        for (const char* name : {"n1", "n2", "n3"}) {
            node(name);
            for (int i = 0; i < 10; ++i) pod(std::string("web-") + name + std::to_string(i), name);
        }
    }
    void run_until(Time time) {
        pass({"n1"});
        while (now < time && memory.removals.contains("n1") && phase("n1") != removed) {
            const auto step = find_next_step(memory, settings, now);
            const Time wake = std::min(steps.wake_at.value_or(time), step.value_or(time));
            now = std::min(std::max(wake, now + 1s), time);
            std::erase_if(starting, [&](Time back) { return back <= now; });
            budget(starting.empty() ? 1 : 0);
            pass();
            for (std::size_t i = 0; i < steps.evictions.size(); ++i) starting.insert(now + 30s);
            evicted += steps.evictions.size();
            ASSERT_LE(starting.size(), 1u) << "the budget is respected";
        }
    }
};

TEST_F(DrainTimeout, IsTooShortWithTwoMinutes) {
    settings.scale_down.max_pod_eviction_time = 2min;
    run_until(noon + 1h);
    EXPECT_EQ(now, noon + 2min + 5s);
    EXPECT_EQ(evicted, 4u);
    EXPECT_FALSE(memory.removals.contains("n1"));
    EXPECT_EQ(memory.last.failed_removal, now);
    EXPECT_EQ(memory.last.removal, std::nullopt);
    EXPECT_FALSE(nodes.at("n1").unschedulable);
}

TEST_F(DrainTimeout, IsLongEnoughByDefault) {
    run_until(noon + 1h);
    EXPECT_EQ(evicted, 10u);
    EXPECT_EQ(phase("n1"), removed);
    EXPECT_LT(now, noon + 6min);
    EXPECT_EQ(memory.last.failed_removal, std::nullopt);
}

}  // namespace
}  // namespace capstan::engine::removal
