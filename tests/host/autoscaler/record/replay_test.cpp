#include "autoscaler/record/replay.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "random_value.hpp"

namespace capstan::autoscaler::record {
namespace {

using engine::Increase;
using engine::NodeVerdict;
using engine::pass::Outcome;

Increase increase(const char* group, int by) { return {.group = NodeGroupId(group), .by = by}; }

Outcome with_increases(std::vector<Increase> increases) {
    Outcome out;
    out.decision.increases = std::move(increases);
    return out;
}

TEST(ReplayDifferences, AreEmptyForEqualOutcomes) {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const auto outcome = RandomValues(seed).make<Outcome>();
        EXPECT_EQ(find_differences(outcome, outcome), std::vector<Difference>()) << seed;
    }
}

TEST(ReplayDifferences, NameTheValueByItsPath) {
    EXPECT_EQ(find_differences(with_increases({increase("a", 1), increase("b", 2)}),
                               with_increases({increase("a", 1), increase("b", 3)})),
              (std::vector<Difference>{{{"decision", "increases", "b", "by"}, "2", "3"}}));
}

TEST(ReplayDifferences, OfAMissingItemDoNotIncludeOtherItems) {
    EXPECT_EQ(find_differences(with_increases({increase("a", 1), increase("b", 2)}),
                               with_increases({increase("b", 2)})),
              (std::vector<Difference>{{{"decision", "increases", "a", "by"}, "1", {}},
                                       {{"decision", "increases", "a", "group"}, "a", {}}}));
}

TEST(ReplayDifferences, KeepNamesWithSlashes) {
    constexpr const char* mig = "projects/p/zones/z/instanceGroups/g";
    const std::vector<Difference> found =
        find_differences(with_increases({increase(mig, 1)}), with_increases({increase(mig, 2)}));
    EXPECT_EQ(found, (std::vector<Difference>{{{"decision", "increases", mig, "by"}, "1", "2"}}));
    EXPECT_EQ(text_of_path(found.at(0).path),
              "decision/increases/projects/p/zones/z/instanceGroups/g/by");
}

TEST(ReplayDifferences, AppendANumberToARepeatedName) {
    EXPECT_EQ(find_differences(with_increases({increase("a", 1), increase("a", 2)}),
                               with_increases({increase("a", 1), increase("a", 3)})),
              (std::vector<Difference>{{{"decision", "increases", "a#2", "by"}, "2", "3"}}));
}

TEST(ReplayDifferences, CoverMemoryAndTheLastBitOfANumber) {
    Outcome before, after;
    before.decision.nodes = {NodeVerdict{.node = "n", .utilization = 0.1}};
    after.decision.nodes = {NodeVerdict{.node = "n", .utilization = std::nextafter(0.1, 1.0)}};
    after.memory.started = true;
    EXPECT_EQ(find_differences(before, after),
              (std::vector<Difference>{
                  {{"decision", "nodes", "n", "utilization"}, "0.1", "0.10000000000000002"},
                  {{"memory", "started"}, {}, "true"}}));
}

TEST(ReplayDifferences, IgnoreNumbersOfEquivalenceGroups) {
    Outcome before, after;
    before.decision.schedulable = {{.equivalence_group = 3, .example = "default/web", .count = 2}};
    after.decision.schedulable = {{.equivalence_group = 9, .example = "default/web", .count = 2}};
    EXPECT_EQ(find_differences(before, after), std::vector<Difference>());
}

}  // namespace
}  // namespace capstan::autoscaler::record
