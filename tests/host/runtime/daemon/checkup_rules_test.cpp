#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "runtime/daemon/checkup.hpp"

namespace capstan::runtime {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> rules(const Cluster& config) {
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
    Cluster config;
    config.leader_election.enabled = false;
    config.write_status_configmap = false;
    const std::vector<std::string> all = rules(config);
    EXPECT_THAT(all, Not(Contains("create leases.coordination.k8s.io in kube-system")));
    EXPECT_THAT(all, Not(Contains("delete configmaps cluster-autoscaler-status in kube-system")));
}

}  // namespace
}  // namespace capstan::runtime
