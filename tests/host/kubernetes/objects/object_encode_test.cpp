#include "kubernetes/objects/object_encode.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "kubernetes/objects/object_decode.hpp"
#include "kubernetes/objects/pod_decode.hpp"

namespace capstan::kubernetes::objects {
namespace {

using namespace std::chrono_literals;

const Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

engine::snapshot::PodSpec full_spec() {
    const LabelSelector selector{.match_labels = {{"app", "web"}},
                                 .match_expressions = {{"tier", Operator::in, {"a", "b"}},
                                                       {"old", Operator::does_not_exist}}};
    return {.requests = {{"cpu", 1500}, {"memory", std::int64_t{3} << 30}, {"nvidia.com/gpu", 1}},
            .node_selector = {{"disk", "ssd"}},
            .affinity_required = {{.labels = {{"zone", Operator::not_in, {"z1"}}},
                                   .fields = {{"metadata.name", Operator::in, {"n1"}}}}},
            .affinity_preferred = {{.labels = {{"cores", Operator::gt, {"4"}}}, .weight = 7}},
            .tolerations = {{"a", Toleration::Op::equal, "b", Effect::no_execute},
                            {"", Toleration::Op::exists}},
            .pod_affinity = {{.selector = selector,
                              .namespaces = {"shop"},
                              .topology_key = "zone",
                              .match_label_keys = {"rev"}}},
            .pod_anti_affinity = {{.namespace_selector = LabelSelector{},
                                   .topology_key = "host",
                                   .mismatch_label_keys = {"rev"}}},
            .spread = {{.max_skew = 2,
                        .topology_key = "zone",
                        .selector = selector,
                        .min_domains = 3,
                        .honor_affinity = false,
                        .honor_taints = true,
                        .match_label_keys = {"rev"}},
                       {.topology_key = "host"}},
            .has_soft_spread = true,
            .ports = {{.port = 80}, {.ip = "10.0.0.1", .protocol = "UDP", .port = 53}},
            .priority = -5,
            .priority_class = "low",
            .never_preempts = true,
            .scheduler = "mine",
            .uses_resource_claims = true,
            .uses_local_storage = true,
            .local_volumes = {"cache", "tmp"},
            .in_tree_volumes = {{"ebs.csi.aws.com", "vol-1"},
                                {"disk.csi.azure.com", "/subscriptions/s/disks/d"},
                                {"cinder.csi.openstack.org", "c"},
                                {"pd.csi.storage.gke.io",
                                 "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
                                {"pxd.portworx.com", "p"}},
            .termination_grace = 90s};
}

engine::snapshot::PodObject full_pod() {
    return {.ns = "shop",
            .name = "web-1",
            .uid = "u1",
            .spec = full_spec(),
            .labels = {{"app", "web"}},
            .annotations = {{"a/b", "c"}},
            .owner = {.kind = "ReplicaSet",
                      .api_group = "apps",
                      .name = "web",
                      .uid = "r1",
                      .job_among_owners = true},
            .claims = {"data", "logs"},
            .node_name = "n1",
            .nominated_node = "n2",
            .phase = engine::snapshot::PodPhase::running,
            .unscheduled_reason = "Unschedulable",
            .gated = true,
            .deleted = noon + 1h,
            .created = noon};
}

engine::snapshot::PodObject encode_and_decode(const engine::snapshot::PodObject& pod) {
    const boost::json::value written = encode_pod(pod);
    JsonProblems problems(written);
    DecodedPod read = decode_pod_object(problems.root());
    EXPECT_TRUE(problems.kept().empty());
    EXPECT_TRUE(read.is_complete);
    return std::move(read.pod);
}

TEST(ObjectEncode, RoundTripsPods) {
    for (const engine::snapshot::PodObject& pod :
         {full_pod(), engine::snapshot::PodObject{.name = "small"},
          engine::snapshot::PodObject{.name = "job",
                                      .owner = {.kind = "Job",
                                                .api_group = "batch",
                                                .name = "j",
                                                .uid = "j1",
                                                .job_among_owners = true},
                                      .claims = {"data"}}}) {
        const engine::snapshot::PodObject read = encode_and_decode(pod);
        EXPECT_EQ(read.spec, pod.spec) << pod.name;
        EXPECT_EQ(read.ns + "/" + read.name + "/" + read.uid,
                  pod.ns + "/" + pod.name + "/" + pod.uid);
        EXPECT_EQ(read.labels, pod.labels) << pod.name;
        EXPECT_EQ(read.annotations, pod.annotations) << pod.name;
        EXPECT_EQ(read.owner, pod.owner) << pod.name;
        EXPECT_EQ(read.claims, pod.claims) << pod.name;
        EXPECT_EQ(read.node_name + "," + read.nominated_node,
                  pod.node_name + "," + pod.nominated_node);
        EXPECT_EQ(read.phase, pod.phase) << pod.name;
        EXPECT_EQ(read.unscheduled_reason, pod.unscheduled_reason) << pod.name;
        EXPECT_EQ(read.gated, pod.gated) << pod.name;
        EXPECT_EQ(read.deleted, pod.deleted) << pod.name;
        EXPECT_EQ(read.created, pod.created) << pod.name;
    }
}

TEST(ObjectEncode, RoundTripsNodes) {
    const engine::snapshot::NodeObject node{
        .name = "n1",
        .provider_id = "sim://n1",
        .labels = {{"zone", "z1"}},
        .annotations = {{"a", "b"}},
        .taints = {{"dedicated", "web", Effect::no_schedule}, {"gone", "", Effect::no_execute}},
        .capacity = {{"cpu", 4000}, {"memory", std::int64_t{16} << 30}},
        .allocatable = {{"cpu", 3920}, {"pods", 110}},
        .unschedulable = true,
        .ready = false,
        .ready_since = noon + 1s,
        .suspended = true,
        .created = noon,
        .addresses = {"10.0.0.1", "fd00::1", "n1.internal"}};
    const boost::json::value written = encode_node(node);
    JsonProblems problems(written);
    const auto read = decode_node(problems.root());
    ASSERT_TRUE(read);
    EXPECT_TRUE(problems.kept().empty());
    EXPECT_EQ(read->name + read->provider_id, node.name + node.provider_id);
    EXPECT_EQ(read->labels, node.labels);
    EXPECT_EQ(read->annotations, node.annotations);
    EXPECT_EQ(read->taints, node.taints);
    EXPECT_EQ(read->capacity, node.capacity);
    EXPECT_EQ(read->allocatable, node.allocatable);
    EXPECT_EQ(read->unschedulable, node.unschedulable);
    EXPECT_EQ(read->ready, node.ready);
    EXPECT_EQ(read->ready_since, node.ready_since);
    EXPECT_EQ(read->suspended, node.suspended);
    EXPECT_EQ(read->created, node.created);
    EXPECT_EQ(read->addresses, node.addresses);
}

}  // namespace
}  // namespace capstan::kubernetes::objects
