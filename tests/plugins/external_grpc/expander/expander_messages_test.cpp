#include "expander_messages.hpp"

#include <gmock/gmock.h>

#include <core_v1.pb.h>

#include "node_message.hpp"
#include "questions.hpp"

namespace capstan::external_grpc {
namespace {

namespace core = k8s::io::api::core::v1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::option;
using testing::pods;

constexpr std::size_t ample = 4 << 20;

std::vector<std::string> pod_names(const grpcplugin::Option& option) {
    std::vector<std::string> out;
    for (const std::string& bytes : option.podbytes()) {
        core::Pod pod;
        EXPECT_TRUE(pod.ParseFromString(bytes));
        out.push_back(pod.metadata().name());
    }
    return out;
}

struct Asked {
    std::vector<std::string> sentences{};
    grpcplugin::BestOptionsRequest message;

    explicit Asked(const AsyncExpanderRequest& request, std::size_t size_max = ample)
        : message(message_of(request, size_max, sentences)) {}
};

TEST(ExpanderMessages, ContainGroupNodesAndDebugTextOfAnOption) {
    const Asked asked(
        question({option("a").nodes(2).pods(3).sizes({.min = 1, .max = 9}).similar({"b", "c"}),
                  option("b")}));
    ASSERT_EQ(asked.message.options_size(), 2);
    EXPECT_EQ(asked.message.options(0).nodegroupid(), "a");
    EXPECT_EQ(asked.message.options(0).nodecount(), 2);
    EXPECT_EQ(asked.message.options(0).debug(), "a (1:9): 2 nodes for 3 pods, similar to b, c");
    EXPECT_EQ(asked.message.options(1).nodegroupid(), "b");
    EXPECT_THAT(asked.sentences, IsEmpty());
}

TEST(ExpanderMessages, PreferTheDebugTextOfTheCloud) {
    AsyncExpanderRequest request = question({option("a").pods(1)});
    request.options[0].group.debug = "asg a in eu-1";
    EXPECT_EQ(Asked(request).message.options(0).debug(), "asg a in eu-1: 1 node for 1 pod");
    request.options[0].group.debug = "";
    request.options[0].group.max.reset();
    EXPECT_EQ(Asked(request).message.options(0).debug(), "a: 1 node for 1 pod");
}

TEST(ExpanderMessages, ContainEachPodOnceForBothGenerations) {
    const Asked asked(question({option("a").pods(2).pods(1, 1), option("b").pods(3)},
                               {pods("web-1", 3), pods("batch-1", 5)}));
    EXPECT_THAT(pod_names(asked.message.options(0)), ElementsAre("web-1", "batch-1", "web-1.2"));
    EXPECT_THAT(pod_names(asked.message.options(1)), ElementsAre("web-1", "web-1.2", "web-1.3"));
    const auto& first = asked.message.options(0);
    EXPECT_THAT(first.pod(), ::testing::ElementsAreArray(first.podbytes()));
}

TEST(ExpanderMessages, ContainATemplateAsANodeForBothGenerations) {
    const Asked asked(question(
        {option("a").label("pool", "a").cpu("8"), option("b"), option("c").without_template()}));
    EXPECT_EQ(asked.message.nodebytesmap().size(), 2u);
    const std::string& bytes = asked.message.nodebytesmap().at("a");
    EXPECT_EQ(asked.message.nodemap().at("a"), bytes);
    const auto node = parse_node(bytes);
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->labels, (Labels{{"pool", "a"}}));
    EXPECT_EQ(node->capacity.amount("cpu"), 8000);
    EXPECT_FALSE(node->name.empty());
}

TEST(ExpanderMessages, NameATemplateAfterItsGroupIfItHasNoName) {
    const Asked asked(question({option("a").node(NodeTemplate{})}));
    EXPECT_EQ(parse_node(asked.message.nodebytesmap().at("a"))->name, "a");
}

TEST(ExpanderMessages, OmitPodsOfTheLargestOptionsAboveTheSizeLimit) {
    const AsyncExpanderRequest request =
        question({option("a").pods(1000).pods(2, 1), option("b").pods(1000), option("c").pods(9)},
                 {pods("web-1", 1000), pods("batch-1", 2)});
    const std::size_t size_max = 64 << 10;
    ASSERT_GT(Asked(request).message.ByteSizeLong(), size_max);
    const Asked asked(request, size_max);
    EXPECT_LE(asked.message.ByteSizeLong(), size_max);
    EXPECT_GT(asked.message.ByteSizeLong(), size_max * 3 / 4) << "as many as fit";
    const std::vector<std::string> told = pod_names(asked.message.options(0));
    EXPECT_THAT(told, ::testing::IsSupersetOf({"web-1", "batch-1", "web-1.2", "batch-1.2"}));
    EXPECT_EQ(asked.message.options(1).podbytes_size(), told.size());
    EXPECT_EQ(asked.message.options(2).podbytes_size(), 9);
    EXPECT_THAT(asked.sentences,
                ElementsAre("the request contains " + std::to_string(2 * told.size() + 9) +
                            " of 2011 pods: all would exceed 64Ki"));
    EXPECT_EQ(asked.message.options(0).debug(), "a (0:1000): 1 node for 1002 pods");
}

TEST(ExpanderMessages, KeepOptionsAndNodesIfNoPodFits) {
    const Asked asked(question({option("a").pods(3)}), 0);
    EXPECT_EQ(asked.message.options(0).podbytes_size(), 0);
    EXPECT_EQ(asked.message.nodebytesmap().size(), 1u);
    EXPECT_THAT(asked.sentences, ElementsAre(HasSubstr("contains 0 of 3 pods")));
}

struct Told {
    grpcplugin::BestOptionsResponse message{};

    Told& with(const char* group, int nodes = 0) {
        grpcplugin::Option& option = *message.add_options();
        option.set_nodegroupid(group);
        option.set_nodecount(nodes);
        return *this;
    }
    Result<KeptOptions> kept() const {
        return kept_options(message,
                            question({option("a").nodes(3), option("b").nodes(2), option("c")}));
    }
};

TEST(ExpanderMessages, KeepOptionsWhoseGroupIsReturned) {
    EXPECT_EQ(Told().with("c", 1).with("a", 3).kept(), (KeptOptions{.kept = {{0}, {2}}}));
    EXPECT_EQ(Told().with("b").with("b").kept(), (KeptOptions{.kept = {{1}}}))
        << "two responses with ids only";
}

TEST(ExpanderMessages, KeepNothingForAResponseWithoutOptions) {
    EXPECT_EQ(Told().kept(), KeptOptions{});
}

TEST(ExpanderMessages, IgnoreReturnedNodeCounts) {
    EXPECT_EQ(Told().with("a", 5).with("b", 2).kept(),
              (KeptOptions{.kept = {{0}, {1}},
                           .sentences = {
                               "ignored node counts returned by the server: \"a\" has 3, not 5"}}));
}

TEST(ExpanderMessages, IgnoreUnknownGroupsInAResponse) {
    EXPECT_EQ(Told().with("a").with("x").with("y").kept(),
              (KeptOptions{.kept = {{0}},
                           .sentences = {"ignored groups returned by the server that were not "
                                         "among the options: \"x\", \"y\""}}));
    const auto strangers = Told().with("x").kept();
    ASSERT_FALSE(strangers);
    EXPECT_EQ(strangers.error().code, ErrorCode::unavailable);
    EXPECT_THAT(strangers.error().message, HasSubstr("\"x\""));
}

}  // namespace
}  // namespace capstan::external_grpc
