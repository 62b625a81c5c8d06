// Each fault at each kind of request of the daemon, once and for a while: the cluster reaches the
// same state as without faults, and no action is repeated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fault_variants.hpp"
#include "outcome.hpp"

namespace capstan::faults {
namespace {

using simulator::api_server::ApiFault;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using namespace std::chrono_literals;

/// Events are repeated after five minutes, and a Retry-After may delay them by ten.
constexpr Duration run_time = 17min;
/// Shorter than max_pod_eviction_time, so that no removal is rolled back and repeated.
constexpr Duration fault_time = 90s;
constexpr Duration when_watches_are_cut = 45s;
/// Shortly before the first Event is repeated.
constexpr Duration when_events_repeat = 5min;
/// By then all work is done, even if a daemon was killed and another one started.
constexpr Duration work_time = 10min;

struct Run {
    std::string outcome{}, difference{};
    Events events{};
    std::size_t taken = 0;  ///< requests with a fault
    int changes = 0;        ///< writes that the daemon requested within `work_time`
};

Run end(DaemonFixture& fixture) {
    Run out;
    fixture.at(work_time, [&] { out.changes = fixture.record().changes; });
    fixture.run(run_time, [&] {
        out.outcome = outcome_of(fixture);
        out.taken = fixture.server().faults().taken();
    });
    out.events = events_of(fixture);
    out.difference =
        difference(fixture.record().last_pass->input.snapshot.cluster, cluster_of(fixture));
    return out;
}

const Run& run_without_faults() {
    static const Run out = [] {
        DaemonFixture fixture;
        return end(fixture);
    }();
    return out;
}

/// When, and how often, a request has a fault.
struct FaultTiming {
    const char* name;
    Duration from{};
    bool lasts = false;
};
/// A silent watch is given up after 75 s if bookmarks were seen, else after 125 s.
constexpr const char* longer_than_silence = "5m";
constexpr FaultTiming once{"once"};
constexpr FaultTiming lasting{"for a while", 0s, true};
constexpr FaultTiming later_once{"once, later", when_watches_are_cut};
constexpr FaultTiming much_later_lasting{"for a while, much later", when_events_repeat, true};
constexpr FaultTiming later_lasting{"for a while, later", when_watches_are_cut, true};

Run run(const Request& request, const FaultVariant& variant, const FaultTiming& timing) {
    ApiFault fault = request.fault;
    variant.apply(fault);
    // The silence of a watch must be noticed before a node is removed because of stale objects.
    const bool is_silent =
        fault.verb == "watch" && fault.spoil == simulator::api_server::ResponseCorruption::silence;
    DaemonFixture fixture(
        DaemonFixtureSettings{.unneeded_time = is_silent ? longer_than_silence : "1m"});
    if (timing.lasts) fault.times.reset();
    if (request.first) fixture.server().faults().add(*request.first);
    const auto begin = [&fixture, fault] { fixture.server().faults().add(fault); };
    timing.from == Duration(0) ? begin() : fixture.at(timing.from, begin);
    if (timing.lasts)
        fixture.at(timing.from + fault_time, [&fixture] { fixture.server().faults().clear(); });
    return end(fixture);
}

std::set<std::string> without(std::set<std::string> events, const std::set<std::string>& missing) {
    for (const std::string& event : missing) events.erase(event);
    return events;
}

/// Expects the outcome of a run without faults, except for Events that are `missing`.
void expect_recovery(const Run& run, const std::set<std::string>& missing = {}) {
    EXPECT_EQ(run.outcome, run_without_faults().outcome);
    EXPECT_EQ(run.difference, "");
    EXPECT_THAT(run.events.twice, IsEmpty());
    EXPECT_THAT(run.events.all, IsSupersetOf(without(run_without_faults().events.all, missing)));
    EXPECT_THAT(run.events.counted,
                IsSupersetOf(without(run_without_faults().events.counted, missing)));
}

/// The outcome without faults after that number of daemons, each of which was the leader.
std::string outcome_after_daemons(int daemons) {
    const std::string one = "tester-1, renewed, transitions 0";
    const std::string number = std::to_string(daemons);
    std::string out = run_without_faults().outcome;
    return out.replace(
        out.find(one), one.size(),
        "tester-" + number + ", renewed, transitions " + std::to_string(daemons - 1));
}

std::set<std::string> missing_events(const Request& request, const FaultVariant& variant) {
    if (request.fault.resource == "events" && variant.is_refusal)
        return run_without_faults().events.all;
    if (request.event != nullptr) return {request.event};
    return {};
}

void expect_recovery(const Request& request, std::span<const FaultVariant> all,
                     const std::vector<FaultTiming>& timings = {once, lasting}) {
    for (const FaultVariant& variant : all) {
        for (const FaultTiming& timing : timings) {
            SCOPED_TRACE(std::string(request.name) + ": " + variant.name + ", " + timing.name);
            const Run faulty_run = run(request, variant, timing);
            EXPECT_GT(faulty_run.taken, request.first ? 1u : 0u) << "no request matched the fault";
            expect_recovery(faulty_run, missing_events(request, variant));
        }
    }
}

TEST(DaemonRecovery, IsComparedWithARunWithoutFaults) {
    EXPECT_EQ(run_without_faults().outcome,
              "nodes: web-1 web-3\n"
              "ever: web-1 web-2 web-3\n"
              "pods: a-1@web-1 b-1@web-1 h-1@ p-1@web-3\n"
              "marked: web-2 ToBeDeletedByClusterAutoscaler x1 web-2 cordon x1\n"
              "soft taints set twice: none\n"
              "evicted: b-1\n"
              "lease: tester-1, renewed, transitions 0\n"
              "memory: as the daemon has it\n"
              "status: of the last pass\n"
              "problems: none\n");
    EXPECT_EQ(run_without_faults().difference, "");
    EXPECT_THAT(run_without_faults().events.twice, IsEmpty());
    EXPECT_THAT(run_without_faults().events.all,
                IsSupersetOf({"TriggeredScaleUp p-1", "ScaleDown web-2", "ScaleDown b-1"}));
    EXPECT_THAT(run_without_faults().events.counted, Contains("NotTriggerScaleUp h-1"));
}

TEST(DaemonRecovery, SucceedsAfterFaultsOfNodeReads) {
    expect_recovery({"get node", {.verb = "get", .resource = "nodes"}}, fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfNodePatches) {
    expect_recovery({"patch node", {.verb = "patch", .resource = "nodes"}}, fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfNodeUpdatesIfPatchesAreForbidden) {
    expect_recovery({"update node",
                     {.verb = "update", .resource = "nodes"},
                     ApiFault{.verb = "patch", .resource = "nodes", .status = 403, .times = {}}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfEvictions) {
    expect_recovery({.name = "evict",
                     .fault = {.verb = "create", .resource = "pods", .subresource = "eviction"},
                     .event = "ScaleDown b-1"},
                    fault_variants());
}
/// The daemon reads the pod to see whether it is still the pod that was to be evicted.
TEST(DaemonRecovery, SucceedsAfterFaultsOfPodReadsAfterAConflict) {
    expect_recovery(
        {.name = "get pod",
         .fault = {.verb = "get", .resource = "pods"},
         .first =
             ApiFault{
                 .verb = "create", .resource = "pods", .subresource = "eviction", .status = 409},
         .event = "ScaleDown b-1"},
        fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfLeaseReads) {
    expect_recovery({"get lease", {.verb = "get", .resource = "leases.coordination.k8s.io"}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfLeaseCreation) {
    expect_recovery({"create lease", {.verb = "create", .resource = "leases.coordination.k8s.io"}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfLeaseRenewals) {
    expect_recovery({"update lease", {.verb = "update", .resource = "leases.coordination.k8s.io"}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfConfigMapReads) {
    expect_recovery({"get config map", {.verb = "get", .resource = "configmaps"}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfConfigMapCreation) {
    expect_recovery({"create config map", {.verb = "create", .resource = "configmaps"}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfConfigMapUpdates) {
    expect_recovery({"update config map", {.verb = "update", .resource = "configmaps"}},
                    fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfEventCreation) {
    expect_recovery({"create event", {.verb = "create", .resource = "events"}}, fault_variants());
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfEventPatches) {
    expect_recovery({"patch event", {.verb = "patch", .resource = "events"}}, fault_variants(),
                    {once, much_later_lasting});
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfNodeRequestsOfAPlugin) {
    expect_recovery({"create node", {.verb = "create", .resource = "nodes"}}, fault_variants());
    expect_recovery({"delete node", {.verb = "delete", .resource = "nodes"}}, fault_variants());
}

constexpr const char* watched[] = {"nodes",
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

/// The faults begin when watches are cut and the history is discarded; those of nodes and pods also
/// at the start.
class DaemonWatchRecovery : public ::testing::TestWithParam<const char*> {
protected:
    static std::vector<FaultTiming> timings() {
        const std::string resource = GetParam();
        const bool is_main = resource == "nodes" || resource == "pods";
        return is_main ? std::vector{once, later_once, lasting, later_lasting}
                       : std::vector{later_once, later_lasting};
    }
};

TEST_P(DaemonWatchRecovery, SucceedsAfterFaultsOfLists) {
    const ApiFault no_initial_events{.verb = "watch", .resource = GetParam(), .status = 422};
    expect_recovery({GetParam(), {.verb = "list", .resource = GetParam()}, no_initial_events},
                    fault_variants(), timings());
}
TEST_P(DaemonWatchRecovery, SucceedsAfterFaultsOfOpeningAWatch) {
    expect_recovery({GetParam(), {.verb = "watch", .resource = GetParam()}}, fault_variants(),
                    timings());
}

INSTANTIATE_TEST_SUITE_P(Resource, DaemonWatchRecovery, ::testing::ValuesIn(watched),
                         [](const auto& each) {
                             const std::string resource = each.param;
                             return resource.substr(0, resource.find('.'));
                         });

TEST(DaemonRecovery, SucceedsAfterFaultsOfOpenWatches) {
    for (const char* resource : {"nodes", "pods"})
        expect_recovery({resource, {.verb = "watch", .resource = resource}},
                        stream_fault_variants(), {once, lasting, later_once});
}

/// The silence of a watch is noticed after 75 s if bookmarks were seen, else after 125 s. Nodes are
/// unneeded for longer than that before they are removed.
TEST(DaemonRecovery, SucceedsAfterSilentWatches) {
    for (const char* resource : {"nodes", "pods"}) {
        for (const int events : {0, 1, 2, 3, 5, 8}) {
            SCOPED_TRACE(std::string(resource) + " after " + std::to_string(events) + " events");
            DaemonFixture fixture(DaemonFixtureSettings{.unneeded_time = longer_than_silence});
            fixture.server().faults().add(
                {.verb = "watch",
                 .resource = resource,
                 .spoil = simulator::api_server::ResponseCorruption::silence,
                 .after_events = events});
            expect_recovery(end(fixture));
        }
    }
}

/// The server is unreachable for a while, from various times on.
TEST(DaemonRecovery, SucceedsAfterTheServerWasUnreachable) {
    for (const Duration from : {0s, 21s, 45s, 90s, 100s, 110s, 130s}) {
        for (const Duration how_long : {1s, 20s, 90s}) {
            SCOPED_TRACE("unreachable for " + std::to_string(how_long / 1s) + " s after " +
                         std::to_string(from / 1s) + " s");
            DaemonFixture fixture;
            fixture.at(from, [&fixture] { fixture.network().set_reachable(false); });
            fixture.at(from + how_long, [&fixture] { fixture.network().set_reachable(true); });
            expect_recovery(end(fixture));
        }
    }
}

/// The system clock is set, forward or back, at various times of the run.
TEST(DaemonRecovery, SucceedsAfterTheClockWasSet) {
    for (const Duration by : {Duration(20min), Duration(-2h)}) {
        for (const Duration from : {0s, 21s, 45s, 70s, 90s, 100s, 110s, 130s}) {
            SCOPED_TRACE("by " + std::to_string(by / 1min) + " min after " +
                         std::to_string(from / 1s) + " s");
            DaemonFixture fixture;
            fixture.at(from, [&fixture, by] {
                dynamic_cast<io::ManualLoop&>(fixture.loop()).step_wall(by);
            });
            expect_recovery(end(fixture));
        }
    }
}

/// The cloud acts at once, and its lists show the change after the lag.
TEST(DaemonRecovery, SucceedsWithLaggingLists) {
    for (const char* lag : {"6s", "20s", "90s"}) {
        SCOPED_TRACE(std::string("lists lag by ") + lag);
        const std::string setting = "list_lag = \"" + std::string(lag) + "\"";
        DaemonFixture fixture(DaemonFixtureSettings{.cloud = setting, .group = "min = 2"});
        expect_recovery(end(fixture));
        EXPECT_EQ(fixture.record().ordered, 1);
        EXPECT_EQ(fixture.record().removals.size(), 1u);
        EXPECT_EQ(fixture.record().least_target, 2);
    }
}

/// The cloud removes no machine until eight minutes after the start. The removal of web-2 begins
/// and is rolled back several times, with longer and longer pauses, and succeeds in the end.
TEST(DaemonRecovery, SucceedsAfterTheCloudRefusedRemovals) {
    DaemonFixture fixture(
        DaemonFixtureSettings{.scale_down = "delay_after_failure = \"0s\"", .group = R"(min = 2
changes = [
    { at = "30s", fail_removals = { code = "permission", message = "it is protected" } },
    { at = "8m", recover = true },
])"});
    const faults::Run run = end(fixture);
    const Record& record = fixture.record();
    ASSERT_GE(record.removals.size(), 4u) << "three refusals and the removal";
    Duration min_pause = 30s;
    for (std::size_t i = 0; i + 1 < record.removals.size(); ++i, min_pause *= 2)
        EXPECT_GE(record.removals[i + 1] - record.removals[i], min_pause) << "after try " << i + 1;
    EXPECT_EQ(record.times_marked(), static_cast<int>(record.removals.size()))
        << "once for each try";
    EXPECT_EQ(record.evicted, std::vector<std::string>{"b-1"});
    EXPECT_EQ(record.ordered, 1);
    EXPECT_EQ(record.least_target, 2);
    EXPECT_THAT(run.outcome, ::testing::StartsWith("nodes: web-1 web-3\n"
                                                   "ever: web-1 web-2 web-3\n"
                                                   "pods: a-1@web-1 b-1@web-1 h-1@ p-1@web-3\n"));
    EXPECT_EQ(run.difference, "");
}

/// A daemon that stops deletes its status and releases the Lease. Whatever fault these requests
/// have, the daemon ends, and the next one becomes the leader.
void expect_succession(const char* name, const ApiFault& request) {
    for (const FaultVariant& variant : fault_variants()) {
        for (const bool lasts : {false, true}) {
            SCOPED_TRACE(std::string(name) + ": " + variant.name +
                         (lasts ? ", permanently" : ", once"));
            DaemonFixture fixture;
            ApiFault fault = request;
            variant.apply(fault);
            if (lasts) fault.times.reset();
            fixture.run(work_time, [&] { fixture.server().faults().add(fault); });
            EXPECT_GT(fixture.server().faults().taken(), 0u) << "no request matched the fault";
            fixture.server().faults().clear();
            const Run run = end(fixture);
            EXPECT_EQ(run.outcome, outcome_after_daemons(2));
            EXPECT_EQ(run.difference, "");
        }
    }
}

TEST(DaemonRecovery, SucceedsWithTheNextDaemonAfterAStop) {
    DaemonFixture fixture;
    fixture.run(work_time, [] {});
    EXPECT_EQ(state_after_stop(fixture), "lease: none\nstatus: none\n");
    EXPECT_EQ(end(fixture).outcome, outcome_after_daemons(2));
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfDeletingTheStatus) {
    expect_succession("delete config map", {.verb = "delete", .resource = "configmaps"});
}
TEST(DaemonRecovery, SucceedsAfterFaultsOfReleasingTheLease) {
    expect_succession("update lease", {.verb = "update", .resource = "leases.coordination.k8s.io"});
}

/// The outcome if the next daemon removes the marks, which its memory does not have, and marks the
/// node again.
std::string with_second_marks(std::string outcome) {
    for (std::size_t at = 0; (at = outcome.find(" x1", at)) != std::string::npos;)
        outcome.replace(at, 3, " x2");
    return outcome;
}

/// The daemon is killed at each of its writes. The next daemon knows only what is in the cluster
/// and in the cloud.
void expect_survival(bool is_carried_out) {
    for (int change = 0; change < run_without_faults().changes; ++change) {
        SCOPED_TRACE("killed at change " + std::to_string(change));
        DaemonFixture fixture;
        fixture.kill_at(change, is_carried_out);
        const Run run = end(fixture);
        EXPECT_EQ(fixture.record().daemons, 2);
        EXPECT_THAT(run.outcome,
                    AnyOf(outcome_after_daemons(2), with_second_marks(outcome_after_daemons(2))));
        EXPECT_EQ(run.difference, "");
    }
}
TEST(DaemonRecovery, SucceedsAfterAKillBeforeEachWrite) { expect_survival(false); }
TEST(DaemonRecovery, SucceedsAfterAKillAfterEachWrite) { expect_survival(true); }

}  // namespace
}  // namespace capstan::faults
