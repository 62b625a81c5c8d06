#include "pod_message.hpp"

#include <gmock/gmock.h>

#include <capstan/units.hpp>

namespace capstan::external_grpc {
namespace {

namespace core = k8s::io::api::core::v1;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

core::Pod pod_of(const PodEquivalenceGroup& pods, std::uint32_t number = 1) {
    core::Pod out;
    EXPECT_TRUE(out.ParseFromString(PodMessages(pods).bytes(number)));
    return out;
}

TEST(PodMessages, HaveUniqueNames) {
    const PodEquivalenceGroup pods{.ns = "shop", .example = "web-5d9c-x7k2p", .count = 3};
    PodMessages messages(pods);
    std::vector<std::string> names;
    for (std::uint32_t number = 1; number <= pods.count; ++number) {
        core::Pod pod;
        ASSERT_TRUE(pod.ParseFromString(messages.bytes(number)));
        EXPECT_EQ(pod.metadata().namespace_(), "shop");
        names.push_back(pod.metadata().name());
    }
    EXPECT_THAT(names, ElementsAre("web-5d9c-x7k2p", "web-5d9c-x7k2p.2", "web-5d9c-x7k2p.3"));
}

TEST(PodMessages, ContainOwnersAndRequests) {
    const core::Pod pod = pod_of({.example = "web-1",
                                  .owner_kind = "ReplicaSet",
                                  .owner_name = "web",
                                  .scheduler = "batch",
                                  .requests = {{"cpu", 500}, {"memory", 2_GiB}, {"gpu", 1}},
                                  .labels = {{"app", "web"}},
                                  .annotations = {{"note", "a"}},
                                  .priority = -3});
    ASSERT_EQ(pod.metadata().ownerreferences_size(), 1);
    EXPECT_EQ(pod.metadata().ownerreferences(0).kind(), "ReplicaSet");
    EXPECT_EQ(pod.metadata().ownerreferences(0).name(), "web");
    EXPECT_TRUE(pod.metadata().ownerreferences(0).controller());
    EXPECT_THAT(pod.metadata().labels(), ElementsAre(Pair("app", "web")));
    EXPECT_THAT(pod.metadata().annotations(), ElementsAre(Pair("note", "a")));
    ASSERT_EQ(pod.spec().containers_size(), 1);
    std::map<std::string, std::string> requests;
    for (const auto& [name, amount] : pod.spec().containers(0).resources().requests())
        requests[name] = amount.string();
    EXPECT_THAT(requests,
                UnorderedElementsAre(Pair("cpu", "500m"), Pair("memory", "2Gi"), Pair("gpu", "1")));
    EXPECT_EQ(pod.spec().schedulername(), "batch");
    EXPECT_EQ(pod.spec().priority(), -3);
}

TEST(PodMessages, ContainSchedulingConstraints) {
    const core::Pod pod =
        pod_of({.example = "web-1",
                .node_selector = {{"disk", "ssd"}},
                .affinity_required = {{.labels = {{"zone", Operator::in, {"a", "b"}}},
                                       .fields = {{"metadata.name", Operator::not_in, {"n-1"}}}}},
                .affinity_preferred = {{.labels = {{"spot", Operator::exists, {}}}, .weight = 50}},
                .tolerations = {{.key = "gpu", .value = "yes", .effect = Effect::no_execute},
                                {.key = "", .op = Toleration::Op::exists}}});
    EXPECT_THAT(pod.spec().nodeselector(), ElementsAre(Pair("disk", "ssd")));
    const core::NodeAffinity& affinity = pod.spec().affinity().nodeaffinity();
    const auto& required = affinity.requiredduringschedulingignoredduringexecution();
    ASSERT_EQ(required.nodeselectorterms_size(), 1);
    const auto& on_labels = required.nodeselectorterms(0).matchexpressions(0);
    EXPECT_EQ(on_labels.key(), "zone");
    EXPECT_EQ(on_labels.operator_(), "In");
    EXPECT_THAT(on_labels.values(), ElementsAre("a", "b"));
    EXPECT_EQ(required.nodeselectorterms(0).matchfields(0).operator_(), "NotIn");
    const auto& preferred = affinity.preferredduringschedulingignoredduringexecution(0);
    EXPECT_EQ(preferred.weight(), 50);
    EXPECT_EQ(preferred.preference().matchexpressions(0).operator_(), "Exists");
    ASSERT_EQ(pod.spec().tolerations_size(), 2);
    EXPECT_EQ(pod.spec().tolerations(0).operator_(), "Equal");
    EXPECT_EQ(pod.spec().tolerations(0).effect(), "NoExecute");
    EXPECT_EQ(pod.spec().tolerations(1).operator_(), "Exists");
    EXPECT_EQ(pod.spec().tolerations(1).effect(), "") << "an empty effect tolerates all effects";
}

TEST(PodMessages, OmitMissingFields) {
    const core::Pod pod = pod_of({.example = "bare"});
    EXPECT_EQ(pod.metadata().ownerreferences_size(), 0);
    EXPECT_FALSE(pod.spec().has_affinity());
    EXPECT_TRUE(pod.spec().has_priority()) << "admission sets it";
}

}  // namespace
}  // namespace capstan::external_grpc
