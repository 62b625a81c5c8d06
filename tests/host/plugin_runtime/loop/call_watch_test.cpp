#include "plugin_runtime/loop/call_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::plugin_runtime::loop {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

TEST(HeldCall, IsASentence) {
    const HeldCall call{
        .plugin = "aws", .kind = "capstan.cloud/1", .hook = Hook::decrease_target, .lasts = 12s};
    EXPECT_EQ(call.sentence(), "plugin aws: decrease_target has blocked its thread for 12s");
}

TEST(CallWatch, KnowsTheCallUnderWayUntilItReturns) {
    CallWatch watch({.plugin = "aws", .kind = "capstan.cloud/1", .stuck_after = 0s});
    CallMarkers markers;
    EXPECT_EQ(watch.held(0s), std::nullopt);
    {
        const StrandCall under_way(watch, markers, Hook::refresh);
        const std::optional<HeldCall> held = watch.held(0s);
        ASSERT_TRUE(held);
        EXPECT_EQ(held->plugin, "aws");
        EXPECT_EQ(held->kind, "capstan.cloud/1");
        EXPECT_EQ(held->hook, Hook::refresh);
        EXPECT_TRUE(watch.stuck());
        EXPECT_EQ(watch.held(24h), std::nullopt) << "it has not lasted for a day";
    }
    EXPECT_EQ(watch.held(0s), std::nullopt);
    EXPECT_EQ(watch.stuck(), std::nullopt);
}

TEST(CallWatch, NamesTheLatestOfSeveralCalls) {
    CallWatch watch({.plugin = "aws"});
    CallMarkers markers;
    {
        const StrandCall first(watch, markers, Hook::refresh);
    }
    const StrandCall second(watch, markers, Hook::increase);
    EXPECT_EQ(watch.held(0s)->hook, Hook::increase);
}

TEST(CallWatch, DoesNotCountAShortCallAsStuck) {
    CallWatch watch({.plugin = "aws", .stuck_after = 24h});
    CallMarkers markers;
    const StrandCall under_way(watch, markers, Hook::refresh);
    EXPECT_EQ(watch.stuck(), std::nullopt);
}

TEST(CallWatches, ListOnlyCallsUnderWay) {
    CallWatches watches(0s);
    EXPECT_THAT(watches.stuck(), IsEmpty());
    const auto aws = watches.add("aws", "capstan.cloud/1");
    const auto gce = watches.add("gce", "capstan.cloud/1");
    const auto score = watches.add("score", "capstan.expander/1");
    EXPECT_THAT(watches.stuck(), IsEmpty());
    CallMarkers markers;
    const StrandCall filter(*score, markers, Hook::filter);
    const StrandCall refresh(*aws, markers, Hook::refresh);
    const std::vector<HeldCall> held = watches.held(0s);
    ASSERT_THAT(held, SizeIs(2));
    EXPECT_EQ(held[0].plugin, "aws") << "in the order of the instances, not of the calls";
    EXPECT_EQ(held[1].plugin, "score");
    EXPECT_EQ(held[1].kind, "capstan.expander/1");
    EXPECT_THAT(watches.held(24h), IsEmpty());
}

TEST(CallWatches, UseTheirOwnLimitForEachInstance) {
    CallWatches watches(24h);
    const auto aws = watches.add("aws", "capstan.cloud/1");
    CallMarkers markers;
    const StrandCall refresh(*aws, markers, Hook::refresh);
    EXPECT_EQ(aws->stuck(), std::nullopt);
    EXPECT_THAT(watches.stuck(), IsEmpty());
    EXPECT_THAT(watches.held(0s), SizeIs(1));
}

TEST(CallWatches, ForgetInstancesThatAreGone) {
    CallWatches watches(0s);
    auto aws = watches.add("aws", "capstan.cloud/1");
    aws = nullptr;
    EXPECT_THAT(watches.held(0s), IsEmpty());
    const auto again = watches.add("aws", "capstan.cloud/1");
    CallMarkers markers;
    const StrandCall refresh(*again, markers, Hook::refresh);
    EXPECT_THAT(watches.held(0s), SizeIs(1));
}

}  // namespace
}  // namespace capstan::plugin_runtime::loop
