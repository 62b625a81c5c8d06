#include <capstan/kubelet_labels.hpp>

#include <gtest/gtest.h>

namespace {

using capstan::check_kubelet_label;

TEST(KubeletLabels, RejectMostKubernetesDomainsAndNoOthers) {
    for (const char* key :
         {"team", "example.com/team", "node.kubernetes.io/lifecycle", "a.node.kubernetes.io/b",
          "kubelet.kubernetes.io/a", "topology.kubernetes.io/zone",
          "eks.amazonaws.com/capacityType", "cloud.google.com/gke-spot", "notkubernetes.io/a"})
        EXPECT_TRUE(check_kubelet_label(key)) << key;
    for (const char* key : {"kubernetes.io/team", "a.kubernetes.io/b", "k8s.io/a", "a.k8s.io/b",
                            "node-role.kubernetes.io/worker", "node-restriction.kubernetes.io/a"}) {
        const auto refused = check_kubelet_label(key);
        ASSERT_FALSE(refused) << key;
        EXPECT_EQ(refused.error().code, capstan::ErrorCode::unsupported);
        EXPECT_NE(refused.error().message.find(key), std::string::npos);
    }
}

}  // namespace
