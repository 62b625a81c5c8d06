#include "autoscaler/daemon/plugin_starts.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <capstan/plugin.hpp>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/on_loop.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Phase = PluginStart::Phase;

/// The behaviour and the record of the class under test.
struct Script {
    std::deque<ErrorCode> starts{};  ///< the error of each start; later starts succeed
    bool never_ends = false;
    std::function<void()> in_create{};
    int made = 0, destroyed = 0;
};
Script script;

struct FailingPlugin {
    explicit FailingPlugin(const Host& host, const Settings&) : host_(host) {
        ++script.made;
        if (script.in_create) script.in_create();
    }
    ~FailingPlugin() { ++script.destroyed; }
    Task<void> start() {
        if (script.never_ends) co_await sleep_for(host_, std::chrono::hours(1000));
        if (script.starts.empty()) co_return;
        const ErrorCode code = script.starts.front();
        script.starts.pop_front();
        throw Failure(code, "no luck");
    }
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
    Host host_;
};

/// Two instances; the first is of the class under test.
struct TwoPlugins {
    TwoPlugins() {
        script = {};
        std::vector<LoadedPlugin> plugins = assembly.plugins();
        plugins.resize(2);
        plugins.front().plugin_class.raw = &type;
        loaded = std::make_shared<LoadedConfig>(
            LoadedConfig{.config = assembly.config(), .plugins = std::move(plugins)});
    }
    std::shared_ptr<PluginStarts> make(PluginHost& host, PluginStarts::Options options) const {
        return std::make_shared<PluginStarts>(loaded, host, std::move(options));
    }
    const capstan_class type = make_class<FailingPlugin>({.id = "stumbling", .doc = ""});
    const Assembly assembly{
        "[log]\nlevel = \"error\"\n[pipeline.scale_up]\nsimilarity = []\nexpanders = [\"one\", "
        "\"two\"]\n"
        "[plugin.one]\nfile = \"tiny.so\"\nclass = \"tiny\"\n"
        "[plugin.two]\nfile = \"tiny.so\"\nclass = \"tiny\"\n"};
    std::shared_ptr<const LoadedConfig> loaded{};
};

struct PluginStartsTest : testing::Test, TwoPlugins {
    PluginStartsTest()
        : host(PluginHost::open(loaded->config, loaded->plugins,
                                {.seed = 1, .version = "test", .clock = clock})
                   .value()),
          starts(make(*host, {.seed = 7, .on_change = [this] { ++changes; }})) {}
    ~PluginStartsTest() override {
        bool has_stopped = false;
        starts->stop([&] { has_stopped = true; });
        host->virtual_loop()->advance(1min);
        EXPECT_TRUE(has_stopped);
        starts = nullptr;
        host = nullptr;
        EXPECT_EQ(script.made, script.destroyed);
    }
    void begin() {
        starts->begin();
        host->virtual_loop()->settle();
    }
    std::string status() const { return sentence_of(starts->starts().front(), now()); }
    Phase phase() const { return starts->starts().front().phase; }
    Duration now() const { return host->loop().monotonic(); }
    /// The time until the next start.
    Duration next() const { return *starts->starts().front().next - now(); }
    double gauge(const char* plugin) const {
        return host->metrics().running.Add({{"plugin", plugin}}).Value();
    }

    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>();
    std::unique_ptr<PluginHost> host;
    std::shared_ptr<PluginStarts> starts;
    int changes = 0;
};

TEST_F(PluginStartsTest, EndWhenEachInstanceRuns) {
    EXPECT_EQ(
        starts->unready_because({}),
        "starting plugins:\nplugin one: waiting to be created\nplugin two: waiting to be created");
    EXPECT_EQ(gauge("one"), 0);
    begin();
    EXPECT_TRUE(starts->has_settled());
    EXPECT_EQ(starts->unready_because({}), "");
    EXPECT_EQ(starts->absent(), "");
    EXPECT_EQ(starts->take_started().size(), 2u);
    EXPECT_EQ(host->instances().size(), 2u);
    EXPECT_EQ(gauge("one"), 1);
}

TEST_F(PluginStartsTest, AreRepeatedWithGrowingPauses) {
    script.starts = {ErrorCode::unavailable, ErrorCode::unauthenticated, ErrorCode::throttled};
    begin();
    EXPECT_THAT(status(), StartsWith("plugin one: start: no luck; retry in "));
    EXPECT_TRUE(starts->has_settled());
    EXPECT_EQ(host->instances().size(), 1u) << "the other one is running";
    EXPECT_EQ(host->find(PluginInstanceId("one")), nullptr);
    for (const Duration least : {5s, 10s, 20s}) {
        EXPECT_GE(next(), least);
        EXPECT_LE(next(), least * 5 / 4);
        host->virtual_loop()->advance(least * 5 / 4);
    }
    EXPECT_EQ(phase(), Phase::running);
    EXPECT_EQ(script.made, 4);
    EXPECT_EQ(script.destroyed, 3);
    EXPECT_EQ(host->find(PluginInstanceId("one"))->context().identity().generation, 4u);
    EXPECT_EQ(gauge("one"), 1);
}

TEST_F(PluginStartsTest, AreRepeatedAboutEveryFiveMinutes) {
    script.starts.assign(100, ErrorCode::unavailable);
    begin();
    host->virtual_loop()->advance(1h);
    EXPECT_EQ(phase(), Phase::waiting);
    EXPECT_LE(next(), 5min * 5 / 4);
    EXPECT_GE(script.made, 15);
    EXPECT_LE(script.made, 19);
}

TEST_F(PluginStartsTest, AreNotRepeatedAfterAPermanentError) {
    script.starts = {ErrorCode::unsupported};
    begin();
    EXPECT_EQ(status(), "plugin one: start: no luck; disabled until restart");
    EXPECT_TRUE(starts->refusal());
    host->virtual_loop()->advance(1h);
    EXPECT_EQ(script.made, 1);
    EXPECT_EQ(starts->absent(), status());
    EXPECT_EQ(gauge("one"), 0);
}

TEST_F(PluginStartsTest, EndTheHostIfAPluginRefusesItsSettings) {
    script.starts = {ErrorCode::invalid_config};
    begin();
    EXPECT_EQ(starts->refusal().error().code, ErrorCode::invalid_config);
    EXPECT_EQ(starts->refusal().error().message, "plugin one: start: no luck");
}

TEST_F(PluginStartsTest, DoNotEndTheHostIfALaterStartRefusesTheSettings) {
    script.starts = {ErrorCode::unavailable, ErrorCode::invalid_config};
    begin();
    host->virtual_loop()->advance(10s);
    EXPECT_TRUE(starts->refusal());
    EXPECT_EQ(phase(), Phase::disabled);
}

TEST_F(PluginStartsTest, AreReportedWhileRunningAndRepeatedAfterATimeout) {
    script.never_ends = true;
    begin();
    EXPECT_FALSE(starts->has_settled());
    host->virtual_loop()->advance(12s);
    EXPECT_EQ(starts->unready_because({}),
              "starting plugins:\nplugin one: start has been running for 12s");
    script.never_ends = false;
    host->virtual_loop()->advance(20s);
    EXPECT_TRUE(starts->has_settled());
    host->virtual_loop()->advance(6s);
    ASSERT_TRUE(starts->starts().front().error);
    EXPECT_EQ(starts->starts().front().error->code, ErrorCode::deadline);
    host->virtual_loop()->advance(30s);
    EXPECT_EQ(phase(), Phase::running);
}

TEST_F(PluginStartsTest, DelayPassesUntilACloudRuns) {
    script.starts = {ErrorCode::unavailable};
    begin();
    const std::vector<PluginInstanceId> only{PluginInstanceId("one")};
    EXPECT_THAT(starts->unready_because(only),
                StartsWith("no cloud is running:\nplugin one: start: no luck; retry in "));
    EXPECT_EQ(starts->unready_because({PluginInstanceId("one"), PluginInstanceId("two")}), "");
    const int before = changes;
    host->virtual_loop()->advance(10s);
    EXPECT_EQ(starts->unready_because(only), "");
    EXPECT_GT(changes, before);
}

/// In real time a create that does not return has its own thread.
TEST(PluginStartsInRealTime, ContinueWithoutAPluginThatHangsInCreate) {
    const TwoPlugins setup;
    std::mutex mutex;
    std::condition_variable changed;
    bool may_return = false;
    script.in_create = [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return may_return; });
    };
    // Instances of one file are created one at a time, so the other instance is of another file.
    const Assembly other(
        "[plugin.three]\nclass = \"random\"\n[pipeline.scale_up]\nsimilarity = []\n"
        "expanders = [\"three\"]\n");
    auto both = std::make_shared<LoadedConfig>(*setup.loaded);
    both->plugins.resize(1);
    both->plugins.push_back(other.plugins().front());
    const auto host = PluginHost::open(both->config, both->plugins, {.seed = 1}).value();
    const auto starts = std::make_shared<PluginStarts>(
        both, *host,
        PluginStarts::Options{.on_change = [&] { changed.notify_all(); }, .create_limit = 1ms});
    const auto find = [&] {
        return on_loop(*host,
                       [&]() -> Result<std::vector<PluginStart>> { return starts->starts(); })
            .value();
    };
    const auto await = [&](const std::function<bool(const std::vector<PluginStart>&)>& is_done) {
        while (!is_done(find())) {
            std::unique_lock lock(mutex);
            changed.wait_for(lock, 10ms);
        }
    };
    boost::asio::post(host->loop().io(), [&] { starts->begin(); });
    await([](const auto& all) { return all[1].phase == Phase::running; });
    EXPECT_EQ(find()[0].phase, Phase::creating);
    EXPECT_TRUE(find()[0].is_overdue);
    EXPECT_TRUE(on_loop(*host, [&]() -> Result<bool> { return starts->has_settled(); }).value());
    {
        const std::lock_guard lock(mutex);
        may_return = true;
    }
    changed.notify_all();
    await([](const auto& all) { return all[0].phase == Phase::running; });
    std::ignore = from_loop<void>(
        *host, [&](const PluginHost::Done<void>& done) { starts->stop([done] { done({}); }); });
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
