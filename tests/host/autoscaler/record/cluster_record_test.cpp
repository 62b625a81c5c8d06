#include "autoscaler/record/cluster_record.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "autoscaler/record/json_reader.hpp"
#include "autoscaler/record/memory_text.hpp"
#include "random_value.hpp"

namespace capstan::autoscaler::record {
namespace {

using engine::snapshot::ClusterBuilder;
using engine::snapshot::NodeObject;
using engine::snapshot::PodObject;

template <class T>
std::string written_json(const T& value) {
    JsonText out;
    write_json(out, value);
    return out.take();
}

NodeObject node(const std::string& name) {
    return {.name = name,
            .provider_id = "sim://" + name,
            .labels = {{"zone", "a"}},
            .taints = {{.key = "dedicated", .value = "gpu"}},
            .capacity = {{"cpu", 4_cpu}},
            .allocatable = {{"cpu", 3900}, {"gpu", 2}},
            .ready = false,
            .created = time_from_unix_ns(7),
            .addresses = {"10.0.0.1"}};
}

PodObject pod(const std::string& name, std::int64_t cpu) {
    return {.name = name,
            .uid = "uid-" + name,
            .spec = {.requests = {{"cpu", cpu}}, .priority = -3},
            .labels = {{"app", "web"}},
            .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "web"},
            .claims = {"data"},
            .node_name = "n1",
            .phase = engine::snapshot::PodPhase::running,
            .deleted = time_from_unix_ns(9)};
}

TEST(ClusterRecord, StoresCommonPartsOfPodsOnce) {
    ClusterBuilder builder;
    for (const char* name : {"c", "a", "b"}) builder.set(pod(name, 100));
    builder.set(pod("d", 200));
    const ClusterRecord record = make_cluster_record(builder.build());
    EXPECT_EQ(record.specs.size(), 2U);
    EXPECT_EQ(record.pod_groups.size(), 2U);
    ASSERT_EQ(record.pods.size(), 4U);
    EXPECT_EQ(record.pods[0].name, "a");
    EXPECT_EQ(record.pods[3].pod_group, 1U);
}

TEST(ClusterRecord, OfARebuiltClusterIsEqual) {
    ClusterBuilder builder;
    builder.set(node("n2"));
    builder.set(node("n1"));
    builder.set(pod("b", 100));
    builder.set(pod("a", 200));
    builder.set(engine::snapshot::DaemonSetObject{.name = "logs", .labels = {{"a", "b"}}});
    builder.set(engine::snapshot::NamespaceObject{.name = "default", .labels = {{"team", "x"}}});
    builder.set(engine::snapshot::CsiNodeObject{
        .name = "n1", .limits = {{"ebs", 25}, {"efs", {}}}, .migrated = {"ebs"}});
    builder.set(engine::snapshot::ServiceObject{.name = "web", .selector = {{"app", "web"}}});
    const ClusterRecord record = make_cluster_record(builder.build());
    const auto rebuilt = make_cluster(record);
    ASSERT_TRUE(rebuilt) << rebuilt.error();
    EXPECT_EQ(written_json(make_cluster_record(*rebuilt)), written_json(record));
}

TEST(ClusterRecord, DoesNotDependOnTheOrderOfObjects) {
    std::vector<PodObject> pods;
    for (int i = 0; i < 40; ++i) pods.push_back(pod("p" + std::to_string(i), 100 * (i % 7)));
    const auto text = [&] {
        ClusterBuilder builder;
        for (const PodObject& one : pods) builder.set(one);
        return written_json(make_cluster_record(builder.build()));
    };
    const std::string first = text();
    std::ranges::shuffle(pods, std::mt19937(1));
    EXPECT_EQ(text(), first);
}

TEST(ClusterRecord, IsReadBackExactly) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const std::string text = written_json(RandomValues(seed).make<ClusterRecord>());
        const auto document = parse_json(text, "record");
        ASSERT_TRUE(document) << document.error();
        kubernetes::JsonProblems problems(*document);
        const auto read = read_json<ClusterRecord>(problems.root());
        ASSERT_TRUE(problems.empty()) << problems_text(problems, "record");
        EXPECT_EQ(written_json(read), text) << "seed " << seed;
    }
}

TEST(ClusterRecord, RefusesAPodWithoutItsGroupOrSpec) {
    ClusterRecord record{.pods = {{.name = "lost", .pod_group = 3}}};
    EXPECT_EQ(make_cluster(record).error().message, "pod lost: no pod group 3");
    record.pod_groups.resize(4);
    EXPECT_EQ(make_cluster(record).error().message, "pod lost: no spec 0");
}

}  // namespace
}  // namespace capstan::autoscaler::record
