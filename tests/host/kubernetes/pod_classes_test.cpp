#include "kubernetes/pod_classes.hpp"

#include <gtest/gtest.h>

namespace capstan::kubernetes {
namespace {

PodEquivalenceGroup web_pod(const char* name) {
    PodEquivalenceGroup out{.ns = "default", .example = name};
    out.requests = {{"cpu", 1_cpu}};
    out.labels = {{"app", "web"}};
    return out;
}

TEST(PodClasses, CombinesPodsThatDifferOnlyInName) {
    PodClasses classes;
    EXPECT_EQ(classes.add(web_pod("b")), 0u);
    EXPECT_EQ(classes.add(web_pod("a")), 0u);
    EXPECT_EQ(classes.add(web_pod("c")), 0u);
    ASSERT_EQ(classes.classes().size(), 1u);
    EXPECT_EQ(classes.classes()[0].count, 3u);
    EXPECT_EQ(classes.classes()[0].example, "a");
}

TEST(PodClasses, SeparatesPodsThatSchedulingDistinguishes) {
    PodClasses classes;
    classes.add(web_pod("a"));
    PodEquivalenceGroup other = web_pod("b");
    other.tolerations = {{.key = "gpu", .op = Toleration::Op::exists}};
    EXPECT_EQ(classes.add(other), 1u);
    other = web_pod("c");
    other.priority = 5;
    EXPECT_EQ(classes.add(other), 2u);
    other = web_pod("d");
    other.requests = {{"cpu", 2_cpu}};
    EXPECT_EQ(classes.add(other), 3u);
    EXPECT_EQ(classes.add(web_pod("e")), 0u);
}

}  // namespace
}  // namespace capstan::kubernetes
