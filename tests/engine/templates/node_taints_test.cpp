#include "engine/templates/node_taints.hpp"

#include <gtest/gtest.h>

namespace capstan::engine::templates {
namespace {

Settings operator_settings() {
    Settings out;
    out.startup_taints = {"acme.example/starting"};
    out.startup_taint_prefixes = {"starting.acme.example/"};
    out.status_taints = {"acme.example/status"};
    return out;
}

TEST(TemplateTaints, AreClassifiedAsLastingStartupOrDeletion) {
    struct Case {
        const char* key;
        bool lasts, starting, deletion;
    };
    for (const Case& c : {
             Case{"dedicated", true, false, false},
             Case{"nvidia.com/gpu", true, false, false},
             Case{"node.kubernetes.io/not-ready", false, true, false},
             Case{"node.kubernetes.io/unreachable", false, true, false},
             Case{"node.kubernetes.io/network-unavailable", false, true, false},
             Case{"node.kubernetes.io/unschedulable", false, false, false},
             Case{"node.kubernetes.io/memory-pressure", false, false, false},
             Case{"node.kubernetes.io/disk-pressure", false, false, false},
             Case{"node.kubernetes.io/pid-pressure", false, false, false},
             Case{"node.kubernetes.io/out-of-service", false, false, false},
             Case{"node.cloudprovider.kubernetes.io/uninitialized", false, true, false},
             Case{"node.cloudprovider.kubernetes.io/shutdown", false, false, false},
             Case{"cloud.google.com/impending-node-termination", false, false, false},
             Case{"NodeWithImpairedVolumes", false, false, false},
             Case{"ToBeDeletedByClusterAutoscaler", false, false, true},
             Case{"BeingDeletedByClusterAutoscaler", false, false, true},
             Case{"capstan.io/leaving", false, false, true},
             Case{"DeletionCandidateOfClusterAutoscaler", false, false, false},
             Case{"startup-taint.cluster-autoscaler.kubernetes.io/cni", false, true, false},
             Case{"ignore-taint.cluster-autoscaler.kubernetes.io/cni", false, true, false},
             Case{"status-taint.cluster-autoscaler.kubernetes.io/x", false, false, false},
             Case{"acme.example/starting", false, true, false},
             Case{"acme.example/starting-too", true, false, false},
             Case{"starting.acme.example/x", false, true, false},
             Case{"acme.example/status", false, false, false},
         }) {
        EXPECT_EQ(lasting_taints({{.key = c.key}}, operator_settings()).size(), c.lasts ? 1u : 0u)
            << c.key;
        EXPECT_EQ(is_starting_taint(c.key, operator_settings()), c.starting) << c.key;
        EXPECT_EQ(is_deletion_taint(c.key), c.deletion) << c.key;
    }
}

TEST(TemplateTaints, LastingTaintsKeepTheirOrder) {
    const std::vector<Taint> taints = {
        {.key = "z"}, {.key = "node.kubernetes.io/not-ready"}, {.key = "a"}};
    EXPECT_EQ(lasting_taints(taints, Settings()), (std::vector<Taint>{{.key = "z"}, {.key = "a"}}));
}

}  // namespace
}  // namespace capstan::engine::templates
