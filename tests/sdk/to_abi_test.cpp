#include <capstan/to_abi.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <capstan/view.hpp>

namespace capstan {
namespace {

template <class T>
concept ConvertibleToAbi =
    requires(AbiArena& arena, T&& value) { arena.to_abi(std::forward<T>(value)); };

static_assert(ConvertibleToAbi<NodeGroup&> && ConvertibleToAbi<const NodeTemplate&>);
static_assert(!ConvertibleToAbi<NodeGroup> && !ConvertibleToAbi<const NodeTemplate>,
              "a temporary would be gone at once");
static_assert(!std::is_copy_constructible_v<AbiArena>);

TEST(AbiArena, BorrowsTextWithoutCopying) {
    const NodeGroup group{.id = NodeGroupId("a group whose name is longer than any small string"),
                          .tags = {{"team", "a team whose name is longer than any small string"}}};
    AbiArena arena;
    const capstan_group raw = arena.to_abi(group);
    EXPECT_EQ(raw.id.ptr, group.id.value().data());
    EXPECT_EQ(View<capstan_kv>(raw.tags)[0].value.ptr, group.tags.at("team").data());
}

TEST(AbiArena, DistinguishesAbsentFromZero) {
    NodeGroup group{.id = NodeGroupId("web"), .min = 0};
    AbiArena arena;
    EXPECT_EQ(arena.to_abi(group).present, CAPSTAN_GROUP_MIN | CAPSTAN_GROUP_AUTOPROVISIONED);
    group.target = 0;
    group.healthy = false;
    const capstan_group raw = arena.to_abi(group);
    EXPECT_EQ(raw.present, CAPSTAN_GROUP_MIN | CAPSTAN_GROUP_TARGET | CAPSTAN_GROUP_HEALTH |
                               CAPSTAN_GROUP_AUTOPROVISIONED);
    EXPECT_EQ(raw.healthy, 0);
}

TEST(AbiArena, SetsTheSizeOfEveryStruct) {
    const PodEquivalenceGroup pods{.affinity_required = {{{{"zone", Operator::in, {"a"}}}}},
                                   .tolerations = {Toleration{}}};
    AbiArena arena;
    const capstan_pod_equivalence_group raw = arena.to_abi(pods);
    EXPECT_EQ(raw.struct_size, sizeof(capstan_pod_equivalence_group));
    EXPECT_EQ(View<capstan_toleration>(raw.tolerations)[0].struct_size, sizeof(capstan_toleration));
    const auto& term = View<capstan_node_selector_term>(raw.affinity_required)[0];
    EXPECT_EQ(term.struct_size, sizeof(capstan_node_selector_term));
    const auto& requirement = View<capstan_requirement>(term.labels)[0];
    EXPECT_EQ(requirement.struct_size, sizeof(capstan_requirement));
    EXPECT_EQ(text(View<capstan_str>(requirement.values)[0]), "a");
}

TEST(AbiArena, ConvertsSharedPartsOfOptionsOnce) {
    const auto node = std::make_shared<const NodeTemplate>(NodeTemplate{.name = "node"});
    const PodShares pods = share({{0, 3}, {1, 5}});
    const std::vector<ScaleUpOption> options(500, ScaleUpOption{.node = node, .pods = pods});
    AbiArena arena;
    const View<capstan_option> raw(arena.list(options));
    ASSERT_EQ(raw.size(), 500u);
    for (const capstan_option& option : raw) {
        EXPECT_EQ(option.node, raw[0].node);
        EXPECT_EQ(option.pods.data, pods->data());
        EXPECT_EQ(option.pods.count, 2u);
    }
    EXPECT_EQ(text(raw[499].node->name), "node");
}

TEST(AbiArena, KeepsItsDataWhileItGrows) {
    const NodeTemplate node{.name = "node", .labels = {{"zone", "a"}}};
    AbiArena arena;
    const capstan_template first = arena.to_abi(node);
    for (int i = 0; i < 10'000; ++i) std::ignore = arena.to_abi(node);
    EXPECT_EQ(text(View<capstan_kv>(first.labels)[0].value), "a");
}

TEST(AbiArena, GivesEmptyListsAStride) {
    const std::vector<Taint> none;
    AbiArena arena;
    const capstan_array raw = arena.list(none);
    EXPECT_EQ(raw.count, 0u);
    EXPECT_EQ(raw.stride, sizeof(capstan_taint));
}

}  // namespace
}  // namespace capstan
