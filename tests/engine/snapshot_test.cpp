#include "engine/snapshot.hpp"

#include <gtest/gtest.h>

#include "test_cluster.hpp"

namespace capstan::engine {
namespace {

TEST(FindGroup, ReturnsTheGroupWithTheIdOrNull) {
    TestCluster test_cluster;
    for (const char* id : {"b", "d"}) test_cluster.group(id);
    const Snapshot snapshot = test_cluster.snapshot();
    EXPECT_EQ(find_group(snapshot, NodeGroupId("b")), &snapshot.groups->front());
    EXPECT_EQ(find_group(snapshot, NodeGroupId("d")), &snapshot.groups->back());
    for (const char* id : {"a", "c", "e"})
        EXPECT_EQ(find_group(snapshot, NodeGroupId(id)), nullptr) << id;
    EXPECT_EQ(find_group(TestCluster().snapshot(), NodeGroupId("b")), nullptr);
}

}  // namespace
}  // namespace capstan::engine
