#include "engine/drainability/utilization.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "drain_case.hpp"

namespace capstan::engine::drainability {
namespace {

Resources gpu_node(std::int64_t gpus) {
    Resources out = amounts(4000);
    out.set("nvidia.com/gpu", gpus);
    return out;
}

snapshot::PodObject& pod_requesting(TestCluster& test_cluster, const char* name,
                                    Resources requests) {
    snapshot::PodObject& pod = replica(test_cluster, name);
    pod.spec.requests = std::move(requests);
    return pod;
}

struct UtilizationCase {
    const char* what;
    std::function<void(TestCluster&)> pods;  ///< on a node of 4 cores and 16Gi
    const char* expected;
    std::function<void(Settings&)> set = [](Settings&) {};
};

void ignore_daemons(Settings& s) { s.scale_down.ignore_daemonsets_utilization = true; }
void ignore_mirrors(Settings& s) { s.scale_down.ignore_mirror_pods_utilization = true; }

void check_utilization(const std::vector<UtilizationCase>& cases) {
    for (const UtilizationCase& c : cases) {
        SCOPED_TRACE(c.what);
        TestCluster test_cluster = one_node();
        c.pods(test_cluster);
        Settings settings;
        c.set(settings);
        const Snapshot snapshot = test_cluster.snapshot();
        const auto found = drainability::utilization(snapshot.cluster, 0, &snapshot.groups->front(),
                                                     settings, noon);
        ASSERT_TRUE(found) << found.error().message;
        EXPECT_EQ(drainability::describe(*found), c.expected);
    }
}

TEST(Utilization, IsTheLargerShareOfCpuAndMemory) {
    check_utilization({
        {"an empty node", [](TestCluster&) {}, "cpu utilization is 0% (0 of 4)"},
        {"cpu", [](TestCluster& w) { pod_requesting(w, "p", {{"cpu", 1000}, {"memory", 1_GiB}}); },
         "cpu utilization is 25% (1 of 4)"},
        {"memory",
         [](TestCluster& w) { pod_requesting(w, "p", {{"cpu", 1000}, {"memory", 8_GiB}}); },
         "memory utilization is 50% (8Gi of 16Gi)"},
        {"more than allocatable", [](TestCluster& w) { pod_requesting(w, "p", {{"cpu", 5000}}); },
         "cpu utilization is 125% (5 of 4)"},
        {"of several pods",
         [](TestCluster& w) {
             pod_requesting(w, "p", {{"cpu", 1000}});
             pod_requesting(w, "q", {{"cpu", 500}});
         },
         "cpu utilization is 37.5% (1500m of 4)"},
    });
}

TEST(Utilization, ExcludesExpendableAndLongTerminatingPods) {
    check_utilization({
        {"long terminating",
         [](TestCluster& w) { pod_requesting(w, "p", {{"cpu", 1000}}).deleted = noon - 2min; },
         "cpu utilization is 0% (0 of 4)"},
        {"terminating",
         [](TestCluster& w) { pod_requesting(w, "p", {{"cpu", 1000}}).deleted = noon - 1min; },
         "cpu utilization is 25% (1 of 4)"},
        {"expendable",
         [](TestCluster& w) { pod_requesting(w, "p", {{"cpu", 1000}}).spec.priority = -11; },
         "cpu utilization is 0% (0 of 4)"},
        {"below the cut-off with preemptionPolicy Never",
         [](TestCluster& w) {
             snapshot::PodSpec& spec = pod_requesting(w, "p", {{"cpu", 1000}}).spec;
             spec.priority = -11;
             spec.never_preempts = true;
         },
         "cpu utilization is 25% (1 of 4)"},
    });
}

void two_cores_of_daemons(TestCluster& w) {
    w.daemon("cni", "cni-1", "web-1").spec.requests = {{"cpu", 2000}};
    pod_requesting(w, "p", {{"cpu", 1000}});
}
void two_cores_of_mirrors(TestCluster& w) {
    pod_requesting(w, "static", {{"cpu", 2000}}).annotations = {
        {"kubernetes.io/config.mirror", "x"}};
    pod_requesting(w, "p", {{"cpu", 1000}});
}

TEST(Utilization, ExcludesDaemonSetAndMirrorPodsIfConfigured) {
    const auto group_setting = [](bool word) {
        return [=](TestCluster& w) {
            two_cores_of_daemons(w);
            w.change_group("web").options.ignore_daemonsets_utilization = word;
        };
    };
    check_utilization({
        {"daemons count", two_cores_of_daemons, "cpu utilization is 75% (3 of 4)"},
        {"daemons do not", two_cores_of_daemons, "cpu utilization is 50% (1 of 2)", ignore_daemons},
        {"daemons count in this group", group_setting(false), "cpu utilization is 75% (3 of 4)",
         ignore_daemons},
        {"daemons do not count in this group", group_setting(true),
         "cpu utilization is 50% (1 of 2)"},
        {"by annotation",
         [](TestCluster& w) {
             annotate(pod_requesting(w, "p", {{"cpu", 2000}}), "daemonset-pod", "true");
         },
         "cpu utilization is 0% (0 of 2)", ignore_daemons},
        {"mirrors count", two_cores_of_mirrors, "cpu utilization is 75% (3 of 4)", ignore_daemons},
        {"mirrors do not", two_cores_of_mirrors, "cpu utilization is 50% (1 of 2)", ignore_mirrors},
        {"a long terminating daemon",
         [](TestCluster& w) {
             two_cores_of_daemons(w);
             w.daemon("cni", "cni-0", "web-1").deleted = noon - 1h;
         },
         "cpu utilization is 50% (1 of 2)", ignore_daemons},
    });
}

TEST(Utilization, IsZeroOrOneIfDaemonSetsFillTheNode) {
    const auto full = [](TestCluster& w) {
        w.daemon("cni", "cni-1", "web-1").spec.requests = {{"cpu", 4000}};
    };
    check_utilization({
        {"full of daemons", full, "cpu utilization is 0% (0 of 0)", ignore_daemons},
        {"full of daemons, and another pod",
         [&](TestCluster& w) {
             full(w);
             pod_requesting(w, "p", {{"cpu", 100}});
         },
         "cpu utilization is 100% (100m of 0)", ignore_daemons},
    });
}

TEST(Utilization, CountsOnlyGpusOnGpuNodes) {
    const auto gpus = [](std::int64_t capacity, std::int64_t allocatable, std::int64_t used) {
        return [=](TestCluster& w) {
            w.change_node("web-1").capacity = gpu_node(capacity);
            w.change_node("web-1").allocatable = gpu_node(allocatable);
            pod_requesting(w, "p", {{"cpu", 3000}, {"nvidia.com/gpu", used}});
        };
    };
    check_utilization({
        {"one of four", gpus(4, 4, 1), "nvidia.com/gpu utilization is 25% (1 of 4)"},
        {"none of four", gpus(4, 4, 0), "nvidia.com/gpu utilization is 0% (0 of 4)"},
        {"driver not running", gpus(4, 0, 0), "nvidia.com/gpu utilization is 0% (0 of 0)"},
        {"no GPUs", gpus(0, 0, 0), "cpu utilization is 75% (3 of 4)"},
        {"configured GPU type",
         [](TestCluster& w) {
             Resources own = amounts(4000);
             own.set("acme.io/tpu", 2);
             w.change_node("web-1").capacity = w.change_node("web-1").allocatable = own;
             pod_requesting(w, "p", {{"acme.io/tpu", 1}});
         },
         "acme.io/tpu utilization is 50% (1 of 2)",
         [](Settings& s) { s.gpu_types["acme.io/tpu"] = {}; }},
    });
}

TEST(Utilization, IsUnknownWithoutReportedResources) {
    TestCluster test_cluster = one_node();
    test_cluster.change_node("web-1").allocatable = {{"cpu", 4000}};
    const auto found = drainability::utilization(test_cluster.cluster(), 0, nullptr, {}, noon);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "the node reports no allocatable memory");
}

TEST(Utilization, IsComparedWithTheThresholdOfTheGroup) {
    Group group;
    const drainability::Utilization of_cpu{.share = 0.4}, of_gpus{.share = 0.4, .is_gpu = true};
    Settings settings;
    settings.scale_down.gpu_utilization_threshold = 0.3;
    EXPECT_EQ(drainability::threshold_of(of_cpu, group, settings), 0.5);
    EXPECT_EQ(drainability::threshold_of(of_gpus, group, settings), 0.3);
    group.options.utilization_threshold = 0.7;
    group.options.gpu_utilization_threshold = 0.9;
    EXPECT_EQ(drainability::threshold_of(of_cpu, group, settings), 0.7);
    EXPECT_EQ(drainability::threshold_of(of_gpus, group, settings), 0.9);
}

}  // namespace
}  // namespace capstan::engine::drainability
