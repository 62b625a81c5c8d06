// The daemon when the system clock is set to another time.
#include <gtest/gtest.h>

#include "live_cluster.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;

constexpr const char* two_machines = R"(register_nodes = true
groups = [{ id = "web", size = 2, max = 5, boot = "1s", machine = { cpu = "4", memory = "16Gi" } }])";

struct DaemonClockSteps : ::testing::Test {
    LiveCluster cluster{"", two_machines};

    void set_clock(Duration when, Duration by) {
        cluster.at(when,
                   [this, by] { dynamic_cast<io::ManualLoop&>(cluster.loop()).step_wall(by); });
    }
    bool has_node(const char* name) const { return cluster.find("nodes", name, "") != nullptr; }
};

TEST_F(DaemonClockSteps, BackwardsRemoveNoNode) {
    std::optional<engine::PassTime> last;
    cluster.on_pass = [&](const PassReport& pass) { last = pass.input.call_context.time(); };
    set_clock(25s, -2h);
    cluster.run(60s);
    EXPECT_TRUE(has_node("web-1") && has_node("web-2"));
    ASSERT_TRUE(last);
    EXPECT_EQ(last->now - last->wall, 2h) << "a pass has both times";
}

TEST_F(DaemonClockSteps, CauseOneWriteOfTheMemory) {
    int writes = 0;
    cluster.on_write = [&](const io::ServedRequest& request) {
        const bool is_memory = request.target.find("capstan-memory") != std::string::npos;
        if (is_memory && cluster.now() > 30s) ++writes;
    };
    set_clock(45s, 20min);
    cluster.run(80s);
    EXPECT_EQ(writes, 1) << "nothing else changes, and ages are relative";
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
