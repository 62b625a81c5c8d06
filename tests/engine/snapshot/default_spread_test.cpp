#include "engine/snapshot/default_spread.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include <capstan/well_known.hpp>

#include "snapshot_objects.hpp"

namespace capstan::engine::snapshot {
namespace {

LabelSelector labels(Labels all) { return {.match_labels = std::move(all)}; }
Requirement among(std::string key, std::vector<std::string> values) {
    return {.key = std::move(key), .op = Operator::in, .values = std::move(values)};
}
ServiceObject service(std::string name, Labels selector, std::string ns = "default") {
    return {.ns = std::move(ns), .name = std::move(name), .selector = std::move(selector)};
}
ControllerObject controller(std::string kind, std::optional<LabelSelector> selector,
                            std::string ns = "default") {
    return {.kind = std::move(kind),
            .ns = std::move(ns),
            .name = "web",
            .replicas = 3,
            .selector = std::move(selector)};
}
PodOwner owner(std::string kind, std::string group, std::string name = "web") {
    return {.kind = std::move(kind), .api_group = std::move(group), .name = std::move(name)};
}

/// A pod with app=web, tier=front, rev=1.
PodObject web(PodOwner of = {}) {
    PodObject out = pod("web-1");
    out.labels = {{"app", "web"}, {"tier", "front"}, {"rev", "1"}};
    out.owner = std::move(of);
    return out;
}

const PodOwner replica_set = owner("ReplicaSet", "apps");

TEST(DefaultSelectors, CombineServicesAndTheController) {
    const LabelSelector app = labels({{"app", "web"}});
    const LabelSelector rev = {.match_labels = {{"rev", "1"}},
                               .match_expressions = {among("tier", {"front", "back"})}};
    const struct {
        const char* name;
        std::vector<ServiceObject> services;
        std::vector<ControllerObject> controllers;
        PodOwner owner;
        LabelSelector expected;
    } cases[] = {
        {"none", {}, {}, {}, {}},
        {"a service", {service("a", {{"app", "web"}})}, {}, {}, app},
        {"services that do not select the pod",
         {service("a", {{"app", "db"}}), service("b", {{"app", "web"}, {"tier", "back"}}),
          service("c", {{"zone", "1"}})},
         {},
         {},
         {}},
        {"a service without a selector", {service("a", {})}, {}, {}, {}},
        {"a service of another namespace", {service("a", {{"app", "web"}}, "shop")}, {}, {}, {}},
        {"several services",
         {service("a", {{"app", "web"}}), service("b", {{"app", "web"}, {"tier", "front"}}),
          service("c", {{"rev", "2"}})},
         {},
         {},
         labels({{"app", "web"}, {"tier", "front"}})},
        {"a replica set", {}, {controller("ReplicaSet", rev)}, replica_set, rev},
        {"a stateful set", {}, {controller("StatefulSet", rev)}, owner("StatefulSet", "apps"), rev},
        {"a replication controller",
         {},
         {controller("ReplicationController", app)},
         owner("ReplicationController", ""),
         app},
        {"a service and a controller",
         {service("a", {{"app", "web"}})},
         {controller("ReplicaSet", rev)},
         replica_set,
         {.match_labels = {{"app", "web"}, {"rev", "1"}},
          .match_expressions = {among("tier", {"front", "back"})}}},
        {"a service and a controller with the same label",
         {service("a", {{"app", "web"}})},
         {controller("ReplicaSet", app)},
         replica_set,
         app},
        {"a controller that does not select the pod",
         {service("a", {{"app", "web"}})},
         {controller("ReplicaSet", labels({{"app", "old"}}))},
         replica_set,
         {.match_labels = {{"app", "web"}}, .match_expressions = {among("app", {"old"})}}},
        {"an unknown controller", {}, {}, replica_set, {}},
        {"a controller without a selector",
         {},
         {controller("ReplicaSet", std::nullopt)},
         replica_set,
         {}},
        {"a controller of another namespace",
         {},
         {controller("ReplicaSet", app, "shop")},
         replica_set,
         {}},
        {"a controller with another name",
         {},
         {controller("ReplicaSet", app)},
         owner("ReplicaSet", "apps", "db"),
         {}},
        {"a stateful set of another API group",
         {},
         {controller("StatefulSet", app)},
         owner("StatefulSet", "apps.example.com"),
         {}},
        {"a replication controller of another API group",
         {},
         {controller("ReplicationController", app)},
         owner("ReplicationController", "apps"),
         {}},
        {"a job", {}, {controller("Job", app)}, owner("Job", "batch"), {}},
        {"a pod of a daemon set that a service selects",
         {service("a", {{"app", "web"}})},
         {},
         owner("DaemonSet", "apps"),
         app},
    };
    for (const auto& each : cases) {
        ClusterBuilder builder;
        for (const ServiceObject& object : each.services) builder.set(object);
        for (const ControllerObject& object : each.controllers) builder.set(object);
        const PodGroupId id = builder.add_equivalence_group(web(each.owner));
        const Cluster cluster = builder.build();
        EXPECT_EQ(DefaultSelectors(cluster).of(cluster.equivalence_group(id)), each.expected)
            << each.name;
    }
}

/// Default constraints over zones and racks, for pods that a Service selects.
struct DefaultSpreadConstraints : ::testing::Test {
    ClusterBuilder builder{};
    std::vector<DefaultSpread> defaults{{.topology_key = "zone", .max_skew = 2},
                                        {.topology_key = "rack"}};

    void SetUp() override { builder.set(service("web", {{"app", "web"}})); }
    std::vector<std::string> keys(PodGroupId id) {
        std::vector<std::string> out;
        const Cluster cluster = with_default_spread(builder.build(), defaults);
        for (const SpreadConstraint& each : cluster.spread(id)) out.push_back(each.topology_key);
        return out;
    }
    using Keys = std::vector<std::string>;
};

TEST_F(DefaultSpreadConstraints, ApplyToPodsWithoutConstraints) {
    const PodGroupId id = builder.add_equivalence_group(web());
    const Cluster before = builder.build();
    const Cluster after = with_default_spread(before, defaults);
    const LabelSelector app = labels({{"app", "web"}});
    ASSERT_EQ(after.spread(id).size(), 2u);
    EXPECT_EQ(after.spread(id)[0],
              (SpreadConstraint{.max_skew = 2, .topology_key = "zone", .selector = app}));
    EXPECT_EQ(after.spread(id)[1], (SpreadConstraint{.topology_key = "rack", .selector = app}));
    EXPECT_TRUE(before.spread(id).empty()) << "the original does not change";
    EXPECT_TRUE(after.equivalence_group(id).spec->spread.empty()) << "the spec does not change";
    EXPECT_GT(after.bytes(), before.bytes());
    EXPECT_TRUE(with_default_spread(before, {}).spread(id).empty());
}

TEST_F(DefaultSpreadConstraints, DoNotApplyToPodsWithConstraints) {
    PodObject hard = web(), soft = web(), unselected = web();
    hard.spec.spread = {{.topology_key = "host"}};
    soft.spec.has_soft_spread = true;
    unselected.labels = {{"app", "db"}};
    EXPECT_EQ(keys(builder.add_equivalence_group(hard)), (Keys{"host"}));
    EXPECT_EQ(keys(builder.add_equivalence_group(soft)), (Keys{}));
    EXPECT_EQ(keys(builder.add_equivalence_group(unselected)), (Keys{}));
    EXPECT_EQ(keys(builder.add_equivalence_group(web())), (Keys{"zone", "rack"}));
}

TEST_F(DefaultSpreadConstraints, DoNotApplyToPodsWhoseOwnConstraintHasTimedOut) {
    PodObject timed_out = web();
    timed_out.annotations[std::string(default_spread_timeout_annotation)] = "5m";
    timed_out.spec.spread = {{.topology_key = std::string(well_known::zone_label)}};
    const PodGroupId id = builder.add_equivalence_group(timed_out);
    EXPECT_EQ(keys(builder.build().equivalence_group(id).lapsed), (Keys{}));
}

TEST_F(DefaultSpreadConstraints, FollowServicesAndControllers) {
    const PodGroupId id = builder.add_equivalence_group(web(replica_set));
    builder.remove(ObjectKind::service, "default", "web");
    EXPECT_EQ(keys(id), (Keys{}));
    std::uint64_t changes = builder.changes();
    builder.set(controller("ReplicaSet", labels({{"rev", "1"}})));
    EXPECT_EQ(builder.changes(), ++changes);
    EXPECT_EQ(keys(id), (Keys{"zone", "rack"}));
    builder.set(controller("ReplicaSet", std::nullopt));
    EXPECT_EQ(builder.changes(), ++changes) << "the selector changed";
    EXPECT_EQ(keys(id), (Keys{}));
    builder.set(service("late", {{"tier", "front"}}));
    EXPECT_EQ(builder.changes(), ++changes);
    EXPECT_EQ(keys(id), (Keys{"zone", "rack"}));
}

/// The result depends neither on names nor on the order of objects.
TEST(DefaultSelectors, DoNotDependOnTheOrderOfServices) {
    const auto selector = [](std::initializer_list<const char*> names) {
        ClusterBuilder builder;
        int i = 0;
        for (const char* name : names)
            builder.set(service(name, ++i % 2 == 0 ? Labels{{"app", "web"}, {"rev", "1"}}
                                                   : Labels{{"tier", "front"}, {"app", "web"}}));
        const PodGroupId id = builder.add_equivalence_group(web());
        const Cluster cluster = builder.build();
        return DefaultSelectors(cluster).of(cluster.equivalence_group(id));
    };
    EXPECT_EQ(selector({"a", "b", "c"}), selector({"z", "c", "b", "a"}));
}

}  // namespace
}  // namespace capstan::engine::snapshot
