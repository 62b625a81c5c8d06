#include "engine/snapshot.hpp"

#include <gtest/gtest.h>

#include "test_cluster.hpp"

namespace capstan::engine {
namespace {

TEST(FindGroup, ReturnsTheGroupWithTheIdOrNull) {
    World world;
    for (const char* id : {"b", "d"}) world.group(id);
    const Snapshot snapshot = world.snapshot();
    EXPECT_EQ(find_group(snapshot, NodeGroupId("b")), &snapshot.groups->front());
    EXPECT_EQ(find_group(snapshot, NodeGroupId("d")), &snapshot.groups->back());
    for (const char* id : {"a", "c", "e"})
        EXPECT_EQ(find_group(snapshot, NodeGroupId(id)), nullptr) << id;
    EXPECT_EQ(find_group(World().snapshot(), NodeGroupId("b")), nullptr);
}

}  // namespace
}  // namespace capstan::engine
