#include <capstan/group_plan_hash.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace capstan {
namespace {

TEST(GroupPlanHash, CoversEverythingButTheName) {
    const GroupPlan plan{.name = "a", .machine_type = "m", .zone = "z", .labels = {{"k", "v"}}};
    GroupPlan same = plan;
    same.name = "b";
    EXPECT_EQ(hash_of_plan(plan), hash_of_plan(same));
    std::vector<GroupPlan> others(5, plan);
    others[0].machine_type = "n";
    others[1].zone = "y";
    others[2].spot = true;
    others[3].labels = {{"k", "w"}};
    others[4].taints = {{"k", "v", Effect::no_execute}};
    std::set<std::uint64_t> seen{hash_of_plan(plan)};
    for (const GroupPlan& other : others) EXPECT_TRUE(seen.insert(hash_of_plan(other)).second);
}

}  // namespace
}  // namespace capstan
