#include "plugin_runtime/instances/readable_view.hpp"

#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include <capstan/from_abi.hpp>
#include <capstan/to_abi.hpp>

namespace capstan::plugin_runtime::instances {
namespace {

CloudView known_view() {
    return {.groups = {{.id = NodeGroupId("a"),
                        .min = 0,
                        .max = 9,
                        .target = 2,
                        .healthy = false,
                        .health_reason = "no quota",
                        .template_fingerprint = "f1",
                        .debug = "asg a",
                        .tags = {{"team", "x"}, {"tier", "y"}}},
                       {.id = NodeGroupId("b")}},
            .machines = {{.id = MachineId("i-1"),
                          .group = NodeGroupId("a"),
                          .machine_type = "large",
                          .zone = "z1",
                          .launched = Time(std::chrono::hours(1))},
                         {.id = MachineId("i-2"), .group = NodeGroupId("a")}}};
}

/// Compares a known view with an ABI struct that tests modify.
struct UnchangedView : ::testing::Test {
    template <class T>
    static T& at(const capstan_array& array, std::uint32_t i) {
        return const_cast<T&>(View<T>(array)[i]);
    }
    static capstan_group& group(const capstan_cloud_view& raw) {
        return at<capstan_group>(raw.groups, 0);
    }
    static capstan_machine& machine(const capstan_cloud_view& raw) {
        return at<capstan_machine>(raw.machines, 0);
    }

    const CloudView known = known_view();
};

TEST_F(UnchangedView, IsDetected) {
    AbiArena arena;
    const CloudView again = known_view();
    EXPECT_TRUE(is_unchanged(arena.to_abi(again), known));
    const CloudView nothing;
    EXPECT_TRUE(is_unchanged(arena.to_abi(nothing), nothing));
    EXPECT_FALSE(is_unchanged(arena.to_abi(nothing), known));
    EXPECT_FALSE(is_unchanged(arena.to_abi(known), nothing));
}

TEST_F(UnchangedView, HasNoChangedField) {
    const std::function<void(CloudView&)> changes[] = {
        [](CloudView& v) { v.complete = false; },
        [](CloudView& v) { v.groups[0].id = NodeGroupId("c"); },
        [](CloudView& v) { v.groups[0].min = 1; },
        [](CloudView& v) { v.groups[0].min.reset(); },
        [](CloudView& v) { v.groups[0].max = 8; },
        [](CloudView& v) { v.groups[0].max.reset(); },
        [](CloudView& v) { v.groups[0].target = 3; },
        [](CloudView& v) { v.groups[0].target.reset(); },
        [](CloudView& v) { v.groups[0].healthy = true; },
        [](CloudView& v) { v.groups[0].healthy.reset(); },
        [](CloudView& v) { v.groups[0].health_reason = "quotas"; },
        [](CloudView& v) { v.groups[0].autoprovisioned = true; },
        [](CloudView& v) { v.groups[0].template_fingerprint.clear(); },
        [](CloudView& v) { v.groups[0].debug += "!"; },
        [](CloudView& v) { v.groups[0].tags["team"] = "z"; },
        [](CloudView& v) { v.groups[0].tags.erase("tier"); },
        [](CloudView& v) { v.groups[0].tags["zoo"]; },
        [](CloudView& v) { v.groups[0].spot = false; },
        [](CloudView& v) { v.groups[0].zones = {"z1"}; },
        [](CloudView& v) { v.groups[0].price = Price{.per_hour = 0.5}; },
        [](CloudView& v) { v.groups[0].options = GroupOptions{}; },
        [](CloudView& v) { v.groups[1].min = 0; },
        [](CloudView& v) { v.groups.pop_back(); },
        [](CloudView& v) { std::swap(v.groups[0], v.groups[1]); },
        [](CloudView& v) { v.machines[0].id = MachineId("i-3"); },
        [](CloudView& v) { v.machines[0].group = NodeGroupId("b"); },
        [](CloudView& v) { v.machines[0].state = MachineState::deleting; },
        [](CloudView& v) { v.machines[0].machine_type = "largo"; },
        [](CloudView& v) { v.machines[0].zone = "z2"; },
        [](CloudView& v) { *v.machines[0].launched += Duration(1); },
        [](CloudView& v) { v.machines[0].launched.reset(); },
        [](CloudView& v) { v.machines[1].launched = Time(); },
        [](CloudView& v) { v.machines[0].template_fingerprint = "2"; },
        [](CloudView& v) { v.machines[0].node_name = "n-1"; },
        [](CloudView& v) { v.machines[0].leaves = Leaving{}; },
        [](CloudView& v) { v.machines[0].spot = false; },
        [](CloudView& v) { v.machines[0].price_per_hour = 0; },
        [](CloudView& v) { v.machines[0].addresses = {"10.0.0.1"}; },
        [](CloudView& v) { v.lists_all_with_prefix = "aws:///"; },
        [](CloudView& v) { v.target_lag = std::chrono::minutes(2); },
        [](CloudView& v) { v.machines[1].error = Error{ErrorCode::quota, "none left"}; },
        [](CloudView& v) { v.machines.push_back({MachineId("i-9"), NodeGroupId("b")}); },
        [](CloudView& v) { std::swap(v.machines[0], v.machines[1]); },
        [](CloudView& v) { v.unreadable = {{ErrorCode::unavailable, "no answer"}}; },
    };
    for (std::size_t i = 0; i < std::size(changes); ++i) {
        SCOPED_TRACE("change " + std::to_string(i));
        CloudView other = known_view();
        changes[i](other);
        AbiArena arena;
        EXPECT_FALSE(is_unchanged(arena.to_abi(other), known));
        EXPECT_FALSE(is_unchanged(arena.to_abi(known), other));
    }
}

TEST_F(UnchangedView, IsNotAnInvalidView) {
    using Raw = capstan_cloud_view;
    const std::function<void(Raw&)> faults[] = {
        [](Raw& v) { v.struct_size = 8; },
        [](Raw& v) { v.groups.data = nullptr; },
        [](Raw& v) { v.machines.data = nullptr; },
        [](Raw& v) { v.groups.stride = 8; },
        [](Raw& v) { v.machines.stride -= 1; },
        [](Raw& v) { group(v).struct_size = 8; },
        [](Raw& v) { group(v).struct_size = v.groups.stride + 1; },
        [](Raw& v) { group(v).min = -1; },
        [](Raw& v) { group(v).id = {nullptr, 1}; },
        [](Raw& v) { group(v).id = str(""); },
        [](Raw& v) { group(v).debug = str("\xff"); },
        [](Raw& v) { group(v).tags.data = nullptr; },
        [](Raw& v) { at<capstan_kv>(group(v).tags, 1).key = str("team"); },
        [](Raw& v) { at<capstan_kv>(group(v).tags, 0).value = {nullptr, 1}; },
        [](Raw& v) { machine(v).struct_size = 0; },
        [](Raw& v) { machine(v).id = str("i-2"); },
        [](Raw& v) { machine(v).zone = {nullptr, 2}; },
    };
    for (std::size_t i = 0; i < std::size(faults); ++i) {
        SCOPED_TRACE("fault " + std::to_string(i));
        AbiArena arena;
        capstan_cloud_view raw = arena.to_abi(known);
        ASSERT_TRUE(is_unchanged(raw, known));
        faults[i](raw);
        EXPECT_FALSE(cloud_view_from_abi(raw).has_value());
        EXPECT_FALSE(is_unchanged(raw, known));
    }
}

TEST_F(UnchangedView, MayHaveLongerElementsOfANewerAbi) {
    struct Longer {
        capstan_machine machine;
        std::uint64_t more;
    };
    AbiArena arena;
    capstan_cloud_view raw = arena.to_abi(known);
    std::vector<Longer> longer;
    for (const capstan_machine& each : View<capstan_machine>(raw.machines)) {
        longer.push_back({each, 1});
        longer.back().machine.struct_size = sizeof(Longer);
    }
    raw.machines = array_of(longer);
    EXPECT_TRUE(is_unchanged(raw, known));
    longer[1].machine.zone = str("z9");
    EXPECT_FALSE(is_unchanged(raw, known));
}

TEST_F(UnchangedView, IsNotDetectedIfTagsAreUnsorted) {
    AbiArena arena;
    const capstan_cloud_view raw = arena.to_abi(known);
    std::swap(at<capstan_kv>(group(raw).tags, 0), at<capstan_kv>(group(raw).tags, 1));
    EXPECT_EQ(cloud_view_from_abi(raw), known);
    EXPECT_FALSE(is_unchanged(raw, known));
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
