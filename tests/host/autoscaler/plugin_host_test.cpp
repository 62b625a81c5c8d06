#include "autoscaler/plugin_host.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <future>
#include <utility>

#include "assembly.hpp"
#include "autoscaler/wiring.hpp"
#include "plugin_runtime/instances/pass_runner.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::IsNull;
using ::testing::NotNull;

constexpr const char* two_instances =
    "[pipeline.scale_up]\nsimilarity = []\nexpanders = [{ use = \"one\", on_empty = \"fail\" }, "
    "\"two\"]\n"
    "[plugin.one]\nfile = \"tiny.so\"\nclass = \"tiny\"\n[plugin.two]\nfile = \"tiny.so\"\nclass = "
    "\"tiny\"\n";

TEST(PluginHost, StartsAndStopsWithoutPlugins) {
    const auto host = PluginHost::start(config::Config{}, {}, {.seed = 1, .version = "test"});
    ASSERT_TRUE(host.has_value());
    EXPECT_TRUE((*host)->instances().empty());
    EXPECT_THAT((*host)->find(PluginInstanceId("aws")), IsNull());
}

TEST(PluginHost, CreatesTheStateFolder) {
    const plugin_runtime::TemporaryFolder folder;
    const std::filesystem::path state = folder.path() / "state" / "plugins";
    const auto start = [](const std::filesystem::path& path) {
        return PluginHost::start(config::Config{}, {},
                                 {.seed = 1, .version = "test", .state = path});
    };
    EXPECT_TRUE(start(state));
    EXPECT_TRUE(std::filesystem::is_directory(state));
    EXPECT_TRUE(start(state)) << "it already exists";
    folder.file("file", plugin_runtime::bytes_of("x"));
    EXPECT_FALSE(start(folder.path() / "file" / "plugins"));
}

TEST(PluginHost, StartsEveryConfiguredInstance) {
    const Assembly assembly(two_instances);
    const auto host = PluginHost::start(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host.has_value()) << host.error();
    EXPECT_EQ((*host)->instances().size(), 3u) << "one, two, and the shipped splitter";
    ASSERT_THAT((*host)->find(PluginInstanceId("two")), NotNull());
    EXPECT_TRUE((*host)->find(PluginInstanceId("two"))->is_running());
}

TEST(PluginHost, StopsItsInstancesWhenDestroyed) {
    const Assembly assembly(two_instances);
    auto host = PluginHost::start(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host.has_value());
    const std::shared_ptr<plugin_runtime::instances::PluginInstance> instance =
        (*host)->find(PluginInstanceId("one"));
    host->reset();
    EXPECT_FALSE(instance->is_running());
}

PluginHost::Options virtual_options(const std::shared_ptr<io::ManualClock>& clock) {
    return {.seed = 1, .version = "test", .clock = clock};
}

TEST(PluginHost, NeedsNoThreadOnVirtualTime) {
    const Assembly assembly(two_instances);
    const auto clock = std::make_shared<io::ManualClock>();
    auto host = PluginHost::start(assembly.config(), assembly.plugins(), virtual_options(clock));
    ASSERT_TRUE(host.has_value()) << host.error();
    const std::shared_ptr<plugin_runtime::instances::PluginInstance> instance =
        (*host)->find(PluginInstanceId("one"));
    EXPECT_TRUE(instance->is_running());
    EXPECT_EQ(clock->now(), Time{}) << "nothing waited";
    host->reset();
    EXPECT_FALSE(instance->is_running());
}

TEST(PluginHost, AdvancesVirtualTimeWhileWaiting) {
    const auto clock = std::make_shared<io::ManualClock>();
    const auto host = PluginHost::start(config::Config{}, {}, virtual_options(clock));
    ASSERT_TRUE(host.has_value());
    const auto answer_in = [&](Duration delay) {
        return [&, delay](const PluginHost::Done<int>& done) {
            (*host)->loop().after(delay, [done] { done(7); });
        };
    };
    EXPECT_EQ((*host)->wait<int>(answer_in(std::chrono::hours(3)), std::chrono::hours(9)), 7);
    EXPECT_EQ(clock->now(), Time(std::chrono::hours(3)));
    const auto late = (*host)->wait<int>(answer_in(std::chrono::hours(2)), std::chrono::hours(1));
    EXPECT_EQ(late.error().code, ErrorCode::deadline);
    EXPECT_EQ(clock->now(), Time(std::chrono::hours(3))) << "no timer is due before the deadline";
}

TEST(PluginHost, WaitsInRealTime) {
    const auto host = PluginHost::start(config::Config{}, {}, {});
    ASSERT_TRUE(host.has_value());
    EXPECT_THAT((*host)->virtual_loop(), IsNull());
    const auto answer = (*host)->wait<int>(
        [&](const PluginHost::Done<int>& done) {
            (*host)->loop().after(Duration::zero(), [done] { done(7); });
        },
        std::chrono::minutes(1));
    EXPECT_EQ(answer, 7);
}

TEST(PluginHost, ItsGuardEndsTheProcessForAnAbandonedThreadAtTheMemoryLimit) {
    std::promise<std::pair<int, std::string>> ended;
    plugin_runtime::guard::Guard guard(
        {.period = std::chrono::milliseconds(5),
         .end = [&](int code, const std::string& reason) { ended.set_value({code, reason}); },
         .takes_signals = false});
    config::Config config;
    config.watchdog.memory_max = Quantity::units(1);
    const auto host = PluginHost::start(config, {}, {.guard = &guard});
    ASSERT_TRUE(host.has_value());
    const auto abandoned = (*host)->abandoned_threads()->add(
        "acme", plugin_runtime::loop::Hook::filter, CLOCK_THREAD_CPUTIME_ID);
    const auto [code, reason] = ended.get_future().get();
    EXPECT_EQ(code, plugin_runtime::guard::exit_held_up);
    EXPECT_THAT(reason, ::testing::StartsWith("plugin acme: filter timed out"));
}

TEST(PluginHost, ReportsABreadcrumbFileThatCannotBeOpened) {
    const auto host = PluginHost::start(config::Config{}, {}, {.breadcrumbs = "/dev/null/crumbs"});
    ASSERT_FALSE(host.has_value());
    EXPECT_EQ(host.error().message.rfind("breadcrumbs: ", 0), 0u) << host.error().message;
}

TEST(Wiring, RefusesAnUnknownInstance) {
    const auto host = PluginHost::start(config::Config{}, {}, {});
    ASSERT_TRUE(host.has_value());
    const auto wiring = wire(config::Pipeline{}, **host);
    ASSERT_FALSE(wiring.has_value());
    EXPECT_EQ(wiring.error().message, "pipeline: no plugin least_waste");
}

TEST(Wiring, FailsCallsOfInstancesThatHaveNotStarted) {
    const Assembly assembly(two_instances);
    const auto host = PluginHost::open(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host.has_value()) << host.error();
    config::Pipeline pipeline = assembly.config().pipeline;
    pipeline.scale_up.similarity = {PluginInstanceId("one")};
    EXPECT_FALSE(wire(pipeline, **host)) << "every instance must have started";
    const auto wiring = wire(pipeline, **host, Missing::has_not_started);
    ASSERT_TRUE(wiring.has_value()) << wiring.error();
    const PluginInstanceId one("one"), two("two"), splitter(pipeline.scale_up.splitter);
    std::vector<plugin_runtime::instances::SkippedHook> absent;
    for (const PluginInstanceId& id : {one, two, one, splitter})
        absent.push_back({id, plugin_runtime::loop::Hook::start, "not started"});
    EXPECT_EQ(skipped_of(*wiring), absent);
    plugin_runtime::instances::PassWatch watch;
    const auto policies =
        PassPolicies::make(*wiring, watch, std::make_shared<policies::ExpanderAnswers>());
    ASSERT_TRUE(policies.has_value());
    ASSERT_EQ(policies->chain().size(), 2u);
    EXPECT_EQ(policies->chain()[0].name, "one");
    EXPECT_EQ(policies->chain()[0].expander->filter({}, {}, {}).error().message,
              "plugin one: not called: not started");
    EXPECT_FALSE(policies->similarity().at(0).check->may_decide());
    EXPECT_FALSE(policies->splitter().split(3, {}, {}));
    pipeline.scale_up.similarity = {PluginInstanceId("unknown")};
    EXPECT_FALSE(wire(pipeline, **host, Missing::has_not_started)) << "it is not configured";
}

TEST(Wiring, KeepsTheOrderAndFallbacksOfStages) {
    const Assembly assembly(two_instances);
    const auto host = PluginHost::start(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host.has_value());
    config::Pipeline pipeline = assembly.config().pipeline;
    pipeline.scale_up.splitter = PluginInstanceId("one");  // any instance has a name
    const auto wiring = wire(pipeline, **host);
    ASSERT_TRUE(wiring.has_value()) << wiring.error();
    ASSERT_EQ(wiring->expanders.size(), 2u);
    EXPECT_EQ(wiring->expanders[0].expander->id(), "one");
    EXPECT_EQ(wiring->expanders[0].on_empty, engine::StageFallback::fail);
    EXPECT_EQ(wiring->expanders[1].on_error, engine::StageFallback::skip);
}

TEST(Wiring, RefusesAnInstanceOfAnotherKind) {
    const Assembly assembly(two_instances);
    const auto host = PluginHost::start(assembly.config(), assembly.plugins(), {});
    ASSERT_TRUE(host.has_value());
    config::Pipeline pipeline = assembly.config().pipeline;
    pipeline.scale_up.splitter = PluginInstanceId("one");
    const auto wiring = wire(pipeline, **host);
    ASSERT_TRUE(wiring.has_value());
    plugin_runtime::instances::PassWatch watch;
    const auto policies =
        PassPolicies::make(*wiring, watch, std::make_shared<policies::ExpanderAnswers>());
    ASSERT_FALSE(policies.has_value());
    EXPECT_EQ(policies.error().message, "plugin one is not a capstan.splitter/1");
}

}  // namespace
}  // namespace capstan::autoscaler
