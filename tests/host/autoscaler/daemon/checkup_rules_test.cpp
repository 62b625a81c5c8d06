#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "autoscaler/daemon/checkup.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using ::testing::Contains;
using ::testing::Not;

/// The rules for a configuration, by default with a cloud.
std::vector<std::string> rules(config::Config config, bool has_cloud = true) {
    if (has_cloud) config.pipeline.clouds = {PluginInstanceId("eu")};
    std::vector<std::string> out;
    for (const NeededRule& needed : needed_rules(config)) out.push_back(to_string(needed.rule));
    return out;
}

TEST(NeededRules, CoverWhatTheDaemonReadsAndWrites) {
    const std::vector<std::string> all = rules({});
    for (const char* rule :
         {"watch pods", "list poddisruptionbudgets.policy", "patch nodes", "create pods/eviction",
          "create events", "create leases.coordination.k8s.io in kube-system",
          "update leases.coordination.k8s.io cluster-autoscaler in kube-system",
          "update configmaps capstan-memory in kube-system",
          "delete configmaps cluster-autoscaler-status in kube-system"})
        EXPECT_THAT(all, Contains(rule));
}

TEST(NeededRules, OmitDisabledFeatures) {
    config::Config config;
    config.cluster.leader_election.enabled = false;
    config.cluster.write_status_configmap = false;
    const std::vector<std::string> all = rules(config);
    EXPECT_THAT(all, Not(Contains("create leases.coordination.k8s.io in kube-system")));
    EXPECT_THAT(all, Not(Contains("delete configmaps cluster-autoscaler-status in kube-system")));
}

TEST(NeededRules, AreFewWithoutAutoscaling) {
    const std::vector<std::string> all = rules({}, false);
    EXPECT_THAT(all, Not(Contains("watch pods")));
    EXPECT_THAT(all, Not(Contains("update configmaps capstan-memory in kube-system")));
    EXPECT_THAT(all, Contains("create leases.coordination.k8s.io in kube-system"));
}

TEST(NeededRules, IncludeEachGrantOfPluginsOnce) {
    config::Config config;
    config.plugins.resize(2);
    config.plugins[0].grants.kube = {"nodes:list,delete", "deployments.apps/scale:update@shop"};
    config.plugins[1].grants.kube = {"nodes:delete"};
    const std::vector<std::string> all = rules(config);
    for (const char* rule : {"delete nodes", "list nodes", "update deployments.apps/scale in shop"})
        EXPECT_EQ(std::ranges::count(all, rule), 1) << rule;
}

std::string purpose_of(const std::string& rule, const config::Config& config) {
    for (const NeededRule& needed : needed_rules(config))
        if (to_string(needed.rule) == rule) return needed.purpose;
    return "";
}

TEST(NeededRules, HaveAPurpose) {
    config::Config config;
    config.pipeline.clouds = {PluginInstanceId("eu")};
    for (const NeededRule& needed : needed_rules(config))
        EXPECT_NE(needed.purpose, "") << to_string(needed.rule);
    EXPECT_EQ(purpose_of("patch nodes", config), "taint and cordon nodes before removal");
    EXPECT_EQ(purpose_of("create pods/eviction", config), "evict pods from nodes before removal");
}

TEST(NeededRules, ListEveryPurpose) {
    config::Config config;
    config.pipeline.clouds = {PluginInstanceId("eu")};
    config.plugins.resize(2);
    config.plugins[0].id = PluginInstanceId("keeper");
    config.plugins[0].grants.kube = {"nodes:get,delete"};
    config.plugins[1].id = PluginInstanceId("sweeper");
    config.plugins[1].grants.kube = {"nodes:delete"};
    EXPECT_EQ(purpose_of("get nodes", config),
              "read a node before changing it, and to serve plugin keeper (its grants.kube)");
    EXPECT_EQ(
        purpose_of("delete nodes", config),
        "serve plugin keeper (its grants.kube), and to serve plugin sweeper (its grants.kube)");
    EXPECT_EQ(
        purpose_of("create configmaps in kube-system", config),
        "keep back-offs, requests and removals over a restart, and to write the status ConfigMap");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
