#include "commands/call_request.hpp"

#include <gmock/gmock.h>

#include "autoscaler/record/json_reader.hpp"

namespace capstan::commands {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Request>
struct Decoded {
    Request request;
    std::string problems;
};

template <class Decode>
auto decode(Decode decoder, const std::string& text) {
    const auto document = autoscaler::record::parse_json(text, "x");
    EXPECT_TRUE(document) << document.error().message;
    kubernetes::JsonProblems problems(*document);
    auto request = decoder(problems.root());
    return Decoded<decltype(request)>{std::move(request),
                                      autoscaler::record::problems_text(problems, "x")};
}
auto expander(const std::string& text) { return decode(decode_expander_request, text); }
auto similarity(const std::string& text) { return decode(decode_similarity_request, text); }
auto splitter(const std::string& text) { return decode(decode_splitter_request, text); }

TEST(ExpanderRequestDecoder, RequiresOnlyIdsAndNodes) {
    const auto decoded = expander(R"({"options":[{"group":{"id":"a"},"nodes":2}]})");
    EXPECT_EQ(decoded.problems, "");
    ASSERT_EQ(decoded.request.question.options.size(), 1u);
    const ScaleUpOption& option = decoded.request.question.options[0];
    EXPECT_EQ(option.group, (NodeGroup{.id = NodeGroupId("a")}));
    EXPECT_EQ(option.nodes, 2);
    EXPECT_EQ(option.node, nullptr);
    EXPECT_TRUE(option.pods->empty());
    EXPECT_FALSE(option.price_per_hour);
    EXPECT_EQ(decoded.request.seed, 0u);
    EXPECT_EQ(expander("{}").problems, "");
}

TEST(ExpanderRequestDecoder, ReadsEveryMemberOfAnOption) {
    const auto decoded = expander(R"({"seed":7,"cluster_nodes":12,"options":[
        {"group":{"id":"a","min":1,"max":5,"target":2,"tags":{"k":"v"}},"nodes":1,"similar":["b","c"],
         "price_per_hour":0.25,"template":{"name":"n","capacity":{"cpu":4,"memory":"16Gi"}}}]})");
    EXPECT_EQ(decoded.problems, "");
    const ScaleUpOption& option = decoded.request.question.options.at(0);
    EXPECT_EQ(
        option.group,
        (NodeGroup{.id = NodeGroupId("a"), .min = 1, .max = 5, .target = 2, .tags = {{"k", "v"}}}));
    EXPECT_THAT(option.similar, ElementsAre(NodeGroupId("b"), NodeGroupId("c")));
    EXPECT_EQ(option.price_per_hour, 0.25);
    EXPECT_EQ(option.node->capacity, (Resources{{"cpu", 4_cpu}, {"memory", 16_GiB}}));
    EXPECT_EQ(decoded.request.seed, 7u);
    EXPECT_EQ(decoded.request.question.cluster_nodes, 12u);
}

TEST(ExpanderRequestDecoder, SortsOptionsByGroupIdAndKeepsTheirPositions) {
    const auto decoded = expander(
        R"({"options":[{"group":{"id":"c"},"nodes":1},{"group":{"id":"a"},"nodes":2},{"group":{"id":"b"},"nodes":3}]})");
    EXPECT_THAT(decoded.request.places, ElementsAre(1, 2, 0));
    EXPECT_EQ(decoded.request.question.options[0].group.id, NodeGroupId("a"));
    EXPECT_EQ(decoded.request.question.options[0].nodes, 2);
}

TEST(ExpanderRequestDecoder, GroupsEqualPodsAndSumsTheirRequests) {
    const char* pod = R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"500m"}}}]}})";
    const char* big =
        R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"2","memory":"1Gi"}}}]}})";
    const auto decoded =
        expander(std::string(R"({"pods":[)") + pod + "," + big + "," + pod + "," + pod +
                 R"(],"options":[{"group":{"id":"a"},"nodes":1,"pods":[2,1,0]}]})");
    EXPECT_EQ(decoded.problems, "");
    const auto& question = decoded.request.question;
    ASSERT_EQ(question.pods.size(), 2u);
    EXPECT_EQ(question.pods[0].count, 3u);
    const ScaleUpOption& option = question.options[0];
    ASSERT_EQ(option.pods->size(), 2u);
    EXPECT_EQ(option.pods->at(0).count, 2u);
    EXPECT_EQ(option.pods->at(1).count, 1u);
    EXPECT_EQ(option.pod_count, 3u);
    EXPECT_EQ(option.requested, (Resources{{"cpu", 3_cpu}, {"memory", 1_GiB}}));
}

TEST(ExpanderRequestDecoder, ReportsAllProblemsAtOnce) {
    const auto decoded =
        expander(R"({"sed":1,"pods":[{"metadata":{"name":5},"unknown":1}],"options":[
        {"group":{"id":""},"nodes":-1,"pods":[1,0,0],"price_per_hour":-1},
        {"group":{"id":"a","mni":1},"template":{}}, {"group":{"id":"a"},"nodes":1}, {"nodes":1}]})");
    EXPECT_EQ(decoded.problems,
              "x: /sed: is unknown; did you mean 'seed'?\n"
              "x: /pods/0/metadata/name: expects text, found a number (5)\n"
              "x: /options/0/group/id: is empty\n"
              "x: /options/0/nodes: expects an integer from 0 to 2147483647, found a number (-1)\n"
              "x: /options/0/pods/0: expects an integer from 0 to 0, found a number (1)\n"
              "x: /options/0/pods/2: names pod 0 again\n"
              "x: /options/0/price_per_hour: expects a price of 0 or more, found a number (-1)\n"
              "x: /options/1/group/mni: is unknown; did you mean 'min'?\n"
              "x: /options/1/nodes: is missing\n"
              "x: /options/1/template/name: is missing\n"
              "x: /options/3/group: is missing\n"
              "x: /options/2/group/id: is a duplicate: \"a\"\n");
}

TEST(ExpanderRequestDecoder, ListsTwentyProblemsAndCountsTheRest) {
    std::string options;
    for (int i = 0; i < 30; ++i) options += std::string(i == 0 ? "" : ",") + "{}";
    const std::string problems = expander(R"({"options":[)" + options + "]}").problems;
    EXPECT_EQ(std::ranges::count(problems, '\n'), 21);
    EXPECT_THAT(problems, HasSubstr("... and 40 more\n"));
}

TEST(ExpanderRequestDecoder, AcceptsEvery64BitSeed) {
    EXPECT_EQ(expander(R"({"seed":18446744073709551615})").request.seed, 18446744073709551615u);
    EXPECT_EQ(expander(R"({"seed":-1})").problems,
              "x: /seed: expects an integer from 0 to 18446744073709551615, found a number (-1)\n");
}

TEST(ExpanderRequestDecoder, AcceptsAnOptionWithZeroNodesAsUpstreamDoes) {
    const auto decoded = expander(R"({"options":[{"group":{"id":"a"},"nodes":0}]})");
    EXPECT_EQ(decoded.problems, "");
    EXPECT_EQ(decoded.request.question.options.at(0).nodes, 0);
}

TEST(SimilarityRequestDecoder, RefusesNegativeQuantitiesExceptFree) {
    EXPECT_EQ(similarity(R"({"a":{"name":"a","capacity":{"cpu":"-4"},"allocatable":{"cpu":-1}},
                  "b":{"name":"b","capacity":{"cpu":"4"},"free":{"cpu":"-1"}}})")
                  .problems,
              "x: /a/capacity/cpu: is negative (-4)\nx: /a/allocatable/cpu: is negative (-1)\n");
}

TEST(SimilarityRequestDecoder, DefaultsAllocatableToCapacityAndFreeToAllocatable) {
    const auto decoded = similarity(R"({"a":{"name":"a","capacity":{"cpu":"4"}},
        "b":{"name":"b","capacity":{"cpu":"4"},"allocatable":{"cpu":"3900m"}}})");
    EXPECT_EQ(decoded.problems, "");
    const auto& [a, b] = decoded.request;
    EXPECT_EQ(a.allocatable, a.capacity);
    EXPECT_EQ(a.free, a.capacity);
    EXPECT_EQ(b.allocatable, (Resources{{"cpu", 3900_mcpu}}));
    EXPECT_EQ(b.free, b.allocatable);
}

TEST(SimilarityRequestDecoder, ReadsTaintsAndWellKnownLabels) {
    const auto decoded = similarity(R"({"a":{"name":"a","annotations":{"n":"m"},"taints":[
        {"key":"gpu","effect":"NoSchedule"},{"key":"x","value":"y","effect":"NoExecute"}],"labels":{
        "node.kubernetes.io/instance-type":"m5.large","topology.kubernetes.io/zone":"z1","kubernetes.io/arch":"arm64",
        "kubernetes.io/os":"linux"}},"b":{"name":"b","machine_type":"own"}})");
    EXPECT_EQ(decoded.problems, "");
    const NodeTemplate& a = decoded.request.a;
    EXPECT_THAT(a.taints, ElementsAre(Taint{"gpu", "", Effect::no_schedule},
                                      Taint{"x", "y", Effect::no_execute}));
    EXPECT_EQ(a.annotations, (Labels{{"n", "m"}}));
    EXPECT_EQ(a.machine_type + " " + a.zone + " " + a.arch + " " + a.os, "m5.large z1 arm64 linux");
    EXPECT_EQ(decoded.request.b.machine_type, "own");
}

TEST(SimilarityRequestDecoder, ReportsMissingMembersAndInvalidTaints) {
    const auto decoded =
        similarity(R"({"a":{"name":"a","taints":[{"key":"k"},{"effect":"Never","key":"k"}],
        "capacity":{"cpu":"4 cores"}}})");
    EXPECT_EQ(decoded.problems,
              "x: /a/taints/0/effect: is missing\n"
              "x: /a/taints/1/effect: expects NoSchedule, PreferNoSchedule or NoExecute, found "
              "text (\"Never\")\n"
              "x: /a/capacity/cpu: quantity \"4 cores\": " +
                  parse_quantity("4 cores").error().message.substr(
                      std::string("quantity \"4 cores\": ").size()) +
                  "\nx: /b: is missing\n");
}

TEST(SplitterRequestDecoder, SortsGroupsByIdAndKeepsTheirPositions) {
    const auto decoded =
        splitter(R"({"nodes":4,"groups":[{"id":"b","min":1,"max":10,"target":3},{"id":"a"}]})");
    EXPECT_EQ(decoded.problems, "");
    EXPECT_EQ(decoded.request.nodes, 4);
    ASSERT_EQ(decoded.request.groups.size(), 2u);
    EXPECT_EQ(decoded.request.groups[0].id, NodeGroupId("a"));
    EXPECT_EQ(decoded.request.groups[1],
              (NodeGroup{.id = NodeGroupId("b"), .min = 1, .max = 10, .target = 3}));
    EXPECT_THAT(decoded.request.places, ElementsAre(1, 0));
}

TEST(SplitterRequestDecoder, DefaultsToAnEmptyGroupWithoutALimit) {
    const auto decoded = splitter(R"({"nodes":4,"groups":[{"id":"a"}]})");
    EXPECT_EQ(decoded.problems, "");
    EXPECT_THAT(
        decoded.request.groups,
        ElementsAre(NodeGroup{.id = NodeGroupId("a"), .min = 0, .max = 2147483647, .target = 0}));
}

TEST(SplitterRequestDecoder, RefusesDuplicatesAndNumbersOutOfRange) {
    EXPECT_EQ(
        splitter(R"({"nodes":-1,"groups":[{"id":"a"},{"id":"a","max":2147483648}]})").problems,
        "x: /nodes: expects an integer from 0 to 2147483647, found a number (-1)\n"
        "x: /groups/1/max: expects an integer from 0 to 2147483647, found a number (2147483648)\n"
        "x: /groups/1/id: is a duplicate: \"a\"\n");
    EXPECT_EQ(splitter("[]").problems, "x: expects an object, found an array\n");
}

}  // namespace
}  // namespace capstan::commands
