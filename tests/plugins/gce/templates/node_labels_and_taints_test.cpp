#include "templates/node_labels_and_taints.hpp"

#include <gmock/gmock.h>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(GceNodeLabels, PreferAutoscalerVariablesToKubeletArguments) {
    std::vector<std::string> warnings;
    EXPECT_EQ(
        read_node_labels(env_of("node_labels=a=b,cloud.google.com/gke-nodepool=web"), warnings),
        (Labels{{"a", "b"}, {"cloud.google.com/gke-nodepool", "web"}}));
    EXPECT_EQ(read_node_labels(*KubeEnv::parse("NODE_LABELS: a=b,c=\n"), warnings),
              (Labels{{"a", "b"}, {"c", ""}}));
    EXPECT_THAT(read_node_labels(*KubeEnv::parse("A: b\n"), warnings), IsEmpty());
    EXPECT_THAT(
        read_node_labels(*KubeEnv::parse("AUTOSCALER_ENV_VARS: node_labels=\nNODE_LABELS: a=b\n"),
                         warnings),
        IsEmpty())
        << "an empty list has priority";
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(GceNodeLabels, SkipInvalidLabelsWithAWarning) {
    std::vector<std::string> warnings;
    EXPECT_EQ(read_node_labels(env_of("node_labels=a=b,-x=y,c=d e"), warnings),
              (Labels{{"a", "b"}}));
    EXPECT_THAT(warnings, SizeIs(2));
    warnings.clear();
    EXPECT_THAT(read_node_labels(env_of("node_labels=a"), warnings), IsEmpty());
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("node_labels: \"a\": expected")));
}

TEST(GceNodeTaints, PreferAutoscalerVariablesToKubeletArguments) {
    const std::vector<Taint> wanted{
        {.key = "dedicated", .value = "ml", .effect = Effect::no_schedule},
        {.key = "test", .value = "dev", .effect = Effect::prefer_no_schedule},
        {.key = "a", .value = "", .effect = Effect::no_execute}};
    std::vector<std::string> warnings;
    const std::string text = "dedicated=ml:NoSchedule,test=dev:PreferNoSchedule,a=:NoExecute";
    EXPECT_EQ(read_node_taints(env_of("node_taints=" + text), warnings), wanted);
    EXPECT_EQ(read_node_taints(*KubeEnv::parse("NODE_TAINTS: " + text + "\n"), warnings), wanted);
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(GceNodeTaints, AreReadIfAnotherOneIsInvalid) {
    std::vector<std::string> warnings;
    EXPECT_EQ(
        read_node_taints(env_of("node_taints=broken,dedicated=ml:NoSchedule"), warnings),
        (std::vector<Taint>{{.key = "dedicated", .value = "ml", .effect = Effect::no_schedule}}));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("\"broken\": expected")));
}

TEST(GceNodeTaints, WarnAboutInvalidTaints) {
    std::vector<std::string> warnings;
    EXPECT_THAT(read_node_taints(env_of("node_taints=a=b,c=d:Sometimes"), warnings), IsEmpty());
    EXPECT_THAT(warnings, SizeIs(2));
    warnings.clear();
    // A semicolon would end the list in the autoscaler variables.
    EXPECT_THAT(read_node_taints(*KubeEnv::parse("NODE_TAINTS: d;e=f:NoSchedule,a=b c:NoExecute\n"),
                                 warnings),
                IsEmpty());
    EXPECT_THAT(warnings, SizeIs(2));
}

TEST(ExtendedResources, AreVariablesAndLabels) {
    std::vector<std::string> warnings;
    EXPECT_EQ(
        read_extended_resources(
            env_of("extended_resources=example.com/dongle=2,example.com/big=3k"),
            {{"clusterautoscaler-nodetemplate-resources.example.com/other", "4"}, {"a", "b"}},
            warnings),
        Resources(
            {{"example.com/dongle", 2}, {"example.com/big", 3000}, {"example.com/other", 4}}));
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_THAT(read_extended_resources(env_of("extended_resources=x=many,y=-1"), {}, warnings),
                IsEmpty());
    EXPECT_THAT(warnings, SizeIs(2));
}

TEST(MaxPods, AreReadFromKubeEnvOrKubeletArguments) {
    EXPECT_EQ(find_max_pods(*KubeEnv::parse("MAX_PODS_PER_NODE: \"32\"\n")), 32);
    EXPECT_EQ(find_max_pods(*KubeEnv::parse("KUBELET_ARGS: --v=2 --max-pods=64 --x=y\n")), 64);
    EXPECT_EQ(find_max_pods(*KubeEnv::parse("KUBELET_TEST_ARGS: --max-pods=8\n")), 8);
    for (const char* none : {"A: b", "MAX_PODS_PER_NODE: \"\"", "MAX_PODS_PER_NODE: \"0\"",
                             "KUBELET_ARGS: --max-pods=x"})
        EXPECT_EQ(find_max_pods(*KubeEnv::parse(none)), std::nullopt) << none;
}

}  // namespace
}  // namespace capstan::gce
