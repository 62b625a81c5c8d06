#include <gmock/gmock.h>

#include <capstan/well_known.hpp>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

GroupTemplate template_of(const TemplateSources& sources, const TemplateConfig& config = {}) {
    auto out = make_template(sources, config);
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : GroupTemplate();
}

constexpr const char* gke_variables =
    "node_labels=team=web,cloud.google.com/gke-nodepool=web;node_taints=dedicated=web:NoSchedule;"
    "kube_reserved=cpu=80m,memory=2536Mi,ephemeral-storage=41Gi;os=linux;os_distribution=cos;"
    "arch=amd64;evictionHard=memory.available=100Mi,nodefs.available=10%";

TEST(GceGroupTemplate, SubtractsReservesFromTheMachine) {
    const NodeTemplate node = template_of(usual_sources(kube_env_with(gke_variables))).node;
    // The kernel reserves 1/64 of 16 GiB, 16 MiB, 64 MiB, and 0.175% of 16 GiB.
    const std::int64_t memory = 16 * gib - 256 * mib - 80 * mib - 30'064'771;
    const std::int64_t storage = 100 * gib - 1'678'795'342 - 4'453'881'086 - 100 * mib;
    EXPECT_EQ(
        node.capacity,
        Resources(
            {{"cpu", 4000}, {"memory", memory}, {"pods", 110}, {"ephemeral-storage", storage}}));
    EXPECT_EQ(node.allocatable,
              Resources({{"cpu", 3920},
                         {"memory", memory - 2636 * mib},
                         {"pods", 110},
                         {"ephemeral-storage", storage - 41 * gib - storage / 10}}));
    EXPECT_EQ(node.free.amount("cpu"), 3820) << "a static kube-proxy has 100m";
    EXPECT_EQ(node.free.amount("pods"), 109);
}

TEST(GceGroupTemplate, HalvesCpusWithOneThreadPerCoreIfCoresHaveTwo) {
    TemplateSources sources = usual_sources(kube_env_with("os=linux"));
    sources.instance_template.threads_per_core = 1;
    const NodeTemplate node = template_of(sources).node;
    EXPECT_EQ(node.capacity.amount("cpu"), 2000);
    EXPECT_EQ(node.allocatable.amount("cpu"), 1930) << "the tiers of GKE use the visible CPUs";
    sources.instance_template.machine_type = "t2d-standard-4";
    EXPECT_EQ(template_of(sources).node.capacity.amount("cpu"), 4000);
}

TEST(GceGroupTemplate, HasLabelsOfKubeEnvAndOfTheMachine) {
    const NodeTemplate node = template_of(usual_sources(kube_env_with(gke_variables))).node;
    EXPECT_EQ(node.labels, (Labels{{"team", "web"},
                                   {"cloud.google.com/gke-nodepool", "web"},
                                   {"cloud.google.com/machine-family", "n2"},
                                   {"kubernetes.io/arch", "amd64"},
                                   {"kubernetes.io/os", "linux"},
                                   {"node.kubernetes.io/instance-type", "n2-standard-4"},
                                   {"topology.kubernetes.io/region", "us-central1"},
                                   {"topology.kubernetes.io/zone", "us-central1-a"},
                                   {"topology.gke.io/zone", "us-central1-a"}}));
    EXPECT_EQ(
        node.taints,
        (std::vector<Taint>{{.key = "dedicated", .value = "web", .effect = Effect::no_schedule}}));
    EXPECT_EQ(node.machine_type, "n2-standard-4");
    EXPECT_EQ(node.zone, "us-central1-a");
    EXPECT_EQ(node.arch, "amd64");
    EXPECT_EQ(node.os, "linux");
    EXPECT_EQ(node.name, "web");
}

TEST(GceGroupTemplate, UsesGkeTiersWithoutReserves) {
    const NodeTemplate node = template_of(usual_sources(kube_env_with("os=linux"))).node;
    EXPECT_EQ(node.allocatable.amount("cpu"), 3920);
    EXPECT_EQ(node.capacity.amount("memory") - node.allocatable.amount("memory"),
              (2623 + 100) * mib);
}

TEST(GceGroupTemplate, UsesGkeTiersIfOnlySystemReservedIsSet) {
    const NodeTemplate node =
        template_of(usual_sources(kube_env_with("system_reserved=cpu=20m,memory=27Mi"))).node;
    EXPECT_EQ(node.allocatable.amount("cpu"), 3900);
    EXPECT_EQ(node.capacity.amount("memory") - node.allocatable.amount("memory"),
              (2623 + 27 + 100) * mib);
}

TEST(GceGroupTemplate, IsNeverNegative) {
    TemplateSources sources = usual_sources(kube_env_with("kube_reserved=cpu=9,memory=1Ti"));
    sources.machine_type->memory_mib = 1;
    const NodeTemplate node = template_of(sources).node;
    EXPECT_EQ(node.capacity.amount("memory"), 0) << "the kernel would reserve more";
    EXPECT_EQ(node.allocatable.amount("memory"), 0);
    EXPECT_EQ(node.allocatable.amount("cpu"), 0);
    EXPECT_EQ(node.free.amount("cpu"), 0);
}

TEST(GceGroupTemplate, ReservesNothingWithoutKubeEnv) {
    const NodeTemplate node = template_of(usual_sources()).node;
    EXPECT_EQ(node.allocatable.amount("cpu"), 4000);
    EXPECT_EQ(node.allocatable.amount("memory"), node.capacity.amount("memory"));
    EXPECT_THAT(node.labels, Not(Contains(Key("cloud.google.com/machine-family"))))
        << "only GKE sets it";
}

TEST(GceGroupTemplate, NeedsNoMachineTypeForCustomTypes) {
    TemplateSources sources = usual_sources();
    sources.machine_type.reset();
    sources.instance_template.machine_type = "n2-custom-6-20480";
    const NodeTemplate node = template_of(sources).node;
    EXPECT_EQ(node.capacity.amount("cpu"), 6000);
    EXPECT_EQ(node.machine_type, "n2-custom-6-20480");
}

TEST(GceGroupTemplate, IsUnavailableForAnUnknownType) {
    TemplateSources sources = usual_sources();
    sources.machine_type.reset();
    const auto refused = make_template(sources, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
    EXPECT_THAT(refused.error().message, HasSubstr("n2-standard-4"));
}

TEST(GceGroupTemplate, CountsAndNamesGpus) {
    TemplateSources sources = usual_sources(kube_env_with("os=linux"));
    sources.instance_template.accelerators = {{"nvidia-tesla-t4", 2}};
    const NodeTemplate node = template_of(sources).node;
    EXPECT_EQ(node.capacity.amount("nvidia.com/gpu"), 2);
    EXPECT_EQ(node.allocatable.amount("nvidia.com/gpu"), 2);
    EXPECT_THAT(node.labels, Contains(Pair("cloud.google.com/gke-accelerator", "nvidia-tesla-t4")));
}

TEST(GceGroupTemplate, LabelsSpotInstances) {
    TemplateSources sources = usual_sources(kube_env_with("os=linux"));
    sources.instance_template.is_spot = true;
    EXPECT_THAT(template_of(sources).node.labels,
                Contains(Pair("cloud.google.com/gke-spot", "true")));
    sources = usual_sources(kube_env_with("node_labels=cloud.google.com/gke-preemptible=true"));
    sources.instance_template.is_spot = true;
    EXPECT_THAT(template_of(sources).node.labels, Not(Contains(Key("cloud.google.com/gke-spot"))));
}

TEST(GceGroupTemplate, TakesMaxPodsFromKubeEnvSettingsOr110) {
    EXPECT_EQ(template_of(usual_sources("MAX_PODS_PER_NODE: \"32\"\n"), {.max_pods = 64})
                  .node.capacity.amount("pods"),
              32);
    EXPECT_EQ(template_of(usual_sources(), {.max_pods = 64}).node.capacity.amount("pods"), 64);
}

TEST(GceGroupTemplate, UsesTheFirstZoneOfARegionalGroup) {
    TemplateSources sources = usual_sources();
    sources.group.link.place = {Scope::region, "us-central1"};
    sources.group.zones = {"us-central1-b", "us-central1-c"};
    const GroupTemplate made = template_of(sources);
    EXPECT_EQ(made.node.zone, "us-central1-b");
    EXPECT_EQ(made.node.labels.at("topology.kubernetes.io/region"), "us-central1");
    EXPECT_THAT(made.warnings, Contains(HasSubstr("any of 2 zones")));
    sources.group.zones.clear();
    EXPECT_EQ(template_of(sources).node.labels.at("topology.kubernetes.io/region"), "us-central1")
        << "the zones may be unknown";
}

TEST(GceGroupTemplate, FailsWithAnUnreadableKubeEnv) {
    const auto refused = make_template(usual_sources("- no\n- map\n"), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(refused.error().message, HasSubstr("expected a map of strings"));
}

TEST(GceGroupTemplate, RejectsUnknownSystems) {
    const auto refused = make_template(usual_sources(kube_env_with("os=plan9")), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
}

TEST(GceGroupTemplate, CountsSeveralTypes) {
    TemplateSources sources = usual_sources();
    EXPECT_EQ(template_of(sources).node.variants, 1);
    sources.group.flexible_types = {"n2-standard-4", "n2d-standard-4"};
    EXPECT_EQ(template_of(sources).node.variants, 2);
}

}  // namespace
}  // namespace capstan::gce
