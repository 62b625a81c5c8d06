// The Balancer: the timeline of the example, and the command that installs its definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "embedded_cluster.hpp"
#include "live_shop.hpp"

namespace capstan::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string example() {
    std::ostringstream out;
    out << std::ifstream("examples/live_balancer.toml").rdbuf();
    return std::move(out).str();
}

/// Whether the text has the lines in this order.
bool has_in_order(const std::string& text, const std::vector<std::string>& lines) {
    std::size_t at = 0;
    for (const std::string& line : lines) {
        at = text.find(line, at);
        if (at == std::string::npos) return false;
    }
    return true;
}

TEST(LiveBalancer, FollowsTheTimelineOfTheExample) {
    EmbeddedCluster cluster(example(), {"--run", "--once", "--for", "3m"});
    EXPECT_TRUE(becomes(180s, [&] { return !cluster.process().is_running(); }));
    EXPECT_EQ(cluster.process().end(SIGTERM), 0) << cluster.log();
    const std::string log = cluster.log();
    const std::string of_ten = "balancer shop: 10 wanted, ",
                      of_twenty = "balancer shop: 20 wanted, ";
    const std::string evenly = "shop-a 12 of 12 ready, shop-b 6 of 6 ready, shop-c 2 of 2 ready";
    const std::string without_a =
        "shop-a 0 of 12 ready, shop-b 15 of 15 ready, shop-c 5 of 5 ready";
    EXPECT_TRUE(
        has_in_order(log, {of_ten + "shop-a 6 of 6 ready, shop-b 3 of 3 ready, shop-c 1 of 1 ready",
                           of_twenty + evenly, "node zone-a is changed, taint outage:NoExecute",
                           "12 replicas are moved to other targets: pods do not start in shop-a",
                           of_twenty + without_a + ", 12 as fallback for another target",
                           of_twenty + evenly, "the scenario has ended"}))
        << log;
    EXPECT_THAT(log, Not(HasSubstr("expectation not met")));
}

TEST(LiveBalancer, IsInstalledOnce) {
    EmbeddedCluster cluster(live_shop);
    const auto install = [&] {
        return commands::capstan("crd install --kubeconfig '" +
                                 (cluster.dir() / "kubeconfig").string() + "'");
    };
    const std::string name =
        "customresourcedefinition.apiextensions.k8s.io/balancers.balancer.x-k8s.io ";
    EXPECT_EQ(install().out, name + "created\n");
    EXPECT_EQ(install().out, name + "unchanged\n");
    if (!EmbeddedCluster::kubectl_missing_because().empty()) return;
    cluster.kubectl({"apply", "-f", "-"}, commands::capstan("crd print").out);
    EXPECT_EQ(install().out, name + "unchanged\n");
}

}  // namespace
}  // namespace capstan::e2e
