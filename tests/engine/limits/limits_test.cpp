#include "engine/limits/limits.hpp"

#include <climits>

#include <gtest/gtest.h>

#include "../test_cluster.hpp"

namespace capstan::engine::limits {
namespace {

NodeTemplate machine(std::int64_t cores, std::int64_t gibibytes = 8) {
    return {.capacity = amounts(cores * 1000, gibibytes << 10)};
}

NodeTemplate with(NodeTemplate node, std::string_view resource, std::int64_t amount) {
    node.capacity.set(resource, amount);
    return node;
}

TestCluster cluster_of(std::initializer_list<std::int64_t> cores) {
    TestCluster test_cluster;
    for (const std::int64_t n : cores) {
        test_cluster.node("node-" + std::to_string(n) + "-" + std::to_string(n)).capacity =
            machine(n).capacity;
    }
    return test_cluster;
}

Settings cpu_at_most(std::int64_t cores) {
    Settings out;
    out.cpu.max = cores * 1000;
    return out;
}

TEST(ClusterLimits, AreUnlimitedByDefault) {
    const limits::Budget budget(cluster_of({4}).snapshot(), {}, Settings());
    EXPECT_EQ(budget.allows(machine(96), INT_MAX).nodes, INT_MAX);
    EXPECT_EQ(budget.allows(machine(96), INT_MAX).because, "");
}

// From the auto-provisioning proposal: 2 nodes of 2 cores, 1 of 16 and 2 of 4 have 28 cores.
TEST(ClusterLimits, MatchTheAutoProvisioningProposal) {
    TestCluster test_cluster;
    for (const auto& [name, cores] : std::vector<std::pair<std::string, std::int64_t>>{
             {"main-1", 2}, {"main-2", 2}, {"as-1", 16}, {"nap-1", 4}, {"nap-2", 4}}) {
        test_cluster.node(name).capacity = machine(cores).capacity;
    }
    struct Case {
        std::int64_t max;
        int standard_1, highmem_4, standard_16;
    };
    for (const Case& c : {Case{5, 0, 0, 0}, Case{32, 4, 1, 0}, Case{80, 52, 13, 3}}) {
        const limits::Budget budget(test_cluster.snapshot(), {}, cpu_at_most(c.max));
        EXPECT_EQ(budget.allows(machine(1), 100).nodes, c.standard_1) << c.max;
        EXPECT_EQ(budget.allows(machine(4), 100).nodes, c.highmem_4) << c.max;
        EXPECT_EQ(budget.allows(machine(16), 100).nodes, c.standard_16) << c.max;
    }
}

TEST(ClusterLimits, ReportUsageAndTheNeedOfANode) {
    const limits::Budget budget(cluster_of({80}).snapshot(), {}, cpu_at_most(82));
    EXPECT_EQ(budget.allows(machine(4), 3).because,
              "max cluster cpu limit reached: 80 of 82 used, a new node needs 4");
}

TEST(ClusterLimits, AreNotReportedIfTheyAllowAllNodes) {
    const limits::Budget budget(cluster_of({80}).snapshot(), {}, cpu_at_most(84));
    EXPECT_EQ(budget.allows(machine(4), 1).nodes, 1);
    EXPECT_EQ(budget.allows(machine(4), 1).because, "");
}

TEST(ClusterLimits, ShrinkWithTakenNodes) {
    limits::Budget budget(cluster_of({4}).snapshot(), {}, cpu_at_most(20));
    budget.take(machine(4), 3);
    EXPECT_EQ(budget.allows(machine(4), 5).nodes, 1);
    budget.take(machine(4), 1);
    EXPECT_EQ(budget.allows(machine(4), 5).nodes, 0);
}

TEST(ClusterLimits, CountUpcomingNodes) {
    const limits::Budget budget(cluster_of({4}).snapshot(), {{machine(4), 1}, {machine(8), 1}},
                                cpu_at_most(20));
    EXPECT_EQ(budget.allows(machine(4), 5).nodes, 1);
}

TEST(ClusterLimits, CountBillionsOfUpcomingNodes) {
    const limits::Budget budget(cluster_of({4}).snapshot(), {{machine(4), 2'000'000'000}},
                                cpu_at_most(8'000'000'008));
    EXPECT_EQ(budget.allows(machine(4), 5).nodes, 1);
}

TEST(ClusterLimits, IgnoreVirtualNodes) {
    TestCluster test_cluster = cluster_of({4});
    test_cluster.node("virtual").labels = {{"type", "virtual-kubelet"}};
    Settings settings = cpu_at_most(8);
    settings.nodes.max = 2;
    EXPECT_EQ(limits::Budget(test_cluster.snapshot(), {}, settings).allows(machine(4), 5).nodes, 1);
}

TEST(ClusterLimits, CountCapacityInsteadOfAllocatable) {
    TestCluster test_cluster;
    test_cluster.node("a").allocatable = amounts(1000);
    EXPECT_EQ(
        limits::Budget(test_cluster.snapshot(), {}, cpu_at_most(8)).allows(machine(4), 5).nodes, 1);
}

TEST(ClusterLimits, AllowNoNodeInAClusterAboveThem) {
    Settings settings = cpu_at_most(5);
    settings.nodes.min = 100;  // a minimum does not add nodes
    limits::Budget budget(cluster_of({28}).snapshot(), {}, settings);
    EXPECT_EQ(budget.allows(machine(1), 1).nodes, 0);
    EXPECT_EQ(budget.allows(machine(1), 1).because,
              "max cluster cpu limit reached: 28 of 5 used, a new node needs 1");
}

TEST(ClusterLimits, ReportTheTightestOne) {
    Settings settings = cpu_at_most(20);
    settings.memory.max = std::int64_t{24} << 30;
    settings.nodes.max = 3;
    const limits::Budget budget(cluster_of({4}).snapshot(), {}, settings);
    struct Case {
        NodeTemplate node;
        int nodes;
        const char* because;
    };
    for (const Case& c :
         {Case{machine(16), 1, "max cluster cpu limit reached: 4 of 20 used, a new node needs 16"},
          Case{machine(1, 16), 1,
               "max cluster memory limit reached: 8Gi of 24Gi used, a new node needs 16Gi"},
          Case{machine(1, 1), 2,
               "max cluster nodes limit reached: 1 of 3 used, a new node needs 1"},
          Case{machine(8, 8), 2,
               "max cluster cpu limit reached: 4 of 20 used, a new node needs 8"}}) {
        EXPECT_EQ(budget.allows(c.node, 10).nodes, c.nodes) << c.because;
        EXPECT_EQ(budget.allows(c.node, 10).because, c.because);
    }
}

TEST(ClusterLimits, CountGpusInTotalAndByType) {
    Settings settings;
    settings.gpu.max = 10;
    settings.gpu_types["nvidia.com/gpu"].max = 4;
    settings.gpu_types["acme.example/npu"].max = 100;
    TestCluster test_cluster = cluster_of({4});
    test_cluster.node("gpu").capacity.set("nvidia.com/gpu", 2);
    const limits::Budget budget(test_cluster.snapshot(), {}, settings);
    EXPECT_EQ(budget.allows(with(machine(4), "nvidia.com/gpu", 1), 9).nodes, 2);
    EXPECT_EQ(budget.allows(with(machine(4), "nvidia.com/gpu", 1), 9).because,
              "max cluster nvidia.com/gpu limit reached: 2 of 4 used, a new node needs 1");
    EXPECT_EQ(budget.allows(with(machine(4), "amd.com/gpu", 3), 9).nodes, 2);
    EXPECT_EQ(budget.allows(with(machine(4), "acme.example/npu", 8), 9).nodes, 1);
    EXPECT_EQ(budget.allows(machine(4), 9).nodes, 9);
}

TEST(ClusterLimits, CountGpusByTheValueOfTheGpuLabel) {
    Settings settings;
    settings.gpu_types["nvidia-tesla-t4"] = {.min = 1, .max = 4};
    TestCluster test_cluster = cluster_of({4});
    snapshot::NodeObject& node = test_cluster.node("gpu");
    node.capacity.set("nvidia.com/gpu", 2);
    node.labels = {{"cloud.google.com/gke-accelerator", "nvidia-tesla-t4"}};
    snapshot::NodeObject& other = test_cluster.node("other");
    other.capacity.set("nvidia.com/gpu", 8);
    other.labels = {{"cloud.google.com/gke-accelerator", "nvidia-l4"}};
    const limits::Budget budget(test_cluster.snapshot(), {}, settings);
    NodeTemplate t4 = with(machine(4), "nvidia.com/gpu", 1);
    EXPECT_EQ(budget.allows(t4, 9).nodes, 9) << "without the label";
    t4.labels = {{"k8s.amazonaws.com/accelerator", "nvidia-tesla-t4"}};
    EXPECT_EQ(budget.allows(t4, 9).nodes, 2);
    EXPECT_EQ(budget.allows(t4, 9).because,
              "max cluster nvidia-tesla-t4 limit reached: 2 of 4 used, a new node needs 1");
    t4.labels = {{"k8s.amazonaws.com/accelerator", "nvidia-l4"}};
    EXPECT_EQ(budget.allows(t4, 9).nodes, 9);
}

TEST(ClusterLimits, FindTypesThatNoGroupHas) {
    Settings settings;
    settings.gpu_types["nvidia-tesla-t4"].max = 4;
    settings.gpu_types["nvidia.com/gpus"].max = 4;
    TestCluster test_cluster = cluster_of({4});
    const auto found = [&](const std::vector<const NodeTemplate*>& templates) {
        return describe_unused_limits(test_cluster.snapshot().cluster, templates, settings);
    };
    NodeTemplate t4 = with(machine(4), "nvidia.com/gpu", 1);
    t4.labels = {{"k8s.amazonaws.com/accelerator", "nvidia-tesla-t4"}};
    const std::string unused =
        "limits.gpu_types.\"nvidia.com/gpus\" limits nothing: no node and no node group has such "
        "GPUs; name the resource, or the value of the GPU node label";
    EXPECT_EQ(found({&t4}), std::vector{unused});
    EXPECT_EQ(found({}).size(), 2u);
    EXPECT_TRUE(found({&t4, nullptr}).empty()) << "a group without a template may have them";
    test_cluster.node("gpu").capacity.set("nvidia.com/gpus", 1);
    EXPECT_TRUE(found({&t4}).empty());
}

TEST(ClusterLimits, RecognizeGpuResources) {
    EXPECT_TRUE(limits::is_gpu("nvidia.com/gpu"));
    EXPECT_TRUE(limits::is_gpu("gpu.intel.com/i915"));
    EXPECT_FALSE(limits::is_gpu("cpu"));
    EXPECT_FALSE(limits::is_gpu("nvidia.com/mig-1g.5gb"));
}

TEST(ClusterLimits, SaturateSums) {
    Settings settings;
    settings.memory.max = INT64_MAX;
    limits::Budget budget(TestCluster().snapshot(), {}, settings);
    const NodeTemplate node{.capacity = {{"memory", INT64_MAX / 2}}};
    budget.take(node, 1000);
    EXPECT_EQ(budget.allows(node, 1).nodes, 0);
}

}  // namespace
}  // namespace capstan::engine::limits
