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

using simulation::api_server::ApiFault;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using namespace std::chrono_literals;

/// Events come again after five minutes, and may have to wait for ten.
constexpr Duration whole_run = 17min;
/// Shorter than evictions are tried for, or else a removal would be given up, and begun again.
constexpr Duration while_it_lasts = 90s;
constexpr Duration when_watches_are_cut = 45s;
/// Before the first event comes again.
constexpr Duration when_events_repeat = 5min;
/// All has been done by then, twice over where a daemon dies.
constexpr Duration most_of_a_run = 10min;

struct Run {
    std::string outcome{}, difference{};
    Events events{};
    std::size_t taken = 0;
    int changes = 0;  ///< that the daemon had asked for by most of it
};

Run end(Stage& stage) {
    Run out;
    stage.at(most_of_a_run, [&] { out.changes = stage.record().changes; });
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
/// A watch from which nothing comes is given up after 75 s where bookmarks were seen, else after
/// 125 s.
constexpr const char* longer_than_silence = "5m";
constexpr Strike once{"once"};
constexpr Strike lasting{"for a while", 0s, true};
constexpr Strike later_once{"once, later", when_watches_are_cut};
constexpr Strike much_later_lasting{"for a while, much later", when_events_repeat, true};
constexpr Strike later_lasting{"for a while, later", when_watches_are_cut, true};

Run run(const Request& request, const Mishap& mishap, const Strike& strike) {
    ApiFault fault = request.fault;
    mishap.strike(fault);
    // What a silent watch keeps to itself is found out before a node may go for which it counts.
    const bool is_unnoticed =
        fault.verb == "watch" && fault.spoil == simulation::api_server::ResponseCorruption::silence;
    Stage stage(StageSettings{.unneeded_time = is_unnoticed ? longer_than_silence : "1m"});
    if (strike.lasts) fault.times.reset();
    if (request.first) stage.server().faults().add(*request.first);
    const auto begin = [&stage, fault] { stage.server().faults().add(fault); };
    strike.from == Duration(0) ? begin() : stage.at(strike.from, begin);
    if (strike.lasts)
        stage.at(strike.from + while_it_lasts, [&stage] { stage.server().faults().clear(); });
    return end(stage);
}

std::set<std::string> without(std::set<std::string> events, const std::set<std::string>& missing) {
    for (const std::string& event : missing) events.erase(event);
    return events;
}

/// But for events that are `missing`.
void expect_recovery(const Run& run, const std::set<std::string>& missing = {}) {
    EXPECT_EQ(run.outcome, undisturbed().outcome);
    EXPECT_EQ(run.difference, "");
    EXPECT_THAT(run.events.twice, IsEmpty());
    EXPECT_THAT(run.events.all, IsSupersetOf(without(undisturbed().events.all, missing)));
    EXPECT_THAT(run.events.counted, IsSupersetOf(without(undisturbed().events.counted, missing)));
}

/// What is left after so many daemons, each of which led.
std::string outcome_after(int daemons) {
    const std::string one = "tester-1, renewed, transitions 0";
    const std::string number = std::to_string(daemons);
    std::string out = undisturbed().outcome;
    return out.replace(
        out.find(one), one.size(),
        "tester-" + number + ", renewed, transitions " + std::to_string(daemons - 1));
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
              "pods: a-1@web-1 b-2@web-1 h-1@ p-1@web-3\n"
              "marked: web-2 ToBeDeletedByClusterAutoscaler x1 web-2 cordon x1\n"
              "hints given twice: none\n"
              "evicted: b-1\n"
              "lease: tester-1, renewed, transitions 0\n"
              "memory: as the daemon has it\n"
              "status: of the last pass\n"
              "problems: none\n");
    EXPECT_EQ(undisturbed().difference, "");
    EXPECT_THAT(undisturbed().events.twice, IsEmpty());
    EXPECT_THAT(undisturbed().events.all,
                IsSupersetOf({"TriggeredScaleUp p-1", "ScaleDown web-2", "ScaleDown b-1"}));
    EXPECT_THAT(undisturbed().events.counted, Contains("NotTriggerScaleUp h-1"));
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
/// Which is read to see whether it is still the one that was meant.
TEST(Faults, OfReadingAPodAfterAConflict) {
    expect_recovery(
        {.name = "get pod",
         .fault = {.verb = "get", .resource = "pods"},
         .first =
             ApiFault{
                 .verb = "create", .resource = "pods", .subresource = "eviction", .status = 409},
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
TEST(Faults, OfCountingAnEventUp) {
    expect_recovery({"patch event", {.verb = "patch", .resource = "events"}}, mishaps(),
                    {once, much_later_lasting});
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
        return is_main ? std::vector{once, later_once, lasting, later_lasting}
                       : std::vector{later_once, later_lasting};
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

/// What a watch does not tell of is not known for 75 s where bookmarks were seen, else for 125 s:
/// before a node may go for which that counts, it is.
TEST(Faults, OfWatchesThatFallSilent) {
    for (const char* resource : {"nodes", "pods"}) {
        for (const int events : {0, 1, 2, 3, 5, 8}) {
            SCOPED_TRACE(std::string(resource) + " after " + std::to_string(events) + " events");
            Stage stage(StageSettings{.unneeded_time = longer_than_silence});
            stage.server().faults().add(
                {.verb = "watch",
                 .resource = resource,
                 .spoil = simulation::api_server::ResponseCorruption::silence,
                 .after_events = events});
            expect_recovery(end(stage));
        }
    }
}

/// The server's port is closed for a while, from various moments on.
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

/// The machine's clock is set, forward or back, at various moments of the story.
TEST(Faults, OfAClockThatIsSet) {
    for (const Duration by : {Duration(20min), Duration(-2h)}) {
        for (const Duration from : {0s, 21s, 45s, 70s, 90s, 100s, 110s, 130s}) {
            SCOPED_TRACE("by " + std::to_string(by / 1min) + " min after " +
                         std::to_string(from / 1s) + " s");
            Stage stage;
            stage.at(from,
                     [&stage, by] { dynamic_cast<io::ManualLoop&>(stage.loop()).step_wall(by); });
            expect_recovery(end(stage));
        }
    }
}

/// What the cloud was asked for happens at once, and its lists show it so much later.
TEST(Faults, OfACloudWhoseListsLag) {
    for (const char* lag : {"6s", "20s", "90s"}) {
        SCOPED_TRACE(std::string("lists lag by ") + lag);
        const std::string setting = "list_lag = \"" + std::string(lag) + "\"";
        Stage stage(StageSettings{.cloud = setting, .group = "min = 2"});
        expect_recovery(end(stage));
        EXPECT_EQ(stage.record().ordered, 1);
        EXPECT_EQ(stage.record().removals.size(), 1u);
        EXPECT_EQ(stage.record().least_target, 2);
    }
}

/// It lets no machine go for eight minutes: web-2 is marked and given back again and again, later
/// each time, and goes in the end.
TEST(Faults, OfACloudThatRefusesRemovals) {
    Stage stage(StageSettings{.scale_down = "delay_after_failure = \"0s\"", .group = R"(min = 2
changes = [
    { at = "30s", fail_removals = { code = "permission", message = "it is protected" } },
    { at = "8m", recover = true },
])"});
    const faults::Run run = end(stage);
    const Record& record = stage.record();
    ASSERT_GE(record.removals.size(), 4u) << "three refusals, and the removal";
    Duration left_alone = 30s;
    for (std::size_t i = 0; i + 1 < record.removals.size(); ++i, left_alone *= 2)
        EXPECT_GE(record.removals[i + 1] - record.removals[i], left_alone) << "after try " << i + 1;
    EXPECT_EQ(record.times_marked(), static_cast<int>(record.removals.size()))
        << "once for each try";
    EXPECT_EQ(record.evicted, std::vector<std::string>{"b-1"});
    EXPECT_EQ(record.ordered, 1);
    EXPECT_EQ(record.least_target, 2);
    EXPECT_THAT(run.outcome, ::testing::StartsWith("nodes: web-1 web-3\n"
                                                   "ever: web-1 web-2 web-3\n"
                                                   "pods: a-1@web-1 b-2@web-1 h-1@ p-1@web-3\n"));
    EXPECT_EQ(run.difference, "");
}

/// What a daemon does last: it takes its status away and hands the Lease back. However that goes
/// wrong, it comes to an end, and the next one leads.
void expect_succession(const char* name, const ApiFault& request) {
    for (const Mishap& mishap : mishaps()) {
        for (const bool lasts : {false, true}) {
            SCOPED_TRACE(std::string(name) + ": " + mishap.name +
                         (lasts ? ", for good" : ", once"));
            Stage stage;
            ApiFault fault = request;
            mishap.strike(fault);
            if (lasts) fault.times.reset();
            stage.run(most_of_a_run, [&] { stage.server().faults().add(fault); });
            EXPECT_GT(stage.server().faults().taken(), 0u) << "there was no such request";
            stage.server().faults().clear();
            const Run run = end(stage);
            EXPECT_EQ(run.outcome, outcome_after(2));
            EXPECT_EQ(run.difference, "");
        }
    }
}

TEST(Faults, AreNotNeededForASuccession) {
    Stage stage;
    stage.run(most_of_a_run, [] {});
    EXPECT_EQ(left_behind(stage), "lease: nobody\nstatus: none\n");
    EXPECT_EQ(end(stage).outcome, outcome_after(2));
}
TEST(Faults, OfTakingTheStatusAway) {
    expect_succession("delete config map", {.verb = "delete", .resource = "configmaps"});
}
TEST(Faults, OfHandingTheLeaseBack) {
    expect_succession("update lease", {.verb = "update", .resource = "leases.coordination.k8s.io"});
}

/// The next daemon takes off a mark that no memory knows, and begins anew.
std::string with_second_marks(std::string outcome) {
    for (std::size_t at = 0; (at = outcome.find(" x1", at)) != std::string::npos;)
        outcome.replace(at, 3, " x2");
    return outcome;
}

/// It is killed as it asks for a change, whichever that is; the next one knows only what is in the
/// cluster and in its cloud.
void expect_survival(bool is_carried_out) {
    for (int change = 0; change < undisturbed().changes; ++change) {
        SCOPED_TRACE("dead at change " + std::to_string(change));
        Stage stage;
        stage.kill_at(change, is_carried_out);
        const Run run = end(stage);
        EXPECT_EQ(stage.record().daemons, 2);
        EXPECT_THAT(run.outcome, AnyOf(outcome_after(2), with_second_marks(outcome_after(2))));
        EXPECT_EQ(run.difference, "");
    }
}
TEST(Faults, OfADaemonThatDiesBeforeAChange) { expect_survival(false); }
TEST(Faults, OfADaemonThatDiesAfterAChange) { expect_survival(true); }

}  // namespace
}  // namespace capstan::faults
