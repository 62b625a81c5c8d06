#include "engine/health/requests.hpp"

#include <gmock/gmock.h>

#include "../world.hpp"
#include "engine/health/backoff.hpp"

namespace capstan::engine::health {
namespace {

/// Groups of m5.large in zone a; the one called "web" has found that there are none.
class Makes : public ::testing::Test {
protected:
    NodeTemplate& group(const std::string& id, int target = 0) {
        world.group(id, target);
        NodeTemplate& node = world.describe(id, amounts(4000));
        node.machine_type = "m5.large";
        node.zone = "a";
        return node;
    }
    void fail_web(ErrorCode code = ErrorCode::out_of_capacity) {
        group("web", 1);
        Machine& machine = world.machine("web", "i-1", MachineState::requested);
        machine.machine_type = "m5.large";
        machine.zone = "a";
        machine.error = Error{.code = code, .message = "none left"};
    }
    void look(Time now) {
        const Snapshot snapshot = world.snapshot();
        groups = snapshot.groups;
        memory = remember(std::move(memory), snapshot, templates::make_membership(snapshot),
                          settings, now);
    }
    const Backoff* backoff_of(const std::string& id, Time now) const {
        for (const Group& g : *groups) {
            if (g.group.id.value() == id) return find_backoff(memory, g, now);
        }
        return nullptr;
    }

    World world;
    Settings settings;
    Memory memory;
    std::shared_ptr<const std::vector<Group>> groups;
};

TEST_F(Makes, ThatOneGroupFoundExhaustedSpareOthersTheSame) {
    fail_web();
    group("same");
    group("other-type").machine_type = "m5.xlarge";
    group("other-zone").zone = "b";
    group("mixed").variants = 2;
    group("spot").labels["karpenter.sh/capacity-type"] = "spot";
    world.group("unknown", 0);
    look(noon);
    const Backoff* same = backoff_of("same", noon);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(why_backed_off(*same, noon),
              "backed off for 5m more: group web found no m5.large in zone a: none left");
    for (const char* id : {"other-type", "other-zone", "mixed", "spot", "unknown"}) {
        EXPECT_EQ(backoff_of(id, noon), nullptr) << id;
    }
    EXPECT_EQ(next_backoff_end(memory, noon), noon + 5min + 1ns);
    look(noon + 5min + 1ns);
    EXPECT_EQ(backoff_of("same", noon + 5min + 1ns), nullptr);
    EXPECT_TRUE(memory.offering_backoffs.empty());
}

TEST_F(Makes, LastAsLongAsTheGroupThatFoundOutIsBackedOff) {
    settings.backoff = BackoffPolicy::until_joined;
    fail_web();
    group("same");
    look(noon);
    look(noon + 24h);
    const Backoff* same = backoff_of("same", noon + 24h);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(why_backed_off(*same, noon + 24h),
              "backed off until a machine of group web joins: group web found no m5.large in zone "
              "a: none left");
    world = World();
    group("web", 1);
    group("same");
    world.node("i-1", "web");
    look(noon + 25h);
    EXPECT_EQ(backoff_of("same", noon + 25h), nullptr);
}

TEST_F(Makes, OtherErrorsAreTheGroupsOwn) {
    fail_web(ErrorCode::quota);
    group("same");
    look(noon);
    EXPECT_NE(backoff_of("web", noon), nullptr);
    EXPECT_EQ(backoff_of("same", noon), nullptr);
}

TEST_F(Makes, AreNotLookedAtWhereThatIsSwitchedOff) {
    settings.backoff_by_machine_type = false;
    memory.offering_backoffs[{.machine_type = "x", .zone = "y"}] = {};
    fail_web();
    group("same");
    look(noon);
    EXPECT_EQ(backoff_of("same", noon), nullptr);
    EXPECT_TRUE(memory.offering_backoffs.empty());
}

}  // namespace
}  // namespace capstan::engine::health
