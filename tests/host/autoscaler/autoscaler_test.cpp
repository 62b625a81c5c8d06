#include "autoscaler/autoscaler.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"
#include "fake_cluster.hpp"
#include "virtual_assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// An unschedulable pod, and a group that can grow.
struct AutoscalerScaleUp : ::testing::Test {
    explicit AutoscalerScaleUp(
        const std::string& toml = "[pipeline]\nclouds = [\"eu\"]\n" +
                                  simulated("eu",
                                            "groups = [" + simulated_group("web", "max = 3") + "]"))
        : assembly(toml) {}
    VirtualAssembly assembly;
    FakeCluster cluster;
    engine::snapshot::ClusterBuilder builder;
    Result<void> may_act{}, keeps{};
    Result<void> gate{};
    std::vector<engine::Memory> kept;
    std::optional<Error> stale_error;
    bool dry_run = false;
    bool wants_pass = false;
    Duration skips_for = 0s;
    std::vector<plugin_runtime::instances::SkippedHook> skipped_hooks;
    std::vector<std::string> told;  ///< what the visitor was told, and when the cluster was read

    struct Visitor final : PassVisitor {
        explicit Visitor(AutoscalerScaleUp& of) : test(of) {}
        void on_refresh(const CloudsView& view,
                        const std::shared_ptr<const std::vector<engine::Group>>& groups) override {
            test.told.push_back("refreshed " + std::to_string(view.states.size()) + " clouds, " +
                                std::to_string(groups->size()) + " groups");
        }
        void on_decision(const PassReport& pass) override {
            test.told.push_back("decided " + std::to_string(pass.decision().increases.size()) +
                                " increases");
        }
        void on_results(const PassReport& pass) override {
            test.told.push_back(std::to_string(pass.results.increases.size()) + " results");
        }
        void on_pass(const std::shared_ptr<const PassReport>& pass) override {
            test.told.push_back(pass->dropped_because.empty() ? "over" : "dropped");
        }
        void on_skip() override { test.told.emplace_back("skipped"); }
        void on_failure(const Error& error, Duration) override {
            test.told.push_back("failed: " + error.message);
        }
        AutoscalerScaleUp& test;
    } visitor{*this};

    void SetUp() override {
        builder.set(
            engine::snapshot::PodObject{.ns = "shop",
                                        .name = "web-1",
                                        .uid = "u1",
                                        .spec = {.requests = {{"cpu", 1000}}},
                                        .unscheduled_reason = "Unschedulable",
                                        .created = assembly.host().loop().clock()->now() - 1h});
    }
    std::unique_ptr<Autoscaler> make() {
        return Autoscaler::make(assembly.config(),
                                {.host = assembly.host(),
                                 .cluster = cluster,
                                 .look = [this]() -> Result<engine::snapshot::Cluster> {
                                     told.emplace_back("read the cluster");
                                     if (stale_error) return fail(*stale_error);
                                     return builder.build();
                                 },
                                 .may_act = [this] { return may_act; },
                                 .keep =
                                     [this](const engine::Memory& memory, MemoryStage stage) {
                                         if (stage == MemoryStage::decided) return Result<void>();
                                         kept.push_back(memory);
                                         return keeps;
                                     },
                                 .gate = [this] { return gate; },
                                 .wants_pass = [this] { return wants_pass; },
                                 .skips_for = skips_for,
                                 .decide =
                                     [this](const PassInput& input,
                                            plugin_runtime::instances::PassThread& thread) {
                                         Result<PassResult> out = decide(input, thread);
                                         if (out) out->skipped_hooks = skipped_hooks;
                                         return out;
                                     },
                                 .visitor = &visitor,
                                 .dry_run = dry_run})
            .value();
    }
    int target() {
        return *assembly.clouds().refresh_now(assembly.host()).groups->at(0).group.target;
    }
};

TEST_F(AutoscalerScaleUp, AddsANodeAndSavesMemoryBeforeAndAfter) {
    const auto autoscaler = make();
    const auto pass = autoscaler->run();
    ASSERT_TRUE(pass) << pass.error();
    ASSERT_EQ((*pass)->decision().increases.size(), 1u);
    EXPECT_THAT((*pass)->results.increases, ElementsAre(std::nullopt));
    EXPECT_EQ(target(), 1);
    ASSERT_EQ(kept.size(), 2u);
    for (const engine::Memory& saved : kept)
        EXPECT_TRUE(saved.requests.contains(NodeGroupId("web")));
    EXPECT_EQ((*pass)->memory, kept[1]);
}

TEST_F(AutoscalerScaleUp, ReadsTheClusterAfterTheClouds) {
    ASSERT_TRUE(make()->run());
    EXPECT_THAT(told, ElementsAre("refreshed 1 clouds, 1 groups", "read the cluster",
                                  "decided 1 increases", "1 results", "over"));
}

TEST_F(AutoscalerScaleUp, ReportsNoResultsOfADecisionThatWasDropped) {
    may_act = fail(ErrorCode::cancelled, "no longer the leader");
    ASSERT_TRUE(make()->run());
    EXPECT_THAT(told, ElementsAre("refreshed 1 clouds, 1 groups", "read the cluster",
                                  "decided 1 increases", "dropped"));
}

TEST_F(AutoscalerScaleUp, DoesNotCountAnUnknownPriceAsAPluginError) {
    ASSERT_TRUE(make()->run());
    const std::string metrics = assembly.host().metrics().text();
    EXPECT_THAT(metrics, HasSubstr("call_duration_seconds_count{hook=\"refresh\",plugin=\"eu\""));
    EXPECT_THAT(metrics, ::testing::Not(HasSubstr("plugin_errors_total{")));
}

TEST_F(AutoscalerScaleUp, DropsADecisionItMustNotCarryOut) {
    may_act = fail(ErrorCode::cancelled, "no longer the leader");
    const auto autoscaler = make();
    const auto pass = autoscaler->run();
    ASSERT_TRUE(pass);
    EXPECT_EQ((*pass)->dropped_because, "no longer the leader");
    EXPECT_EQ((*pass)->decision().increases.size(), 1u);
    EXPECT_TRUE((*pass)->results.increases.empty());
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(target(), 0);
}

TEST_F(AutoscalerScaleUp, SendsNothingThroughAClosedGate) {
    gate = fail(ErrorCode::cancelled, "no longer the leader");
    const auto pass = make()->run();
    ASSERT_TRUE(pass);
    ASSERT_TRUE((*pass)->results.increases.at(0));
    EXPECT_THAT((*pass)->results.increases[0]->message, HasSubstr("no longer the leader"));
    EXPECT_EQ(target(), 0);
}

TEST_F(AutoscalerScaleUp, OrdersNothingUntilTheMemoryIsWritten) {
    skips_for = 1min;
    keeps = fail(ErrorCode::unavailable, "the disk is full");
    const auto autoscaler = make();
    const auto pass = autoscaler->run();
    ASSERT_TRUE(pass) << pass.error();
    ASSERT_EQ((*pass)->decision().increases.size(), 1u);
    ASSERT_TRUE((*pass)->results.increases.at(0));
    EXPECT_EQ((*pass)->results.increases[0]->message, "memory cannot be written: the disk is full");
    EXPECT_EQ((*pass)->unwritten_because, "the disk is full");
    EXPECT_FALSE((*pass)->memory.requests.contains(NodeGroupId("web")));
    EXPECT_FALSE((*pass)->memory.backoffs.contains(NodeGroupId("web")));
    EXPECT_EQ(target(), 0);
    keeps = {};
    const auto next = autoscaler->run();
    ASSERT_TRUE(next && *next);
    EXPECT_THAT((*next)->results.increases, ElementsAre(std::nullopt)) << "written in this pass";
    EXPECT_EQ((*next)->unwritten_because, "");
    EXPECT_EQ(target(), 1);
}

TEST_F(AutoscalerScaleUp, SendsNothingInADryRun) {
    dry_run = true;
    const auto pass = make()->run();
    ASSERT_TRUE(pass);
    EXPECT_EQ((*pass)->decision().increases.size(), 1u);
    EXPECT_TRUE((*pass)->results.increases.empty());
    EXPECT_EQ((*pass)->dropped_because, "");
    EXPECT_TRUE(kept.empty());
    EXPECT_EQ(target(), 0);
}

TEST_F(AutoscalerScaleUp, DecidesNothingWithAStaleView) {
    stale_error = Error{ErrorCode::unavailable, "pods: last synced 2m ago"};
    const auto pass = make()->run();
    ASSERT_FALSE(pass);
    EXPECT_EQ(pass.error().message, "pods: last synced 2m ago");
    EXPECT_EQ(told.back(), "failed: pods: last synced 2m ago");
    EXPECT_EQ(target(), 0);
}

TEST_F(AutoscalerScaleUp, RemembersSinceWhenTheClusterWasUnobserved) {
    const auto autoscaler = make();
    ASSERT_TRUE(autoscaler->run());
    stale_error = Error{ErrorCode::unavailable, "pods: last synced 2m ago"};
    const Time since = assembly.host().loop().clock()->now();
    for (int i = 0; i < 2; ++i) {
        ASSERT_FALSE(autoscaler->run());
        assembly.host().virtual_loop()->advance(30min);
    }
    stale_error.reset();
    const auto synced = autoscaler->run();
    ASSERT_TRUE(synced) << synced.error();
    EXPECT_EQ((*synced)->input.memory.unobserved_since, since);
    EXPECT_EQ((*synced)->memory.unobserved_since, std::nullopt);
}

TEST_F(AutoscalerScaleUp, RequestsNoEarlyPassAfterAFailedOne) {
    const auto autoscaler = make();
    config::Config other = assembly.config();
    other.scale_up.new_pod_delay = 2h;  // the pod is an hour old
    ASSERT_TRUE(autoscaler->apply_config(other));
    ASSERT_TRUE(autoscaler->run());
    ASSERT_TRUE(autoscaler->wake_at());
    stale_error = Error{ErrorCode::unavailable, "pods: last synced 2m ago"};
    ASSERT_FALSE(autoscaler->run());
    EXPECT_FALSE(autoscaler->wake_at()) << "the pass would be repeated immediately, without end";
}

TEST_F(AutoscalerScaleUp, KeepsItsConfigurationIfANewOneIsInvalid) {
    const auto autoscaler = make();
    config::Config other = assembly.config();
    other.pipeline.clouds = {PluginInstanceId("us")};
    EXPECT_FALSE(autoscaler->apply_config(other));
    EXPECT_TRUE(autoscaler->run());
    EXPECT_EQ(target(), 1);
}

TEST_F(AutoscalerScaleUp, AppliesANewConfiguration) {
    const auto autoscaler = make();
    config::Config other = assembly.config();
    other.scale_up.new_pod_delay = 2h;  // the pod is an hour old
    EXPECT_TRUE(autoscaler->apply_config(other));
    EXPECT_TRUE(autoscaler->run());
    EXPECT_EQ(target(), 0);
}

/// A pod that is too new for a scale-up, after the first pass. Time alone changes nothing for an
/// hour.
struct AutoscalerSkip : AutoscalerScaleUp {
    AutoscalerSkip()
        : AutoscalerScaleUp(
              "[pipeline]\nclouds = [\"eu\"]\n[scale_up]\nnew_pod_delay = \"2h\"\n" +
              simulated("eu", "groups = [" + simulated_group("web", "max = 3") + "]")) {}
    void SetUp() override {
        AutoscalerScaleUp::SetUp();
        skips_for = 1min;
        autoscaler = make();
        ASSERT_TRUE(autoscaler->run());
        told.clear();
    }
    void advance(Duration length) { assembly.host().virtual_loop()->advance(length); }
    bool is_next_skipped() {
        const auto pass = autoscaler->run();
        EXPECT_TRUE(pass) << pass.error();
        return pass && *pass == nullptr;
    }
    std::unique_ptr<Autoscaler> autoscaler;
};

TEST_F(AutoscalerSkip, APassThatSeesTheSameDecidesNothing) {
    const auto wake_at = autoscaler->wake_at();
    ASSERT_TRUE(wake_at);
    kept.clear();
    advance(20s);
    EXPECT_TRUE(is_next_skipped());
    EXPECT_THAT(told, ElementsAre("refreshed 1 clouds, 1 groups", "read the cluster", "skipped"));
    EXPECT_THAT(kept, ::testing::IsEmpty());
    EXPECT_EQ(autoscaler->wake_at(), wake_at);
}

TEST_F(AutoscalerSkip, LastsForALimitedTime) {
    advance(20s);
    EXPECT_TRUE(is_next_skipped());
    advance(40s);
    EXPECT_FALSE(is_next_skipped());
}

TEST_F(AutoscalerSkip, EndsWhenTheLastPassAskedForAnother) {
    skips_for = 24h;
    autoscaler = make();
    ASSERT_FALSE(is_next_skipped());
    advance(1h - 1s);
    EXPECT_TRUE(is_next_skipped());
    advance(1s + 1ns);
    EXPECT_FALSE(is_next_skipped()) << "the pod is two hours old";
}

TEST_F(AutoscalerSkip, EndsWhenACloudChanges) {
    assembly.clouds()
        .find(PluginInstanceId("eu"))
        ->increase(
            {.group = NodeGroupId("web"), .delta = 1, .expected_target = 0, .idempotency_key = "k"},
            [](const Result<Resized>& resized) { EXPECT_TRUE(resized) << resized.error(); });
    advance(1s);
    EXPECT_FALSE(is_next_skipped()) << "another client has grown the group";
}

TEST_F(AutoscalerSkip, EndsWhenTheClusterChanges) {
    ASSERT_TRUE(builder.remove_pod("shop", "web-1"));
    EXPECT_FALSE(is_next_skipped());
    EXPECT_TRUE(is_next_skipped());
}

TEST_F(AutoscalerSkip, EndsWhenTheWallClockIsSet) {
    assembly.host().virtual_loop()->step_wall(5min);
    EXPECT_FALSE(is_next_skipped());
}

TEST_F(AutoscalerSkip, EndsWithANewConfigurationATermOrAFailure) {
    ASSERT_TRUE(autoscaler->apply_config(assembly.config()));
    EXPECT_FALSE(is_next_skipped());
    autoscaler->begin(autoscaler->memory());
    EXPECT_FALSE(is_next_skipped());
    stale_error = Error{ErrorCode::unavailable, "pods: last synced 2m ago"};
    ASSERT_FALSE(autoscaler->run());
    stale_error.reset();
    EXPECT_FALSE(is_next_skipped());
}

TEST_F(AutoscalerSkip, IsNotMadeWhileAPassIsWanted) {
    wants_pass = true;
    EXPECT_FALSE(is_next_skipped());
    wants_pass = false;
    EXPECT_TRUE(is_next_skipped());
}

TEST_F(AutoscalerSkip, IsNotMadeUntilTheMemoryIsWritten) {
    EXPECT_TRUE(is_next_skipped());
    wants_pass = true;
    keeps = fail(ErrorCode::unavailable, "the disk is full");
    EXPECT_FALSE(is_next_skipped());
    wants_pass = false;
    EXPECT_FALSE(is_next_skipped());
    keeps = {};
    EXPECT_FALSE(is_next_skipped()) << "it writes the memory";
    EXPECT_FALSE(is_next_skipped()) << "it decides on what was held back";
    EXPECT_TRUE(is_next_skipped());
}

TEST_F(AutoscalerSkip, DoesNotFollowAPassThatSkippedAHook) {
    skipped_hooks = {
        {PluginInstanceId("eu"), plugin_runtime::loop::Hook::price, "it did not return"}};
    wants_pass = true;
    EXPECT_FALSE(is_next_skipped());
    wants_pass = false;
    EXPECT_FALSE(is_next_skipped()) << "the hook may be called again";
    skipped_hooks.clear();
    EXPECT_FALSE(is_next_skipped());
    EXPECT_TRUE(is_next_skipped());
}

TEST_F(AutoscalerSkip, DoesNotFollowAPassThatAskedForSomething) {
    config::Config now = assembly.config();
    now.scale_up.new_pod_delay = 0s;
    ASSERT_TRUE(autoscaler->apply_config(now));
    ASSERT_FALSE(is_next_skipped());
    ASSERT_EQ(target(), 1);
    EXPECT_FALSE(is_next_skipped());
}

/// A cloud that never responds, and a cloud with a group that can grow.
struct AutoscalerWithASilentCloud : AutoscalerScaleUp {
    AutoscalerWithASilentCloud()
        : AutoscalerScaleUp(
              "[pipeline]\nclouds = [\"silent\", \"eu\"]\n" +
              simulated("silent", "latency = \"1h\", groups = [" + simulated_group("db") + "]") +
              simulated("eu", "groups = [" + simulated_group("web", "max = 3") + "]")) {}
};

TEST_F(AutoscalerWithASilentCloud, ScalesUpOtherCloudsAfterFifteenSeconds) {
    const auto autoscaler = make();
    const auto pass = autoscaler->run();
    ASSERT_TRUE(pass) << pass.error();
    EXPECT_EQ(assembly.elapsed(), 15s);
    EXPECT_EQ((*pass)->decision().increases.size(), 1u);
    EXPECT_EQ((*pass)->clouds.at(0).status, CloudStatus::unresponsive);
    EXPECT_EQ((*pass)->input.snapshot.unread.size(), 1u);
    ASSERT_TRUE(autoscaler->run());
    EXPECT_EQ(assembly.elapsed(), 15s) << "its call is still running";
}

TEST_F(AutoscalerWithASilentCloud, NamesTheSilentCloudInReasonsOfPods) {
    for (int i = 2; i < 100; ++i)
        builder.set(
            engine::snapshot::PodObject{.ns = "shop",
                                        .name = "web-" + std::to_string(i),
                                        .uid = "u" + std::to_string(i),
                                        .spec = {.requests = {{"cpu", 3000}}},
                                        .unscheduled_reason = "Unschedulable",
                                        .created = assembly.host().loop().clock()->now() - 1h});
    const auto pass = make()->run();
    ASSERT_TRUE(pass) << pass.error();
    ASSERT_FALSE((*pass)->decision().unschedulable.empty());
    EXPECT_THAT((*pass)->decision().unschedulable[0].reason.sentence,
                HasSubstr("node groups of cloud silent are unknown: cloud silent has not "
                          "responded since 2026-01-01T00:00:00Z"));
}

/// A cloud that refuses every call.
struct AutoscalerWithAFailingCloud : AutoscalerScaleUp {
    AutoscalerWithAFailingCloud()
        : AutoscalerScaleUp(
              "[pipeline]\nclouds = [\"eu\"]\n" +
              simulated("eu",
                        "fail = { code = \"throttled\", message = \"slow down\" }, groups = [" +
                            simulated_group("web", "max = 3") + "]")) {}
};

TEST_F(AutoscalerWithAFailingCloud, BacksOffTheCloudForATimeButNotAcrossAStart) {
    const auto autoscaler = make();
    const auto failed = autoscaler->run();
    ASSERT_TRUE(failed) << failed.error();
    EXPECT_EQ((*failed)->clouds.at(0).status, CloudStatus::failed);
    ASSERT_EQ((*failed)->memory.cloud_backoffs.size(), 1u);
    const auto backed_off = autoscaler->run();
    ASSERT_TRUE(backed_off) << backed_off.error();
    EXPECT_EQ((*backed_off)->clouds.at(0).status, CloudStatus::backed_off);
    EXPECT_EQ((*backed_off)->input.memory.cloud_backoffs.size(), 1u) << "a replay has it as well";
    assembly.host().virtual_loop()->advance(25s);
    EXPECT_EQ((*autoscaler->run())->clouds.at(0).status, CloudStatus::failed);
    autoscaler->begin((*backed_off)->memory);
    EXPECT_EQ((*autoscaler->run())->clouds.at(0).status, CloudStatus::failed);
}

/// A group with one empty node; each call of the cloud takes a second.
struct AutoscalerScaleDown : ::testing::Test {
    VirtualAssembly assembly{
        "[pipeline]\nclouds = [\"eu\"]\n[scale_down]\nunneeded_time = \"0s\"\n"
        "max_bulk_soft_taint_count = 0\n" +
        simulated("eu", "latency = \"1s\", groups = [" + simulated_group("web", "size = 1") + "]")};
    FakeCluster cluster;
    engine::snapshot::ClusterBuilder builder;
    std::function<std::string()> unobserved_because = [] { return std::string(); };
    Result<void> keeps{};

    AutoscalerScaleDown() {
        const Resources amounts{{"cpu", 4000}, {"memory", std::int64_t{16} << 30}, {"pods", 110}};
        builder.set(engine::snapshot::NodeObject{.name = "web-1",
                                                 .provider_id = "simulated://web/1",
                                                 .capacity = amounts,
                                                 .allocatable = amounts});
    }
    std::unique_ptr<Autoscaler> make(bool dry_run) {
        return Autoscaler::make(assembly.config(),
                                {.host = assembly.host(),
                                 .cluster = cluster,
                                 .look = [this] { return builder.build(); },
                                 .unobserved_because = [this] { return unobserved_because(); },
                                 .may_act = [] { return Result<void>(); },
                                 .keep =
                                     [this](const engine::Memory&, MemoryStage stage) {
                                         return stage == MemoryStage::decided ? Result<void>()
                                                                              : keeps;
                                     },
                                 .gate = [] { return Result<void>(); },
                                 .dry_run = dry_run})
            .value();
    }
};

TEST_F(AutoscalerScaleDown, RequestsAPassAfterTheTaintDelay) {
    const auto autoscaler = make(false);
    ASSERT_TRUE(autoscaler->run());
    const auto marked = autoscaler->run();
    ASSERT_TRUE(marked) << marked.error();
    EXPECT_THAT(cluster.requests, ElementsAre("recheck web-1", "change web-1"));
    EXPECT_EQ(autoscaler->wake_at(), (*marked)->at + 5s) << "node_delete_delay_after_taint";
}

TEST_F(AutoscalerScaleDown, IsStoppedIfTheViewGetsStaleDuringTheRefresh) {
    const Duration start = assembly.host().loop().monotonic();
    unobserved_because = [this, start] {
        return std::string(assembly.host().loop().monotonic() > start ? "Pod is not synced" : "");
    };
    const auto pass = make(false)->run();
    ASSERT_TRUE(pass) << pass.error();
    EXPECT_EQ((*pass)->input.call_context.unobserved_because, "Pod is not synced");
}

TEST_F(AutoscalerScaleDown, TaintsNothingIfTheViewGetsStaleAfterTheDecision) {
    const auto autoscaler = make(false);
    ASSERT_TRUE(autoscaler->run());
    int calls = 0;
    unobserved_because = [&calls] { return std::string(++calls > 1 ? "Pod is not synced" : ""); };
    const auto held = autoscaler->run();
    ASSERT_TRUE(held) << held.error();
    ASSERT_EQ((*held)->decision().node_changes.size(), 1u);
    EXPECT_EQ((*held)->results.node_changes.at(0)->code, ErrorCode::cancelled);
    EXPECT_THAT(cluster.requests, ::testing::IsEmpty());
    unobserved_because = [] { return std::string(); };
    ASSERT_TRUE(autoscaler->run());
    EXPECT_THAT(cluster.requests, ElementsAre("recheck web-1", "change web-1"));
}

TEST_F(AutoscalerScaleDown, TaintsNothingUntilTheMemoryIsWritten) {
    const auto autoscaler = make(false);
    keeps = fail(ErrorCode::unavailable, "the disk is full");
    ASSERT_TRUE(autoscaler->run());
    const auto held = autoscaler->run();
    ASSERT_TRUE(held) << held.error();
    EXPECT_THAT((*held)->decision().node_changes, ::testing::IsEmpty());
    EXPECT_EQ((*held)->decision().no_removals_because,
              "memory cannot be written: the disk is full");
    keeps = {};
    ASSERT_TRUE(autoscaler->run());
    EXPECT_THAT(cluster.requests, ::testing::IsEmpty());
    ASSERT_TRUE(autoscaler->run());
    EXPECT_THAT(cluster.requests, ElementsAre("recheck web-1", "change web-1"));
}

TEST_F(AutoscalerScaleDown, RequestsNoEarlyPassInADryRun) {
    const auto autoscaler = make(true);
    ASSERT_TRUE(autoscaler->run());
    const auto decided = autoscaler->run();
    ASSERT_TRUE(decided) << decided.error();
    EXPECT_EQ((*decided)->decision().node_changes.size(), 1u);
    EXPECT_EQ(autoscaler->wake_at(), std::nullopt) << "the next pass follows the scan interval";
}

}  // namespace
}  // namespace capstan::autoscaler
