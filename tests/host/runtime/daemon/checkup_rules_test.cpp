#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/daemon/checkup.hpp"

namespace capstan::runtime {
namespace {

using ::testing::Contains;
using ::testing::Not;

/// Of a configuration with a cloud.
std::vector<std::string> rules(Config config, bool has_cloud = true) {
    if (has_cloud) config.pipeline.clouds = {PluginInstanceId("eu")};
    std::vector<std::string> out;
    for (const kubernetes::AccessRule& rule : needed_rules(config)) out.push_back(to_string(rule));
    return out;
}

TEST(NeededRules, NameWhatTheDaemonReadsAndWrites) {
    const std::vector<std::string> all = rules({});
    for (const char* rule : {"watch pods", "list poddisruptionbudgets.policy", "patch nodes",
                             "update nodes", "create pods/eviction", "create events",
                             "create leases.coordination.k8s.io in kube-system",
                             "update leases.coordination.k8s.io cluster-autoscaler in kube-system",
                             "update configmaps capstan-memory in kube-system",
                             "delete configmaps cluster-autoscaler-status in kube-system"})
        EXPECT_THAT(all, Contains(rule));
}

TEST(NeededRules, LeaveOutWhatIsTurnedOff) {
    Config config;
    config.cluster.leader_election.enabled = false;
    config.cluster.write_status_configmap = false;
    const std::vector<std::string> all = rules(config);
    EXPECT_THAT(all, Not(Contains("create leases.coordination.k8s.io in kube-system")));
    EXPECT_THAT(all, Not(Contains("delete configmaps cluster-autoscaler-status in kube-system")));
}

TEST(NeededRules, AreFewWhereControllersRunAlone) {
    const std::vector<std::string> all = rules({}, false);
    EXPECT_THAT(all, Not(Contains("watch pods")));
    EXPECT_THAT(all, Not(Contains("update configmaps capstan-memory in kube-system")));
    EXPECT_THAT(all, Contains("create leases.coordination.k8s.io in kube-system"));
}

TEST(NeededRules, NameWhatPluginsWereGrantedOnce) {
    Config config;
    config.plugins.resize(2);
    config.plugins[0].grants.kube = {"nodes:list,delete", "deployments.apps/scale:update@shop"};
    config.plugins[1].grants.kube = {"nodes:delete"};
    const std::vector<std::string> all = rules(config);
    for (const char* rule : {"delete nodes", "list nodes", "update deployments.apps/scale in shop"})
        EXPECT_EQ(std::ranges::count(all, rule), 1) << rule;
}

}  // namespace
}  // namespace capstan::runtime
