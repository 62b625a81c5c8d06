#include <optional>
#include <vector>

#include "engine/node_marks.hpp"
#include "engine/removal/node_rechecks.hpp"
#include "engine/removal/phases.hpp"
#include "removal_case.hpp"

namespace capstan::engine::removal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum RemovalPhase;

struct ResultRow {
    const char* what;
    RemovalPhase before;
    std::optional<ErrorCode> of_node, of_machine;
    std::optional<RemovalPhase> after;  ///< absent: the removal is forgotten
    bool has_failed = false;
    Duration later{0};
};

const std::vector<ResultRow> result_rows = {
    {"marked", tainting, {}, {}, waiting},
    {"write conflict", tainting, ErrorCode::conflict, {}, tainting},
    {"API server unavailable", tainting, ErrorCode::unavailable, {}, tainting},
    {"API server unavailable for a minute",
     tainting,
     ErrorCode::unavailable,
     {},
     undoing,
     true,
     1min},
    {"not permitted to mark", tainting, ErrorCode::permission, {}, undoing, true},
    {"node not found", tainting, ErrorCode::not_found, {}, tainting},
    {"removal accepted", deleting, {}, {}, removed},
    {"removal refused", deleting, {}, ErrorCode::invalid_argument, undoing, true},
    {"machine not found", deleting, {}, ErrorCode::not_found, removed},
    {"no response", deleting, {}, ErrorCode::deadline, deleting},
    {"no response for ten minutes", deleting, {}, ErrorCode::deadline, undoing, true, 10min},
    {"throttled", deleting, {}, ErrorCode::throttled, deleting},
    {"cloud unavailable", deleting, {}, ErrorCode::unavailable, undoing, true},
    {"host stops", deleting, {}, ErrorCode::cancelled, deleting},
    {"node cannot be marked", deleting, ErrorCode::unavailable, ErrorCode::unavailable, deleting},
    {"node cannot be marked for a minute", deleting, ErrorCode::unavailable, ErrorCode::unavailable,
     undoing, true, 1min},
    {"not permitted to mark the node", deleting, ErrorCode::permission, ErrorCode::permission,
     undoing, true},
    {"node to be marked not found", deleting, ErrorCode::not_found, ErrorCode::not_found, deleting},
    {"node to be marked not found for a minute", deleting, ErrorCode::not_found,
     ErrorCode::not_found, undoing, true, 1min},
    {"unmarked", undoing, {}, {}, std::nullopt},
    {"not unmarked", undoing, ErrorCode::permission, {}, undoing},
    {"node not found while unmarking", undoing, ErrorCode::not_found, {}, std::nullopt},
};

using RemovalResults = RemovalCase;

TEST_F(RemovalResults, ChangeThePhase) {
    for (const ResultRow& row : result_rows) {
        SCOPED_TRACE(row.what);
        groups.clear();
        errors.clear();
        memory = {.started = true};
        now = noon;
        node("n1");
        removing("n1", row.before, true);
        if (row.of_node) errors["n1"] = {*row.of_node, "said the API server"};
        if (row.of_machine) errors["m-n1"] = {*row.of_machine, "said the cloud"};
        now += row.later;
        pass();
        const auto at = memory.removals.find("n1");
        EXPECT_EQ(at != memory.removals.end() ? std::optional(at->second.phase) : std::nullopt,
                  row.after);
        const bool was_asked = row.before == deleting && !row.of_node;
        EXPECT_EQ(memory.last.failed_removal.has_value(), row.has_failed && !was_asked)
            << "a refusal of the cloud delays only the group";
        EXPECT_EQ(memory.last_by_group[NodeGroupId("a")].failed_removal.has_value(),
                  row.has_failed);
        EXPECT_EQ(memory.last.removal.has_value(), row.after == removed);
    }
}

TEST_F(RemovalResults, AreAppliedPerMachine) {
    for (const char* name : {"n1", "n2"}) {
        node(name);
        removing(name, deleting, true);
    }
    errors["m-n2"] = {ErrorCode::invalid_argument, "it is protected"};
    EXPECT_THAT(pass(),
                ElementsAre("n1: +BeingDeleted", "n2: +BeingDeleted", "remove n1, n2 of a"));
    EXPECT_EQ(phase("n1"), removed);
    EXPECT_EQ(memory.removals.at("n2").because, "the machine was not removed: it is protected");
    EXPECT_THAT(pass(), ElementsAre("n2: -ToBeDeleted -BeingDeleted uncordon"));
}

TEST_F(RemovalResults, EndTheRemovalOfANodeWithUnknownPods) {
    for (const RemovalPhase before : {tainting, deleting}) {
        SCOPED_TRACE(name_of(before));
        groups.clear();
        memory = {.started = true};
        node("n1");
        removing("n1", before, true);
        errors["n1"] = {ErrorCode::conflict,
                        "it has pods that the watch has not reported: shop/web-1",
                        std::string(unknown_pods)};
        if (before == deleting) errors["m-n1"] = errors["n1"];
        pass();
        EXPECT_EQ(phase("n1"), undoing);
        EXPECT_THAT(memory.removals.at("n1").because, ::testing::HasSubstr("shop/web-1"));
    }
}

TEST_F(RemovalResults, OfOtherTaintsDoNotChangeThePhase) {
    const Decision decision{.node_changes = {{.node = "n1",
                                              .set_taints = {{std::string(leaving_taint), "1"}},
                                              .drop_taints = {"example.com/other"}}}};
    for (const std::optional<Error>& result :
         {std::optional<Error>(), std::optional(Error{ErrorCode::permission, "no"})}) {
        for (const RemovalPhase before : {tainting, deleting, undoing}) {
            removing("n1", before, true);
            const Memory known = memory;
            memory = remember_steps(memory, decision, {.node_changes = {result}}, settings, now);
            EXPECT_EQ(memory, known) << name_of(before);
        }
    }
}

TEST_F(RemovalResults, ApplyToAllMachinesWithoutASubject) {
    node("n1");
    removing("n1", deleting, true);
    const Decision decision = decide();
    Results results;
    results.removals = {{{ErrorCode::quota, "too many calls"}}};
    memory = remember_steps(memory, decision, results, settings, now);
    EXPECT_EQ(phase("n1"), undoing);
}

TEST_F(RemovalResults, SetTheTimeOfTheNextStep) {
    settings.scale_down.node_delete_delay_after_taint = 5s;
    for (const RemovalPhase of : {tainting, draining, delayed, deleting, removed}) {
        memory.removals.clear();
        removing("n1", of);
        EXPECT_EQ(find_next_step(memory, settings, now), std::nullopt) << name_of(of);
    }
    memory.removals.clear();
    EXPECT_EQ(find_next_step(memory, settings, now), std::nullopt);
    removing("n1", waiting);
    EXPECT_EQ(find_next_step(memory, settings, now + 2s), now + 5s);
    removing("n2", undoing);
    EXPECT_EQ(find_next_step(memory, settings, now), now) << "the earliest step";
}

TEST_F(RemovalResults, DoNotBringThePassForwardThatRepeatsAFailedStep) {
    node("n1");
    removing("n1", undoing);
    errors["n1"] = {ErrorCode::unavailable, "the API server is down"};
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre(unmark));
    EXPECT_EQ(phase("n1"), undoing);
    EXPECT_EQ(find_next_step(memory, settings, now), std::nullopt);

    memory.removals.clear();
    removing("n1", tainting);
    EXPECT_THAT(pass(), ElementsAre("n1: +ToBeDeleted cordon"));
    EXPECT_EQ(phase("n1"), tainting);
    EXPECT_EQ(find_next_step(memory, settings, now), std::nullopt);

    memory.removals.clear();
    errors = {{"m-n1", {ErrorCode::deadline, "no answer"}}};
    removing("n1", deleting, true);
    EXPECT_THAT(pass(), ElementsAre("n1: +BeingDeleted", "remove n1 of a"));
    EXPECT_EQ(phase("n1"), deleting);
    EXPECT_EQ(find_next_step(memory, settings, now), std::nullopt);
}

TEST_F(RemovalResults, SetNoNextStepButUndoingWhileTheClusterIsUnobserved) {
    removing("n1", waiting);
    EXPECT_EQ(find_next_step(memory, settings, now, nullptr, false), std::nullopt);
    removing("n2", undoing);
    EXPECT_EQ(find_next_step(memory, settings, now, nullptr, false), now);
}

TEST_F(RemovalResults, IgnoreEvictionsThatWereNotSent) {
    node("n1");
    pod("web-1", "n1");
    removing("n1", draining);
    const std::string key = "default/web-1/web-1-uid";
    errors["web-1"] = {ErrorCode::cancelled, "this host leads no longer"};
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    EXPECT_FALSE(memory.removals.at("n1").evictions.contains(key)) << "it was not sent";
    errors["web-1"] = {ErrorCode::permission, "a policy denies it"};
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    const NodeRemoval::Eviction before = memory.removals.at("n1").evictions.at(key);
    EXPECT_EQ(before.barred_since, now);
    errors["web-1"] = {ErrorCode::cancelled, "this host leads no longer"};
    now += 10s;
    EXPECT_THAT(pass(), ElementsAre("evict web-1"));
    EXPECT_EQ(memory.removals.at("n1").evictions.at(key), before) << "the last response counts";
}

TEST_F(RemovalResults, RetryTheUnsentEvictionOfADaemonSetPod) {
    node("n1");
    daemon("agent-1", "n1");
    removing("n1", draining);
    errors["agent-1"] = {ErrorCode::cancelled, "this host leads no longer"};
    EXPECT_THAT(pass(), ElementsAre("try to evict agent-1"));
    EXPECT_THAT(pass(), ElementsAre("try to evict agent-1"));
}

TEST_F(RemovalResults, AreEmptyForADryRun) {
    node("n1");
    const Decision decision = decide({"n1"});
    const Memory before = memory;
    memory = remember_steps(memory, decision, {}, settings, now);
    EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace capstan::engine::removal
