#include <capstan/from_abi.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <capstan/to_abi.hpp>

#include "random_values.hpp"

namespace capstan {
namespace {

using testing::RandomValues;

TEST(FromAbi, ReversesToAbi) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomValues random(seed);
        const CloudView view = random.cloud_view();
        const NodeTemplate node = random.node_template();
        AbiArena arena;
        const auto view_again = cloud_view_from_abi(arena.to_abi(view));
        ASSERT_TRUE(view_again) << view_again.error();
        EXPECT_EQ(*view_again, view);
        const auto node_again = template_from_abi(arena.to_abi(node));
        ASSERT_TRUE(node_again) << node_again.error();
        EXPECT_EQ(*node_again, node);
    }
}

TEST(FromAbi, ReversesToAbiForRequestsAndResponses) {
    const Resize resize{NodeGroupId("web"), 3, 5, true, "key"};
    const Removal removal{NodeGroupId("web"), {MachineId("i-1"), MachineId("i-2")}, true, "key"};
    const Removed removed{{Error{ErrorCode::not_found, "gone", "", "i-2"}}};
    AbiArena arena;
    EXPECT_EQ(resize_from_abi(arena.to_abi(resize)), resize);
    EXPECT_EQ(removal_from_abi(arena.to_abi(removal)), removal);
    EXPECT_EQ(removed_from_abi(arena.to_abi(removed)), removed);
    const Resized short_of{7, Error{ErrorCode::quota, "7 are allowed", "", ""}};
    EXPECT_EQ(resized_from_abi(arena.to_abi(short_of)), short_of);
    const Resized whole{7, std::nullopt};
    EXPECT_EQ(resized_from_abi(arena.to_abi(whole)), whole);
}

/// A valid view of two groups and one machine, in which a test breaks one place.
class MalformedView : public ::testing::Test {
protected:
    void SetUp() override {
        values.groups = {
            {.id = NodeGroupId("a"), .min = 1, .max = 3, .tags = {{"team", "x"}, {"tier", "y"}}},
            {.id = NodeGroupId("b")}};
        values.machines = {{MachineId("i-1"), NodeGroupId("a")}};
        values.unreadable = {{ErrorCode::unavailable, "timed out", "", "c"}};
        node.name = "node";
        node.labels = {{"zone", "a"}};
        node.taints = {{"dedicated"}};
        node.capacity = {{"cpu", 4_cpu}, {"memory", 16_GiB}};
        view = arena.to_abi(values);
        raw_node = arena.to_abi(node);
    }
    template <class T>
    static T& at(const capstan_array& array, std::uint32_t i) {
        return const_cast<T&>(View<T>(array)[i]);
    }
    capstan_group& group(std::uint32_t i) { return at<capstan_group>(view.groups, i); }
    capstan_machine& machine() { return at<capstan_machine>(view.machines, 0); }
    std::string refusal() const {
        const auto raised = cloud_view_from_abi(view);
        return raised ? "taken"
                      : std::string(name_of(raised.error().code)) + ": " + raised.error().message;
    }
    std::string refusal_of_node() const {
        const auto raised = template_from_abi(raw_node);
        return raised ? "taken" : raised.error().message;
    }

    CloudView values;
    NodeTemplate node;
    AbiArena arena;
    capstan_cloud_view view{};
    capstan_template raw_node{};
};

TEST_F(MalformedView, IsAcceptedIfIntact) {
    EXPECT_EQ(refusal(), "taken");
    EXPECT_EQ(refusal_of_node(), "taken");
}

TEST_F(MalformedView, WithoutAnIdIsReportedWithItsPath) {
    group(1).id = {nullptr, 0};
    EXPECT_EQ(refusal(), "internal: groups[1].id is empty");
}

TEST_F(MalformedView, WithTextWithoutMemoryIsRejected) {
    group(0).debug = {nullptr, 5};
    EXPECT_EQ(refusal(), "internal: groups[0].debug is NULL, but its length is not 0");
}

TEST_F(MalformedView, WithUnlimitedTextIsRejectedBeforeItIsRead) {
    machine().zone = {"a", SIZE_MAX};
    EXPECT_EQ(refusal(), "internal: machines[0].zone is longer than 1 MiB");
}

TEST_F(MalformedView, WithInvalidUtf8IsRejected) {
    for (const std::string_view bytes :
         {"\xff", "a\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
        machine().machine_type = str(bytes);
        EXPECT_EQ(refusal(), "internal: machines[0].machine_type is not UTF-8");
    }
}

TEST_F(MalformedView, WithInvalidAddressesIsRejected) {
    const capstan_str bad[] = {str("10.0.0.1"), str("")};
    machine().addresses = {bad, 2, sizeof(capstan_str)};
    EXPECT_EQ(refusal(), "internal: machines[0].addresses[1] is empty");
    machine().addresses = {nullptr, 1, sizeof(capstan_str)};
    EXPECT_EQ(refusal(), "internal: machines[0].addresses is NULL, but its count is 1");
}

TEST_F(MalformedView, WithAnArrayWithoutMemoryIsRejected) {
    view.groups = {nullptr, 3, sizeof(capstan_group)};
    EXPECT_EQ(refusal(), "internal: groups is NULL, but its count is 3");
    view.groups = {nullptr, 0, 0};
    EXPECT_EQ(refusal(), "taken");
}

TEST_F(MalformedView, WithAnUnlimitedArrayIsRejectedBeforeItIsRead) {
    view.groups.count = UINT32_MAX;
    EXPECT_EQ(refusal(), "internal: groups has 4294967295 elements, more than 1000000");
}

TEST_F(MalformedView, WithATooSmallStrideIsRejected) {
    view.groups.stride = 16;
    EXPECT_EQ(refusal(), "internal: groups has a stride of 16, expected at least " +
                             std::to_string(detail::first_size<capstan_group>));
    view.groups.stride = 0;
    EXPECT_NE(refusal(), "taken");
}

TEST_F(MalformedView, WithMisalignedElementsIsRejected) {
    view.groups.stride += 1;
    EXPECT_EQ(refusal(), "internal: groups is not aligned to 8");
    view.groups.stride -= 1;
    view.groups.data = static_cast<const char*>(view.groups.data) + 1;
    EXPECT_EQ(refusal(), "internal: groups is not aligned to 8");
}

TEST_F(MalformedView, WithATooShortStructIsNotReadPastItsEnd) {
    group(1).struct_size = 24;
    EXPECT_EQ(refusal(), "internal: groups[1].struct_size is 24, expected at least " +
                             std::to_string(detail::first_size<capstan_group>));
    view.struct_size = 0;
    EXPECT_EQ(refusal(), "internal: struct_size is 0, expected at least 80");
}

TEST_F(MalformedView, WithOverlappingStructsIsRejected) {
    group(0).struct_size = view.groups.stride + 8;
    EXPECT_EQ(refusal(), "internal: groups[0].struct_size is " +
                             std::to_string(view.groups.stride + 8) + ", the stride is " +
                             std::to_string(view.groups.stride));
}

TEST_F(MalformedView, WithImpossibleNumbersIsRejected) {
    group(0).min = -1;
    EXPECT_EQ(refusal(), "internal: groups[0].min is -1");
    group(0).min = 9;
    EXPECT_EQ(refusal(), "internal: groups[0].min is 9, above max 3");
    group(0).present = 0;
    EXPECT_EQ(refusal(), "taken") << "without its flag a number is not read";
    machine().state = 6;
    EXPECT_EQ(refusal(), "taken") << "an unknown state is read as creating";
    machine().present = CAPSTAN_MACHINE_PRICE;
    machine().price_per_hour = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(refusal(), "internal: machines[0].price_per_hour is nan");
}

TEST_F(MalformedView, WithInvalidPricesAndOptionsIsReportedWithItsPath) {
    capstan_price price{};
    price.struct_size = sizeof price;
    group(0).price = &price;
    EXPECT_EQ(refusal(), "internal: groups[0].price.currency is \"\", not three capital letters");
    std::memcpy(price.currency, "eur", 4);
    EXPECT_EQ(refusal(),
              "internal: groups[0].price.currency is \"eur\", not three capital letters");
    std::memcpy(price.currency, "EUR", 4);
    price.per_hour = -1;
    EXPECT_EQ(refusal(), "taken") << "without its flag the price is not read";
    price.present = CAPSTAN_PRICE_PER_HOUR;
    EXPECT_EQ(refusal(), "internal: groups[0].price.per_hour is -1.000000");
    group(0).price = nullptr;
    capstan_group_options options{};
    options.struct_size = sizeof options;
    options.present = CAPSTAN_GROUP_OPTION_DRAIN;
    options.drain_timeout_ns = -1;
    group(0).options = &options;
    EXPECT_EQ(refusal(), "internal: groups[0].options.drain_timeout_ns is -1");
    options.struct_size = 8;
    EXPECT_EQ(refusal().find("internal: groups[0].options.struct_size is 8"), 0u);
}

TEST_F(MalformedView, WithDuplicateIdsIsRejected) {
    group(1).id = group(0).id;
    EXPECT_EQ(refusal(), "internal: groups[1].id \"a\" is listed twice");
}

TEST_F(MalformedView, WithDuplicateKeysIsRejected) {
    at<capstan_kv>(group(0).tags, 1).key = str("team");
    EXPECT_EQ(refusal(), "internal: groups[0].tags[1].key \"team\" is listed twice");
    at<capstan_kv>(group(0).tags, 1).key = str("");
    EXPECT_EQ(refusal(), "internal: groups[0].tags[1].key is empty");
}

TEST_F(MalformedView, WithAnInvalidMachineErrorIsRejected) {
    const capstan_error error{8, 1, str("x"), str(""), str(""), -1, 0, 0};
    machine().error = &error;
    EXPECT_EQ(refusal(), "internal: machines[0].error.struct_size is 8, expected at least " +
                             std::to_string(detail::first_size<capstan_error>));
}

TEST_F(MalformedView, RepairsErrorMessagesAndLimitsTheirLength) {
    const std::string endless = "\xff" + std::string(10'000, 'x') + "\u20ac";
    at<capstan_error>(view.unreadable, 0).message = str(endless);
    at<capstan_error>(view.unreadable, 0).code = 4711;
    at<capstan_error>(view.unreadable, 0).retry_after_ms = INT64_MAX;
    const auto raised = cloud_view_from_abi(view);
    ASSERT_TRUE(raised) << raised.error();
    const Error& error = raised->unreadable[0];
    EXPECT_EQ(error.message, "?" + std::string(4095, 'x'));
    EXPECT_EQ(error.code, ErrorCode::internal) << "an unknown code is an internal error";
    EXPECT_EQ(error.retry_after, std::chrono::hours(24 * 365));
}

TEST(Error, LimitsRetryAfterToAYear) {
    capstan_error raw{};
    raw.struct_size = sizeof raw;
    raw.code = CAPSTAN_E_THROTTLED;
    raw.retry_after_ms = INT64_MAX;
    EXPECT_EQ(capstan::from_abi(raw).retry_after, std::chrono::hours(24 * 365));
}

TEST_F(MalformedView, ChecksEveryMemberOfATemplate) {
    at<capstan_taint>(raw_node.taints, 0).effect = 9;
    EXPECT_EQ(refusal_of_node(), "taints[0].effect is 9, which is unknown");
    at<capstan_taint>(raw_node.taints, 0).effect = CAPSTAN_EFFECT_NO_EXECUTE;
    at<capstan_quantity>(raw_node.capacity, 1).amount = -1;
    EXPECT_EQ(refusal_of_node(), "capacity[1].amount is -1");
    at<capstan_quantity>(raw_node.capacity, 1).resource = str("cpu");
    EXPECT_EQ(refusal_of_node(), "capacity[1].resource \"cpu\" is listed twice");
    raw_node.name = {};
    EXPECT_EQ(refusal_of_node(), "name is empty");
}

TEST_F(MalformedView, AcceptsATemplateWithNegativeFreeResourcesAndNoVariants) {
    raw_node.free = raw_node.capacity;
    at<capstan_quantity>(raw_node.free, 0).amount = -5;
    raw_node.capacity = {};
    raw_node.variants = 0;
    const auto raised = template_from_abi(raw_node);
    ASSERT_TRUE(raised) << raised.error();
    EXPECT_EQ(raised->free.find("cpu"), -5);
    EXPECT_EQ(raised->variants, 1);
}

/// A group of a later minor version: longer, with unknown members.
struct LongerGroup {
    capstan_group known;
    std::uint64_t unknown[4];
};

TEST(FromAbi, ReadsLongerElementsOfANewerPlugin) {
    const std::vector<NodeGroup> groups = {{.id = NodeGroupId("a"), .target = 2},
                                           {.id = NodeGroupId("b"), .target = 0}};
    AbiArena arena;
    std::vector<LongerGroup> longer;
    for (const NodeGroup& group : groups)
        longer.push_back({arena.to_abi(group), {~0u, ~0u, ~0u, ~0u}});
    for (LongerGroup& group : longer) group.known.struct_size = sizeof(LongerGroup);
    const capstan_cloud_view view{sizeof view, 1, array_of(longer), {}, {}, {}, 0};
    const auto raised = cloud_view_from_abi(view);
    ASSERT_TRUE(raised) << raised.error();
    EXPECT_EQ(raised->groups, groups);
}

TEST(FromAbi, RejectsInvalidRequestsAndResponses) {
    const capstan_resize resize{sizeof resize, 0, str("web"), 1, 0, str("key"), 0, 0};
    EXPECT_EQ(resize_from_abi(resize).error().message, "delta is 0, expected a positive number");
    EXPECT_EQ(resized_from_abi({sizeof(capstan_resized), -1, nullptr}).error().message,
              "target is -1");
    EXPECT_FALSE(resized_from_abi({4, 1, nullptr}));
    const std::vector<capstan_str> ids = {str("i-1"), str("")};
    const capstan_removal removal{sizeof removal, 0, str("web"), array_of(ids), str("key"), 0, 0};
    EXPECT_EQ(removal_from_abi(removal).error().message, "machine_ids[1] is empty");
}

/// Random numbers in a group give a view or an error, and never a crash. Pointers keep pointing to
/// valid memory.
TEST(FromAbi, SurvivesRandomNumbersInGroups) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomValues random(seed);
        const CloudView values = random.cloud_view();
        AbiArena arena;
        const capstan_cloud_view view = arena.to_abi(values);
        for (const capstan_group& group : View<capstan_group>(view.groups)) {
            auto& spoilt = const_cast<capstan_group&>(group);
            switch (random.below(6)) {
                case 0: spoilt.struct_size = static_cast<std::uint32_t>(random.below(300)); break;
                case 1: spoilt.present = random.below(UINT64_MAX); break;
                case 2: spoilt.tags.stride = static_cast<std::uint32_t>(random.below(40)); break;
                case 3: spoilt.id.len = random.below(2); break;
                case 4: spoilt.max = static_cast<std::int32_t>(random.below(UINT32_MAX)); break;
                default: break;
            }
            if (spoilt.tags.stride > sizeof(capstan_kv))
                spoilt.tags.count = std::min(spoilt.tags.count, 1u);
        }
        const auto raised = cloud_view_from_abi(view);
        EXPECT_TRUE(raised || !raised.error().message.empty());
    }
}

}  // namespace
}  // namespace capstan
