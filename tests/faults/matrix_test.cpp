// Each error at each request of the daemon's, once and for a while: in the end all has been done
// that is done in a run without errors, and nothing twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "outcome.hpp"
#include "tables.hpp"

namespace capstan::faults {
namespace {

using simulation::ApiFault;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using namespace std::chrono_literals;

constexpr Duration whole_run = 15min;
/// Shorter than evictions are tried for, or else a removal would be given up, and begun again.
constexpr Duration while_it_lasts = 90s;
constexpr Duration when_watches_are_cut = 45s;

struct Run {
    std::string outcome{}, difference{};
    Events events{};
    std::size_t taken = 0;
};

Run end(Stage& stage) {
    Run out;
    stage.run(whole_run, [&] {
        out.outcome = outcome_of(stage);
        out.taken = stage.server().faults().taken();
    });
    out.events = events_of(stage);
    out.difference =
        difference(stage.record().last_pass->input.snapshot.cluster, cluster_of(stage));
    return out;
}

const Run& undisturbed() {
    static const Run out = [] {
        Stage stage;
        return end(stage);
    }();
    return out;
}

/// When, and how often, a request goes wrong.
struct Strike {
    const char* name;
    Duration from{};
    bool lasts = false;
};
/// A watch from which nothing comes is given up after two minutes.
constexpr const char* longer_than_silence = "5m";
constexpr Strike once{"once"};
constexpr Strike lasting{"for a while", 0s, true};
constexpr Strike later_once{"once, later", when_watches_are_cut};

Run run(const Request& request, const Mishap& mishap, const Strike& strike) {
    ApiFault fault = request.fault;
    mishap.strike(fault);
    // What a silent watch keeps to itself is found out before a node may go for which it counts.
    const bool is_unnoticed = fault.verb == "watch" && fault.spoil == simulation::Spoil::silence;
    Stage stage(is_unnoticed ? longer_than_silence : "1m");
    if (strike.lasts) fault.times.reset();
    if (request.first) stage.server().faults().add(*request.first);
    const auto begin = [&stage, fault] { stage.server().faults().add(fault); };
    strike.from == Duration(0) ? begin() : stage.at(strike.from, begin);
    if (strike.lasts)
        stage.at(strike.from + while_it_lasts, [&stage] { stage.server().faults().clear(); });
    return end(stage);
}

/// But for events that are `missing`.
void expect_recovery(const Run& run, const std::set<std::string>& missing = {}) {
    EXPECT_EQ(run.outcome, undisturbed().outcome);
    EXPECT_EQ(run.difference, "");
    EXPECT_THAT(run.events.twice, IsEmpty());
    std::set<std::string> expected = undisturbed().events.all;
    for (const std::string& event : missing) expected.erase(event);
    EXPECT_THAT(run.events.all, IsSupersetOf(expected));
}

std::set<std::string> missing_events(const Request& request, const Mishap& mishap) {
    if (request.fault.resource == "events" && mishap.is_refusal) return undisturbed().events.all;
    if (request.event != nullptr) return {request.event};
    return {};
}

void expect_recovery(const Request& request, std::span<const Mishap> all,
                     const std::vector<Strike>& strikes = {once, lasting}) {
    for (const Mishap& mishap : all) {
        for (const Strike& strike : strikes) {
            SCOPED_TRACE(std::string(request.name) + ": " + mishap.name + ", " + strike.name);
            const Run run_of = run(request, mishap, strike);
            EXPECT_GT(run_of.taken, request.first ? 1u : 0u) << "there was no such request";
            expect_recovery(run_of, missing_events(request, mishap));
        }
    }
}

TEST(Faults, AreNotNeededForTheStory) {
    EXPECT_EQ(undisturbed().outcome,
              "nodes: web-1 web-3\n"
              "ever: web-1 web-2 web-3\n"
              "pods: a-1@web-1 b-2@web-1 p-1@web-3\n"
              "marked: web-2 ToBeDeletedByClusterAutoscaler x1 web-2 cordon x1\n"
              "hints given twice: none\n"
              "evicted: b-1\n"
              "lease: tester, renewed, transitions 0\n"
              "memory: as the daemon has it\n"
              "status: of the last pass\n"
              "problems: none\n");
    EXPECT_EQ(undisturbed().difference, "");
    EXPECT_THAT(undisturbed().events.twice, IsEmpty());
    EXPECT_THAT(undisturbed().events.all,
                IsSupersetOf({"TriggeredScaleUp p-1", "ScaleDown web-2", "ScaleDown b-1"}));
}

TEST(Faults, OfReadingANode) {
    expect_recovery({"get node", {.verb = "get", .resource = "nodes"}}, mishaps());
}
TEST(Faults, OfPatchingANode) {
    expect_recovery({"patch node", {.verb = "patch", .resource = "nodes"}}, mishaps());
}
TEST(Faults, OfUpdatingANodeWherePatchesAreForbidden) {
    expect_recovery({"update node",
                     {.verb = "update", .resource = "nodes"},
                     ApiFault{.verb = "patch", .resource = "nodes", .status = 403, .times = {}}},
                    mishaps());
}
TEST(Faults, OfEvictions) {
    expect_recovery({.name = "evict",
                     .fault = {.verb = "create", .resource = "pods", .subresource = "eviction"},
                     .event = "ScaleDown b-1"},
                    mishaps());
}
TEST(Faults, OfReadingTheLease) {
    expect_recovery({"get lease", {.verb = "get", .resource = "leases.coordination.k8s.io"}},
                    mishaps());
}
TEST(Faults, OfCreatingTheLease) {
    expect_recovery({"create lease", {.verb = "create", .resource = "leases.coordination.k8s.io"}},
                    mishaps());
}
TEST(Faults, OfRenewingTheLease) {
    expect_recovery({"update lease", {.verb = "update", .resource = "leases.coordination.k8s.io"}},
                    mishaps());
}
TEST(Faults, OfReadingConfigMaps) {
    expect_recovery({"get config map", {.verb = "get", .resource = "configmaps"}}, mishaps());
}
TEST(Faults, OfCreatingConfigMaps) {
    expect_recovery({"create config map", {.verb = "create", .resource = "configmaps"}}, mishaps());
}
TEST(Faults, OfUpdatingConfigMaps) {
    expect_recovery({"update config map", {.verb = "update", .resource = "configmaps"}}, mishaps());
}
TEST(Faults, OfEvents) {
    expect_recovery({"create event", {.verb = "create", .resource = "events"}}, mishaps());
}
TEST(Faults, OfThePluginThatMakesNodes) {
    expect_recovery({"create node", {.verb = "create", .resource = "nodes"}}, mishaps());
    expect_recovery({"delete node", {.verb = "delete", .resource = "nodes"}}, mishaps());
}

constexpr const char* followed[] = {"nodes",
                                    "pods",
                                    "daemonsets.apps",
                                    "poddisruptionbudgets.policy",
                                    "replicasets.apps",
                                    "replicationcontrollers",
                                    "statefulsets.apps",
                                    "jobs.batch",
                                    "persistentvolumeclaims",
                                    "persistentvolumes",
                                    "storageclasses.storage.k8s.io",
                                    "csinodes.storage.k8s.io",
                                    "csidrivers.storage.k8s.io",
                                    "csistoragecapacities.storage.k8s.io",
                                    "namespaces",
                                    "services"};

/// When the history is forgotten that a watch would go on from; of nodes and pods at the start,
/// too, and for a while.
class Following : public ::testing::TestWithParam<const char*> {
protected:
    static std::vector<Strike> strikes() {
        const std::string resource = GetParam();
        const bool is_main = resource == "nodes" || resource == "pods";
        return is_main ? std::vector{once, later_once, lasting} : std::vector{later_once};
    }
};

TEST_P(Following, OutlivesFaultsOfLists) {
    const ApiFault no_initial_events{.verb = "watch", .resource = GetParam(), .status = 422};
    expect_recovery({GetParam(), {.verb = "list", .resource = GetParam()}, no_initial_events},
                    mishaps(), strikes());
}
TEST_P(Following, OutlivesFaultsOfOpeningAWatch) {
    expect_recovery({GetParam(), {.verb = "watch", .resource = GetParam()}}, mishaps(), strikes());
}

INSTANTIATE_TEST_SUITE_P(Of, Following, ::testing::ValuesIn(followed), [](const auto& each) {
    const std::string resource = each.param;
    return resource.substr(0, resource.find('.'));
});

TEST(Faults, OfOpenWatches) {
    for (const char* resource : {"nodes", "pods"})
        expect_recovery({resource, {.verb = "watch", .resource = resource}}, stream_mishaps(),
                        {once, lasting, later_once});
}

/// What a watch does not tell of is not known for two minutes: before a node may go for which that
/// counts, it is.
TEST(Faults, OfWatchesThatFallSilent) {
    for (const char* resource : {"nodes", "pods"}) {
        for (const int events : {0, 1, 2, 3, 5, 8}) {
            SCOPED_TRACE(std::string(resource) + " after " + std::to_string(events) + " events");
            Stage stage(longer_than_silence);
            stage.server().faults().add({.verb = "watch",
                                         .resource = resource,
                                         .spoil = simulation::Spoil::silence,
                                         .after_events = events});
            expect_recovery(end(stage));
        }
    }
}

/// Nobody listens on the server's port for a while, from various moments on.
TEST(Faults, OfAServerThatIsAway) {
    for (const Duration from : {0s, 21s, 45s, 90s, 100s, 110s, 130s}) {
        for (const Duration how_long : {1s, 20s, 90s}) {
            SCOPED_TRACE("away for " + std::to_string(how_long / 1s) + " s after " +
                         std::to_string(from / 1s) + " s");
            Stage stage;
            stage.at(from, [&stage] { stage.network().set_reachable(false); });
            stage.at(from + how_long, [&stage] { stage.network().set_reachable(true); });
            expect_recovery(end(stage));
        }
    }
}

}  // namespace
}  // namespace capstan::faults
