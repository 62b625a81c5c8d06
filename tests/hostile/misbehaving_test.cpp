// Each row of the tables, against the binary as it ships: the host goes on, or ends with a code
// that its row has; it names plugin and call, in this run or in the next; and SIGTERM ends it in
// time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "stage.hpp"

namespace capstan::hostile {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOfArray;

std::string told(const std::vector<std::string>& words) {
    std::string out = "a line with";
    for (const std::string& word : words) out += " '" + word + "'";
    return out;
}

bool admin_answers(const e2e::Api& admin) {
    try {
        return admin.answer("/livez").status == 200;
    } catch (const std::runtime_error&) {
        return false;
    }
}

class Misbehaving : public ::testing::TestWithParam<Row> {
protected:
    const Row& row() const { return GetParam(); }

    /// A host waits half a minute for plugins that do not start before it goes on without them.
    bool serves_pods(int count) {
        stage_.api().scale("web", count);
        return becomes(45s, [&] { return stage_.api().ready_pods("web") == count; });
    }

    void expect_stop(HostRun& run, std::chrono::seconds within, const std::vector<int>& codes) {
        const auto took = run.stop(SIGTERM, within + 5s);
        ASSERT_FALSE(run.is_running()) << "undead\n" << run.log();
        EXPECT_LE(took, within) << run.log();
        EXPECT_THAT(run.exit_code(), AnyOfArray(codes)) << run.log();
    }
    /// Once it has ended.
    void expect_last_words(const HostRun& run) const {
        if (row().last_says.empty()) return;
        EXPECT_TRUE(run.says(row().last_says)) << "no " << told(row().last_says) << "\n"
                                               << run.log();
    }

    /// The same plugin, as it should be.
    void expect_next_run(bool after_clean_stop) {
        HostRun next = stage_.run(false);
        if (!row().next.empty())
            EXPECT_TRUE(becomes(10s, [&] { return next.says(row().next); }))
                << "no " << told(row().next) << "\n"
                << next.log();
        EXPECT_TRUE(!row().serves || serves_pods(2)) << next.log();
        // A host that has not come so far is ended by the signal itself.
        EXPECT_TRUE(becomes(10s, [&] { return admin_answers(stage_.admin()); })) << next.log();
        EXPECT_TRUE(!after_clean_stop || !next.says({"the previous run"})) << next.log();
        expect_stop(next, 10s, {0});
    }

    void expect_end(HostRun& run) {
        EXPECT_THAT(run.exit_code(), AnyOfArray(row().ends)) << run.log();
        expect_next_run(false);
    }

    void expect_growth_of_rogue(const HostRun& run) {
        const std::vector<std::string> growth{"increase rogue by", "makes room"};
        const int before = run.count(growth);
        stage_.api().scale("guest", 4);
        EXPECT_TRUE(becomes(10s, [&] { return run.count(growth) > before; })) << run.log();
    }

    void expect_life(HostRun& run) {
        if (row().serves) EXPECT_TRUE(serves_pods(3)) << run.log();
        if (row().grows_rogue) expect_growth_of_rogue(run);
        EXPECT_TRUE(run.is_running()) << run.log();
        if (row().answers)
            EXPECT_TRUE(becomes(5s, [&] { return admin_answers(stage_.admin()); })) << run.log();
        expect_stop(run, row().stops_within, row().stops_with);
        expect_last_words(run);
        if (run.is_running()) return;
        if (row().again || run.exit_code() != 0) expect_next_run(run.exit_code() == 0);
    }

    bool may_crash() const {
        return row().may_go_on &&
               std::ranges::any_of(row().ends, [](int code) { return code > 128; });
    }
    /// What is broken in the process may end it at any time, in one of the ways of its row.
    void expect_life_or_end(HostRun& run) {
        if (row().serves) becomes(10s, [&] { return !run.is_running() || serves_pods(3); });
        if (!run.is_running()) return expect_end(run);
        std::vector<int> codes = row().stops_with;
        codes.insert(codes.end(), row().ends.begin(), row().ends.end());
        expect_stop(run, row().stops_within, codes);
        if (!run.is_running() && run.exit_code() != 0) expect_next_run(false);
    }

    Stage stage_{GetParam()};
};

TEST_P(Misbehaving, LeavesTheHostAliveOrIsNamed) {
    HostRun run = stage_.run(true);
    const bool has_to_end = !row().ends.empty() && !row().may_go_on;
    const auto is_told = [&] {
        return !has_to_end && run.says(row().says) && stage_.shows(row().shows);
    };
    const bool ended_or_told =
        becomes(row().within, [&] { return !run.is_running() || is_told(); });
    if (has_to_end) {
        ASSERT_FALSE(run.is_running()) << "still alive\n" << run.log();
    } else {
        EXPECT_TRUE(ended_or_told) << "no " << told(row().says) << " and an answer with "
                                   << ::testing::PrintToString(row().shows) << "\n"
                                   << run.log();
    }
    if (row().may_go_on) becomes(3s, [&] { return !run.is_running(); });
    if (run.is_running()) return may_crash() ? expect_life_or_end(run) : expect_life(run);
    ASSERT_FALSE(row().ends.empty()) << "ended with " << run.exit_code() << "\n" << run.log();
    if (has_to_end && !row().says.empty())
        EXPECT_TRUE(run.says(row().says)) << "no " << told(row().says) << "\n" << run.log();
    expect_end(run);
}

INSTANTIATE_TEST_SUITE_P(Row, Misbehaving, ::testing::ValuesIn(all_rows()),
                         [](const auto& each) { return name_of(each.param); });

TEST(MisbehavingPlan, PrintsNothingOfWhatAPluginPrints) {
    Stage stage({.kind = "expander", .at = "filter", .act = "print"});
    ASSERT_TRUE(becomes(20s, [&] { return stage.ask("plan -o json").code == 3; }))
        << stage.ask("plan -o json").err;
    const commands::Ran plan = stage.ask("plan -o json");
    EXPECT_THAT(plan.out, ::testing::Not(::testing::HasSubstr("printed by a plugin")));
    EXPECT_THAT(plan.out, ::testing::StartsWith("{"));
}

}  // namespace
}  // namespace capstan::hostile
