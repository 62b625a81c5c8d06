#include "engine/drainability/eligibility.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "drain_case.hpp"
#include "engine/removal/removal.hpp"

namespace capstan::engine::drainability {
namespace {

constexpr const char* disabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

struct EligibilityCase {
    const char* what;
    std::function<void(TestCluster&, Memory&, health::Readiness&)> change;
    Unremovable reason;
    const char* because = "";
};

void tainted(TestCluster& test_cluster, std::string value) {
    test_cluster.change_node("web-1").taints = {
        {.key = std::string(to_be_deleted_taint), .value = std::move(value)}};
}

std::string seconds(Time t) { return std::to_string(unix_ns(t) / 1'000'000'000); }

NodeRemoval removal(RemovalPhase phase) {
    return {.group = NodeGroupId("web"),
            .phase = phase,
            .since = noon - 5min,
            .phase_since = noon - 1min,
            .because = "unneeded for 10m"};
}

std::optional<drainability::Ineligible> find_ineligible_in(const EligibilityCase& c) {
    TestCluster test_cluster = one_node();
    Memory memory;
    health::Readiness readiness = health::Readiness::ready;
    c.change(test_cluster, memory, readiness);
    const Snapshot snapshot = test_cluster.snapshot();
    const health::Health health{.readiness = {readiness}};
    return drainability::find_ineligible(
        {snapshot, templates::make_membership(snapshot), memory, {}, noon}, health, 0);
}

void check_eligibility(const std::vector<EligibilityCase>& cases) {
    for (const EligibilityCase& c : cases) {
        SCOPED_TRACE(c.what);
        const auto ineligible = find_ineligible_in(c);
        EXPECT_EQ(ineligible ? ineligible->reason : Unremovable::none, c.reason);
        EXPECT_EQ(ineligible ? ineligible->because : "", c.because);
    }
}

TEST(Eligibility, IncludesNodesOfAGroupUnlessTheyMayStillStart) {
    check_eligibility({
        {"ready", [](TestCluster&, Memory&, health::Readiness&) {}, Unremovable::none},
        {"not ready",
         [](TestCluster&, Memory&, health::Readiness& r) { r = health::Readiness::unready; },
         Unremovable::none},
        {"never started",
         [](TestCluster&, Memory&, health::Readiness& r) { r = health::Readiness::long_starting; },
         Unremovable::none},
        {"starting",
         [](TestCluster&, Memory&, health::Readiness& r) { r = health::Readiness::starting; },
         Unremovable::no_node_info, "not started yet; pending pods are planned on it"},
    });
}

TEST(Eligibility, IncludesStartingNodesWithAReadinessTaint) {
    TestCluster test_cluster = one_node();
    test_cluster.change_node("web-1").taints = {{.key = "checks-pending"}};
    const Snapshot snapshot = test_cluster.snapshot();
    const health::Health health{.readiness = {health::Readiness::starting}};
    Settings settings;
    const auto find = [&] {
        return drainability::find_ineligible(
            {snapshot, templates::make_membership(snapshot), {}, settings, noon}, health, 0);
    };
    EXPECT_TRUE(find());
    settings.readiness_taints = {"checks-pending"};
    EXPECT_FALSE(find());
}

TEST(Eligibility, ExcludesNodesWithoutAGroup) {
    TestCluster test_cluster;
    test_cluster.node("mine");
    const Snapshot snapshot = test_cluster.snapshot();
    const auto ineligible = drainability::find_ineligible(
        {snapshot, templates::make_membership(snapshot), {}, {}, noon},
        {.readiness = {health::Readiness::starting}}, 0);
    ASSERT_TRUE(ineligible);
    EXPECT_EQ(ineligible->reason, Unremovable::not_autoscaled);
}

TEST(Eligibility, ExcludesNodesWhoseProviderIdAnotherReadyNodeHas) {
    const auto with_twin = [](bool ready) {
        return [=](TestCluster& test_cluster, Memory&, health::Readiness&) {
            test_cluster.pod("web", "web-1");
            test_cluster.change_node("web-1").provider_id = "web-1";
            auto& twin = test_cluster.node("web-2");
            twin.provider_id = "web-1";
            twin.ready = ready;
        };
    };
    check_eligibility({
        {"ready", with_twin(true), Unremovable::unexpected_error,
         "node web-2 has the same providerID and is ready; correct spec.providerID of one of them"},
        {"not ready", with_twin(false), Unremovable::none},
    });
}

TEST(Eligibility, HonoursTheScaleDownDisabledAnnotation) {
    const auto annotated = [](const char* word) {
        return [=](TestCluster& w, Memory&, health::Readiness&) {
            w.change_node("web-1").annotations = {{disabled, word}};
        };
    };
    check_eligibility({
        {"disabled", annotated("true"), Unremovable::scale_down_disabled_annotation,
         "annotation cluster-autoscaler.kubernetes.io/scale-down-disabled is true"},
        {"not disabled", annotated("false"), Unremovable::none},
        {"unknown value", annotated("True"), Unremovable::none},
    });
}

TEST(Eligibility, ReportsTheProgressOfARemoval) {
    const auto at = [](RemovalPhase phase) {
        return [=](TestCluster&, Memory& m, health::Readiness&) {
            m.removals["web-1"] = removal(phase);
        };
    };
    const auto reason = Unremovable::currently_being_deleted;
    check_eligibility({
        {"draining", at(RemovalPhase::draining), reason,
         "removal in progress for 5m: evicting its pods (1m so far); unneeded for 10m"},
        {"undoing", at(RemovalPhase::undoing), reason,
         "removal in progress for 5m: being cancelled (1m so far); unneeded for 10m"},
        {"removal of another node",
         [](TestCluster&, Memory& m, health::Readiness&) {
             m.removals["web-2"] = removal(RemovalPhase::draining);
         },
         Unremovable::none},
        {"before other reasons",
         [&](TestCluster& w, Memory& m, health::Readiness& r) {
             at(RemovalPhase::removed)(w, m, r);
             w.change_node("web-1").annotations = {{disabled, "true"}};
             r = health::Readiness::deleted;
         },
         reason,
         "removal in progress for 5m: waiting for the machine to terminate (1m so far); unneeded "
         "for 10m"},
        {"machine deleted by another client",
         [](TestCluster&, Memory&, health::Readiness& r) { r = health::Readiness::deleted; },
         reason, "the machine is deleted or being deleted"},
    });
}

TEST(Eligibility, NamesThePodWhoseEvictionIsRefused) {
    const auto refused = [](Memory& m) {
        m.removals["web-1"] = removal(RemovalPhase::draining);
        m.removals["web-1"].evictions = {{"shop/a/u1",
                                          {.refused = noon,
                                           .refused_because = "the budget a allows none",
                                           .refused_since = noon - 50s}},
                                         {"shop/b/u2",
                                          {.refused = noon,
                                           .refused_because = "a policy denies it",
                                           .refused_since = noon - 40s,
                                           .barred_since = noon - 40s}},
                                         {"shop/c/u3", {.agreed = noon}}};
    };
    const EligibilityCase c{
        "refused", [&](TestCluster&, Memory& m, health::Readiness&) { refused(m); },
        Unremovable::currently_being_deleted,
        "removal in progress for 5m: evicting its pods (1m so far); eviction of pod shop/b refused "
        "for 40s: a policy denies it; also refused: 1 more pod; unneeded for 10m"};
    check_eligibility({c});
    EXPECT_EQ(find_ineligible_in(c)->pod, "shop/b");
}

TEST(Eligibility, ExcludesNodesThatAreBackedOff) {
    const EligibilityCase c{
        "failed",
        [](TestCluster&, Memory& m, health::Readiness&) {
            m.removal_backoffs[NodeGroupId("web")][MachineId("web-1")] = {
                .until = noon + 90s, .failures = 2, .because = "pod shop/b cannot be evicted"};
        },
        Unremovable::recently_unremovable,
        "removal backed off until 15:08:10Z (1m30s left): pod shop/b cannot be evicted (2 times in "
        "a row)"};
    check_eligibility({c});
    EXPECT_EQ(find_ineligible_in(c)->until, noon + 90s);
}

TEST(Eligibility, RespectsATaintOfAnotherClientForFiveMinutes) {
    const auto at = [](Time t) {
        return [=](TestCluster& w, Memory&, health::Readiness&) { tainted(w, seconds(t)); };
    };
    const auto reason = Unremovable::currently_being_deleted;
    const char* because =
        "taint ToBeDeletedByClusterAutoscaler was set by another client; it is respected for 5m";
    check_eligibility({
        {"just now", at(noon), reason, because},
        {"nearly five minutes ago", at(noon - 4min - 59s), reason, because},
        {"five minutes ago", at(noon - 5min), Unremovable::none},
        {"one minute in the future", at(noon + 1min), reason, because},
        {"one hour in the future", at(noon + 1h), Unremovable::none},
        {"before the node was created",
         [](TestCluster& w, Memory&, health::Readiness&) {
             w.change_node("web-1").created = noon - 1min;
             tainted(w, seconds(noon - 2min));
         },
         Unremovable::none},
        {"in 1970", [](TestCluster& w, Memory&, health::Readiness&) { tainted(w, "1"); },
         Unremovable::none},
        {"without a time", [](TestCluster& w, Memory&, health::Readiness&) { tainted(w, "soon"); },
         Unremovable::none},
        {"with an out-of-range time",
         [](TestCluster& w, Memory&, health::Readiness&) { tainted(w, "9223372036854775807"); },
         Unremovable::none},
    });
    EXPECT_EQ(find_ineligible_in({"", at(noon - 1min), reason})->until, noon + 4min);
}

TEST(Eligibility, UsesTheWallClockForTheAgeOfTaints) {
    TestCluster test_cluster = one_node();
    test_cluster.change_node("web-1").created = noon - 3h;
    tainted(test_cluster, seconds(noon - 2h - 1min));
    const Snapshot snapshot = test_cluster.snapshot();
    const health::Health health{.readiness = {health::Readiness::ready}};
    const Settings settings;
    const auto found = drainability::find_ineligible(
        {snapshot, templates::make_membership(snapshot), {}, settings, {noon, noon - 2h}}, health,
        0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->until, noon - 1min + settings.scale_down.max_deletion_time);
}

}  // namespace
}  // namespace capstan::engine::drainability
