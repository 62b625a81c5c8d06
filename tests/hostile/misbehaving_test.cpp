// Runs the shipped binary with each row of the tables: the host continues, or ends with an exit
// code of the row; it names plugin and call, in this run or in the next; and SIGTERM ends it in
// time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "test_cluster.hpp"

namespace capstan::hostile {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOfArray;

std::string line_with(const std::vector<std::string>& words) {
    std::string out = "a line with";
    for (const std::string& word : words) out += " '" + word + "'";
    return out;
}

bool is_admin_live(const e2e::Api& admin) {
    try {
        return admin.answer("/livez").status == 200;
    } catch (const std::runtime_error&) {
        return false;
    }
}

class MisbehavingPlugin : public ::testing::TestWithParam<Row> {
protected:
    const Row& row() const { return GetParam(); }

    /// A host waits up to half a minute for plugins that do not start.
    bool serves_pods(int count) {
        cluster_.api().scale("web", count);
        return wait_until(45s, [&] { return cluster_.api().ready_pods("web") == count; });
    }

    void expect_stop(HostRun& run, std::chrono::seconds within, const std::vector<int>& codes) {
        const auto took = run.stop(SIGTERM, within + 5s);
        ASSERT_FALSE(run.is_running()) << "still running\n" << run.log();
        EXPECT_LE(took, within) << run.log();
        EXPECT_THAT(run.exit_code(), AnyOfArray(codes)) << run.log();
    }
    /// Checks the log after the end of the process.
    void expect_last_log(const HostRun& run) const {
        if (row().last_log.empty()) return;
        EXPECT_TRUE(run.has_line(row().last_log)) << "no " << line_with(row().last_log) << "\n"
                                                  << run.log();
    }

    /// Runs the host with the same plugin, behaving correctly.
    void expect_next_run(bool after_clean_stop) {
        HostRun next = cluster_.run(false);
        if (!row().next_log.empty())
            EXPECT_TRUE(wait_until(10s, [&] { return next.has_line(row().next_log); }))
                << "no " << line_with(row().next_log) << "\n"
                << next.log();
        EXPECT_TRUE(!row().serves || serves_pods(2)) << next.log();
        // Before the admin port responds, the signal would end the process without a clean
        // shutdown.
        EXPECT_TRUE(wait_until(10s, [&] { return is_admin_live(cluster_.admin()); })) << next.log();
        EXPECT_TRUE(!after_clean_stop || !next.has_line({"the previous run"})) << next.log();
        expect_stop(next, 10s, {0});
    }

    void expect_end(HostRun& run) {
        EXPECT_THAT(run.exit_code(), AnyOfArray(row().exit_codes)) << run.log();
        expect_next_run(false);
    }

    void expect_rogue_scales_up(const HostRun& run) {
        const std::vector<std::string> growth{"increase rogue by", "makes room"};
        const int before = run.count(growth);
        cluster_.api().scale("guest", 4);
        EXPECT_TRUE(wait_until(10s, [&] { return run.count(growth) > before; })) << run.log();
    }

    void expect_continues(HostRun& run) {
        if (row().serves) EXPECT_TRUE(serves_pods(3)) << run.log();
        if (row().grows_rogue) expect_rogue_scales_up(run);
        EXPECT_TRUE(run.is_running()) << run.log();
        if (row().admin_responds)
            EXPECT_TRUE(wait_until(5s, [&] { return is_admin_live(cluster_.admin()); }))
                << run.log();
        expect_stop(run, row().stops_within, row().stops_with);
        expect_last_log(run);
        if (run.is_running()) return;
        if (row().runs_again || run.exit_code() != 0) expect_next_run(run.exit_code() == 0);
    }

    bool may_crash() const {
        return row().may_continue &&
               std::ranges::any_of(row().exit_codes, [](int code) { return code > 128; });
    }
    /// A process whose memory may be damaged may end at any time, with one of the exit codes of its
    /// row.
    void expect_continues_or_ends(HostRun& run) {
        if (row().serves) wait_until(10s, [&] { return !run.is_running() || serves_pods(3); });
        if (!run.is_running()) return expect_end(run);
        std::vector<int> codes = row().stops_with;
        codes.insert(codes.end(), row().exit_codes.begin(), row().exit_codes.end());
        expect_stop(run, row().stops_within, codes);
        if (!run.is_running() && run.exit_code() != 0) expect_next_run(false);
    }

    TestCluster cluster_{GetParam()};
};

TEST_P(MisbehavingPlugin, LeavesTheHostRunningOrIsNamed) {
    HostRun run = cluster_.run(true);
    const bool must_end = !row().exit_codes.empty() && !row().may_continue;
    const auto is_reported = [&] {
        return !must_end && run.has_line(row().log) && cluster_.admin_shows(row().admin);
    };
    const bool ended_or_reported =
        wait_until(row().within, [&] { return !run.is_running() || is_reported(); });
    if (must_end) {
        ASSERT_FALSE(run.is_running()) << "still running\n" << run.log();
    } else {
        EXPECT_TRUE(ended_or_reported)
            << "no " << line_with(row().log) << " and no admin page with "
            << ::testing::PrintToString(row().admin) << "\n"
            << run.log();
    }
    if (row().may_continue) wait_until(3s, [&] { return !run.is_running(); });
    if (run.is_running())
        return may_crash() ? expect_continues_or_ends(run) : expect_continues(run);
    ASSERT_FALSE(row().exit_codes.empty()) << "ended with " << run.exit_code() << "\n" << run.log();
    if (must_end && !row().log.empty())
        EXPECT_TRUE(run.has_line(row().log)) << "no " << line_with(row().log) << "\n" << run.log();
    expect_end(run);
}

INSTANTIATE_TEST_SUITE_P(Row, MisbehavingPlugin, ::testing::ValuesIn(all_rows()),
                         [](const auto& each) { return name_of(each.param); });

TEST(PlanWithMisbehavingPlugin, PrintsNoOutputOfThePlugin) {
    TestCluster cluster({.kind = "expander", .at = "filter", .act = "print"});
    ASSERT_TRUE(wait_until(20s, [&] { return cluster.run_command("plan -o json").code == 3; }))
        << cluster.run_command("plan -o json").err;
    const commands::CommandResult plan = cluster.run_command("plan -o json");
    EXPECT_THAT(plan.out, ::testing::Not(::testing::HasSubstr("printed by a plugin")));
    EXPECT_THAT(plan.out, ::testing::StartsWith("{"));
}

}  // namespace
}  // namespace capstan::hostile
