#include "config.hpp"

#include <gmock/gmock.h>

#include <tuple>

#include <capstan/testing/fake_settings.hpp>

#include "watched_config_map.hpp"

namespace capstan::expanders {
namespace {

using ::testing::ElementsAre;
using testing::FakeSettings;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list;
using testing::Rejection;
using testing::table;
using tests::WatchedConfigMap;

TEST(PriorityConfig, HasNoTiersByDefault) {
    FakeSettings settings(priority_schema());
    check_priority(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    EXPECT_THAT(tiers_of(read_priority(settings.view())).value(), IsEmpty());
}

TEST(PriorityConfig, SortsTheHighestPriorityFirst) {
    FakeSettings settings(priority_schema());
    settings.set("priorities", table({{"-9223372036854775808", list("a")},
                                      {"10", list("b", "c")},
                                      {"+20", list()},
                                      {"9223372036854775807", list("d")}}));
    const Tiers tiers = tiers_of(read_priority(settings.view())).value();
    std::vector<std::int64_t> order;
    for (const auto& [priority, patterns] : tiers) order.push_back(priority);
    EXPECT_THAT(order, ElementsAre(INT64_MAX, 20, 10, INT64_MIN));
    EXPECT_EQ(tiers.at(10).size(), 2u);
    EXPECT_EQ(tiers.at(10).front().written(), "b");
}

TEST(PriorityConfig, ReportsEachMistakeWithItsPath) {
    FakeSettings settings(priority_schema());
    settings.set("priorities",
                 table({{"high", list("a")}, {"5", list("ok", "(", "[z-a]")}, {"+5", list("b")}}));
    check_priority(settings.view());
    ASSERT_EQ(settings.rejections().size(), 4u);
    EXPECT_EQ(settings.rejections()[0],
              (Rejection{"priorities.high", "priority \"high\": not a 64-bit integer"}));
    EXPECT_EQ(settings.rejections()[1],
              (Rejection{"priorities.5", "regular expression \"(\": missing ): ("}));
    EXPECT_THAT(settings.rejections()[2].why, HasSubstr("\"[z-a]\""));
    EXPECT_EQ(settings.rejections()[3], (Rejection{"priorities.+5", "duplicate priority 5"}));
}

TEST(PriorityConfig, RejectsEmptyPriorities) {
    FakeSettings table_settings(priority_schema());
    table_settings.set("priorities", table({}));
    check_priority(table_settings.view());
    EXPECT_THAT(table_settings.rejections(),
                ElementsAre(Rejection{"priorities", "has no priorities"}));

    FakeSettings yaml_settings(priority_schema());
    yaml_settings.set("yaml", "");
    check_priority(yaml_settings.view());
    EXPECT_THAT(yaml_settings.rejections(),
                ElementsAre(Rejection{"yaml", "the document is empty"}));
}

TEST(PriorityConfig, ReadsUpstreamYaml) {
    FakeSettings settings(priority_schema());
    settings.set("yaml", "10:\n  - .*t2\\.large.*\n50:\n  - .*m4\\.4xlarge.*\n");
    const Tiers tiers = tiers_of(read_priority(settings.view())).value();
    EXPECT_TRUE(tiers.at(50).front().matches("asg-m4.4xlarge-1"));
    EXPECT_FALSE(tiers.at(10).front().matches("asg-t2-large"));
}

TEST(PriorityConfig, RejectsTwoSources) {
    FakeSettings settings(priority_schema());
    settings.set("yaml", "10: [a]").set("priorities", table({{"10", list("a")}}));
    check_priority(settings.view());
    EXPECT_THAT(settings.rejections(),
                ElementsAre(Rejection{"yaml", "priorities is also set; remove one of them"}));
    EXPECT_EQ(tiers_of(read_priority(settings.view())).error().message,
              "yaml: priorities is also set; remove one of them");
}

TEST(PriorityConfig, RejectsAConfigMapInAdditionToAnotherSource) {
    FakeSettings settings(priority_schema());
    settings.set("config_map", "kube-system/a").set("yaml", "10: [a]");
    check_priority(settings.view());
    EXPECT_THAT(settings.rejections(),
                ElementsAre(Rejection{"config_map", "yaml is also set; remove one of them"}));

    FakeSettings three(priority_schema());
    three.set("config_map", "kube-system/a").set("yaml", "10: [a]");
    three.set("priorities", table({{"10", list("a")}}));
    check_priority(three.view());
    EXPECT_THAT(three.rejections(),
                ElementsAre(Rejection{"yaml", "priorities is also set; remove one of them"},
                            Rejection{"config_map", "priorities is also set; remove one of them"}));
}

TEST(PriorityConfig, AcceptsTheNameOfOneConfigMap) {
    FakeSettings settings(priority_schema());
    settings.set("config_map", "kube-system/cluster-autoscaler-priority-expander.v2");
    check_priority(settings.view());
    EXPECT_THAT(settings.rejections(), IsEmpty());
    const PriorityConfig config = read_priority(settings.view());
    EXPECT_EQ(config.config_map,
              (ConfigMapName{"kube-system", "cluster-autoscaler-priority-expander.v2"}));
    EXPECT_THAT(config.tiers, IsEmpty());
}

TEST(PriorityConfig, RejectsAnInvalidConfigMapName) {
    const std::string long_name(64, 'a');
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {"", "\"\": expected NAMESPACE/NAME"},
             {"priorities", "\"priorities\": expected NAMESPACE/NAME"},
             {"/a", "\"\" is not a valid namespace"},
             {"Kube/a", "\"Kube\" is not a valid namespace"},
             {"kube.system/a", "\"kube.system\" is not a valid namespace"},
             {long_name + "/a", "\"" + long_name + "\" is not a valid namespace"},
             {"a/", "\"\" is not a valid ConfigMap name"},
             {"a/b/c", "\"b/c\" is not a valid ConfigMap name"},
             {"a/b,metadata.name!=b", "\"b,metadata.name!=b\" is not a valid ConfigMap name"},
             {"a/b..c", "\"b..c\" is not a valid ConfigMap name"},
             {"a/-b", "\"-b\" is not a valid ConfigMap name"}}) {
        FakeSettings settings(priority_schema());
        settings.set("config_map", text);
        check_priority(settings.view());
        EXPECT_THAT(settings.rejections(), ElementsAre(Rejection{"config_map", why}));
    }
}

TEST(PriorityConfigMap, ReportsInTheSelfCheckHowToCreateTheConfigMap) {
    WatchedConfigMap watched;
    ASSERT_TRUE(watched.start());
    const Result<void> missing = run(watched.host, watched.map->check());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message,
              "ConfigMap kube-system/prio does not exist; all options are kept; create it: "
              "kubectl -n kube-system create configmap prio --from-file=priorities=FILE");
    watched.write("10: [(]");
    EXPECT_EQ(run(watched.host, watched.map->check()).error().code, ErrorCode::invalid_config);
    watched.write("10: [a]");
    EXPECT_TRUE(run(watched.host, watched.map->check()));
    watched.remove();
    EXPECT_EQ(run(watched.host, watched.map->check()).error().code, ErrorCode::not_found);
}

TEST(PriorityConfigMap, AppliesTheCurrentDataAndEachChange) {
    WatchedConfigMap watched;
    watched.write("10: [a]");
    ASSERT_TRUE(watched.start());
    EXPECT_THAT(watched.priorities(), ElementsAre(10));
    watched.write("20: [b]");
    EXPECT_THAT(watched.priorities(), ElementsAre(10, 20));
    EXPECT_EQ(watched.delivered.back().at(20).front().written(), "b");
    watched.map->stop();
    watched.write("30: [c]");
    EXPECT_THAT(watched.priorities(), ElementsAre(10, 20));
    EXPECT_THAT(watched.warnings(), IsEmpty());
}

TEST(PriorityConfigMap, KeepsTheLastValidPriorities) {
    WatchedConfigMap watched;
    watched.write("10: [a]");
    ASSERT_TRUE(watched.start());
    watched.write("10: ['(']");
    const std::string parsed =
        "key priorities: line 1, column 6: regular expression \"(\": missing ): (; the last "
        "valid priorities stay in use";
    EXPECT_THAT(watched.warnings(), ElementsAre("ConfigMap kube-system/prio: " + parsed));
    EXPECT_THAT(watched.events(), ElementsAre("PriorityConfigMapInvalid: " + parsed));
    watched.write_data(Json::object({{"other", "10: [b]"}}));
    EXPECT_THAT(watched.events().back(),
                "PriorityConfigMapInvalid: has no string under the key priorities; the last valid "
                "priorities stay in use");
    EXPECT_THAT(watched.priorities(), ElementsAre(10));
    watched.write("10: [a]");
    EXPECT_THAT(watched.priorities(), ElementsAre(10, 10));
}

TEST(PriorityConfigMap, WarnsOnceAboutAnInvalidVersionAndAgainIfItReturns) {
    WatchedConfigMap watched;
    watched.write("high: [a]");
    ASSERT_TRUE(watched.start());
    const Json broken = Json::object({{"priorities", "high: [a]"}});
    watched.write_data(broken, "kube-system", "prio", "another label");
    EXPECT_EQ(watched.events().size(), 1u);
    EXPECT_THAT(watched.events().front(), ::testing::EndsWith("; all options are kept"));
    watched.write("10: [a]");
    watched.write_data(broken);
    EXPECT_EQ(watched.events().size(), 2u);
    EXPECT_EQ(watched.warnings().size(), 2u);
}

TEST(PriorityConfigMap, KeepsPrioritiesAfterADeletionAndReadsANewObject) {
    WatchedConfigMap watched;
    watched.write("10: [a]");
    ASSERT_TRUE(watched.start());
    watched.remove();
    EXPECT_THAT(
        watched.events(),
        ElementsAre(
            "PriorityConfigMapInvalid: does not exist; the last valid priorities stay in use"));
    watched.write("10: [a]");
    EXPECT_THAT(watched.priorities(), ElementsAre(10, 10));
}

TEST(PriorityConfigMap, WarnsAndWaitsIfItDoesNotExist) {
    WatchedConfigMap watched;
    ASSERT_TRUE(watched.start());
    EXPECT_THAT(watched.warnings(),
                ElementsAre("ConfigMap kube-system/prio: does not exist; all options are kept"));
    watched.write("10: [a]");
    EXPECT_THAT(watched.priorities(), ElementsAre(10));
}

TEST(PriorityConfigMap, IgnoresOtherConfigMaps) {
    WatchedConfigMap watched;
    watched.write("10: [a]");
    const Json other = Json::object({{"priorities", "20: [b]"}});
    watched.write_data(other, "kube-system", "prio2");
    ASSERT_TRUE(watched.start());
    watched.write_data(other, "default", "prio");
    watched.write_data(Json::object({{"priorities", "("}}), "kube-system", "another");
    EXPECT_THAT(watched.priorities(), ElementsAre(10));
    EXPECT_THAT(watched.warnings(), IsEmpty());
}

TEST(PriorityConfigMap, KeepsPrioritiesWhileTheClusterIsUnavailable) {
    WatchedConfigMap watched;
    watched.write("10: [a]");
    ASSERT_TRUE(watched.start());
    for (int i = 0; i < 2; ++i) watched.host.kube().trouble({ErrorCode::unavailable, "away"});
    watched.host.run();
    EXPECT_THAT(watched.warnings(), ElementsAre("ConfigMap kube-system/prio cannot be watched: "
                                                "away; the last valid priorities stay in use"));
    EXPECT_THAT(watched.priorities(), ElementsAre(10));
    watched.write("20: [b]");
    EXPECT_THAT(watched.priorities(), ElementsAre(10, 20));
}

TEST(PriorityConfigMap, DoesNotWarnIfTheHostClosesTheWatch) {
    WatchedConfigMap watched;
    watched.write("10: [a]");
    ASSERT_TRUE(watched.start());
    watched.host.kube().trouble({ErrorCode::cancelled, "the host closes"});
    watched.host.run();
    EXPECT_THAT(watched.warnings(), IsEmpty());
}

TEST(PriorityConfigMap, LogsWithoutEventsIfTheyAreNotGranted) {
    WatchedConfigMap watched;
    watched.host.kube().grant("configmaps:list,watch");
    ASSERT_TRUE(watched.start());
    EXPECT_THAT(watched.events(), IsEmpty());
    EXPECT_EQ(watched.warnings().size(), 1u);
}

TEST(PriorityConfigMap, NamesTheMissingGrant) {
    WatchedConfigMap watched;
    watched.host.withhold(CAPSTAN_SERVICE_KUBE);
    try {
        std::ignore = watched.start();
        ADD_FAILURE() << "an instance was created";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error(),
                  (Error{ErrorCode::permission,
                         "config_map: to watch ConfigMap kube-system/prio add grants = { kube = "
                         "[\"configmaps:list,watch@kube-system\"] } to plugin.test"}));
    }
}

TEST(PriorityConfigMap, DoesNotStartWithoutTheGrant) {
    WatchedConfigMap watched;
    watched.host.kube().grant("configmaps:list");
    const Result<void> started = watched.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::permission);
    EXPECT_THAT(started.error().message,
                HasSubstr("add grants = { kube = [\"configmaps:list,watch@kube-system\"] }"));
}

}  // namespace
}  // namespace capstan::expanders
