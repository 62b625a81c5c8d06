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

struct SentRequest {
    std::vector<std::string> sentences{};
    grpcplugin::BestOptionsRequest message;

    explicit SentRequest(const AsyncExpanderRequest& request, std::size_t size_max = ample)
        : message(message_of(request, size_max, sentences)) {}
};

TEST(ExpanderMessages, ContainGroupNodesAndDebugTextOfAnOption) {
    const SentRequest sent(
        question({option("a").nodes(2).pods(3).sizes({.min = 1, .max = 9}).similar({"b", "c"}),
                  option("b")}));
    ASSERT_EQ(sent.message.options_size(), 2);
    EXPECT_EQ(sent.message.options(0).nodegroupid(), "a");
    EXPECT_EQ(sent.message.options(0).nodecount(), 2);
    EXPECT_EQ(sent.message.options(0).debug(), "a (1:9): 2 nodes for 3 pods, similar to b, c");
    EXPECT_EQ(sent.message.options(1).nodegroupid(), "b");
    EXPECT_THAT(sent.sentences, IsEmpty());
}

TEST(ExpanderMessages, PreferTheDebugTextOfTheCloud) {
    AsyncExpanderRequest request = question({option("a").pods(1)});
    request.options[0].group.debug = "asg a in eu-1";
    EXPECT_EQ(SentRequest(request).message.options(0).debug(), "asg a in eu-1: 1 node for 1 pod");
    request.options[0].group.debug = "";
    request.options[0].group.max.reset();
    EXPECT_EQ(SentRequest(request).message.options(0).debug(), "a: 1 node for 1 pod");
}

TEST(ExpanderMessages, ContainEachPodInTheFormsOfBothGenerations) {
    const SentRequest sent(question({option("a").pods(2).pods(1, 1), option("b").pods(3)},
                                    {pods("web-1", 3), pods("batch-1", 5)}));
    EXPECT_THAT(pod_names(sent.message.options(0)), ElementsAre("web-1", "batch-1", "web-1.2"));
    EXPECT_THAT(pod_names(sent.message.options(1)), ElementsAre("web-1", "web-1.2", "web-1.3"));
    const auto& first = sent.message.options(0);
    EXPECT_THAT(first.pod(), ::testing::ElementsAreArray(first.podbytes()));
}

TEST(ExpanderMessages, ContainATemplateAsANodeForBothGenerations) {
    const SentRequest sent(question(
        {option("a").label("pool", "a").cpu("8"), option("b"), option("c").without_template()}));
    EXPECT_EQ(sent.message.nodebytesmap().size(), 2u);
    const std::string& bytes = sent.message.nodebytesmap().at("a");
    EXPECT_EQ(sent.message.nodemap().at("a"), bytes);
    const auto node = parse_node(bytes);
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->labels, (Labels{{"pool", "a"}}));
    EXPECT_EQ(node->capacity.amount("cpu"), 8000);
    EXPECT_FALSE(node->name.empty());
}

TEST(ExpanderMessages, NameATemplateAfterItsGroupIfItHasNoName) {
    const SentRequest sent(question({option("a").node(NodeTemplate{})}));
    EXPECT_EQ(parse_node(sent.message.nodebytesmap().at("a"))->name, "a");
}

TEST(ExpanderMessages, OmitPodsOfTheLargestOptionsAboveTheSizeLimit) {
    const AsyncExpanderRequest request =
        question({option("a").pods(1000).pods(2, 1), option("b").pods(1000), option("c").pods(9)},
                 {pods("web-1", 1000), pods("batch-1", 2)});
    const std::size_t size_max = 64 << 10;
    ASSERT_GT(SentRequest(request).message.ByteSizeLong(), size_max);
    const SentRequest sent(request, size_max);
    EXPECT_LE(sent.message.ByteSizeLong(), size_max);
    EXPECT_GT(sent.message.ByteSizeLong(), size_max * 3 / 4) << "as many as fit";
    const std::vector<std::string> names = pod_names(sent.message.options(0));
    EXPECT_THAT(names, ::testing::IsSupersetOf({"web-1", "batch-1", "web-1.2", "batch-1.2"}));
    EXPECT_EQ(sent.message.options(1).podbytes_size(), names.size());
    EXPECT_EQ(sent.message.options(2).podbytes_size(), 9);
    EXPECT_THAT(sent.sentences,
                ElementsAre("the request contains " + std::to_string(2 * names.size() + 9) +
                            " of 2011 pods: all would exceed 64Ki"));
    EXPECT_EQ(sent.message.options(0).debug(), "a (0:1000): 1 node for 1002 pods");
}

TEST(ExpanderMessages, KeepOptionsAndNodesIfNoPodFits) {
    const SentRequest sent(question({option("a").pods(3)}), 0);
    EXPECT_EQ(sent.message.options(0).podbytes_size(), 0);
    EXPECT_EQ(sent.message.nodebytesmap().size(), 1u);
    EXPECT_THAT(sent.sentences, ElementsAre(HasSubstr("contains 0 of 3 pods")));
}

struct ServerReply {
    grpcplugin::BestOptionsResponse message{};

    ServerReply& with(const char* group, int nodes = 0) {
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
    EXPECT_EQ(ServerReply().with("c", 1).with("a", 3).kept(), (KeptOptions{.kept = {{0}, {2}}}));
    EXPECT_EQ(ServerReply().with("b").with("b").kept(), (KeptOptions{.kept = {{1}}}))
        << "the same id twice";
}

TEST(ExpanderMessages, KeepNothingForAResponseWithoutOptions) {
    EXPECT_EQ(ServerReply().kept(), KeptOptions{});
}

TEST(ExpanderMessages, IgnoreReturnedNodeCounts) {
    EXPECT_EQ(ServerReply().with("a", 5).with("b", 2).kept(),
              (KeptOptions{.kept = {{0}, {1}},
                           .sentences = {
                               "ignored node counts returned by the server: \"a\" has 3, not 5"}}));
}

TEST(ExpanderMessages, IgnoreUnknownGroupsInAResponse) {
    EXPECT_EQ(ServerReply().with("a").with("x").with("y").kept(),
              (KeptOptions{.kept = {{0}},
                           .sentences = {"ignored groups returned by the server that were not "
                                         "among the options: \"x\", \"y\""}}));
    const auto strangers = ServerReply().with("x").kept();
    ASSERT_FALSE(strangers);
    EXPECT_EQ(strangers.error().code, ErrorCode::unavailable);
    EXPECT_THAT(strangers.error().message, HasSubstr("\"x\""));
}

}  // namespace
}  // namespace capstan::external_grpc
