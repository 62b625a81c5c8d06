#include "templates/kube_env.hpp"

#include <gmock/gmock.h>

#include <string>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(KubeEnvPairs, AreSplitAtCommasAndTheFirstEqualsSign) {
    EXPECT_THAT(*parse_pairs("a=1,b=c=d,e="),
                ElementsAre(Pair("a", "1"), Pair("b", "c=d"), Pair("e", "")));
    EXPECT_THAT(*parse_pairs(""), IsEmpty());
}

TEST(KubeEnvPairs, AreRejectedWithoutAnEqualsSign) {
    EXPECT_THAT(parse_pairs("a=1,b").error().message, HasSubstr("\"b\": expected"));
    EXPECT_FALSE(parse_pairs("a=1,,b=2"));
}

TEST(KubeEnv, IsAMapOfStrings) {
    const auto env =
        KubeEnv::parse("A: b\nC: 7\nD: true\nE: \"\"\nF: [1, {x: 2}]\n? [k]\n: v\nH:\nI: 1.50\n");
    ASSERT_TRUE(env);
    EXPECT_EQ(env->find("A"), "b");
    EXPECT_EQ(env->find("C"), "7");
    EXPECT_EQ(env->find("D"), "true");
    EXPECT_EQ(env->find("E"), "");
    EXPECT_EQ(env->find("F"), std::nullopt) << "a list is not text";
    EXPECT_EQ(env->find("G"), std::nullopt);
    EXPECT_EQ(env->find("H"), "") << "a key without a value";
    EXPECT_EQ(env->find("I"), "1.50") << "unchanged";
    EXPECT_EQ(env->variables().size(), 6);
}

TEST(KubeEnv, UsesTheLastValueOfADuplicateKey) {
    EXPECT_EQ(KubeEnv::parse("A: b\nA: c\n")->find("A"), "c");
    EXPECT_EQ(KubeEnv::parse("A: b\nA: [c]\n")->find("A"), "b") << "a list is not a value";
}

TEST(KubeEnv, RejectsAliases) {
    EXPECT_THAT(KubeEnv::parse("A: &a b\nC: *a\n").error().message,
                AllOf(HasSubstr("line 2"), HasSubstr("alias")));
    EXPECT_FALSE(KubeEnv::parse("A: *never\n"));
}

TEST(KubeEnv, LimitsNesting) {
    const auto nested = [](std::size_t depth) {
        return "A: " + std::string(depth, '[') + std::string(depth, ']') + "\nB: c\n";
    };
    EXPECT_EQ(KubeEnv::parse(nested(31))->find("B"), "c");
    EXPECT_THAT(KubeEnv::parse(nested(32)).error().message, HasSubstr("nested too deeply"));
    EXPECT_FALSE(KubeEnv::parse(nested(100'000)));
}

TEST(KubeEnv, IsUtf8OfAtMostOneMebibyte) {
    EXPECT_EQ(KubeEnv::parse("A: \xc3\xa9\n")->find("A"), "\xc3\xa9");
    EXPECT_EQ(KubeEnv::parse("A: \xff\n").error().message, "kube-env: not UTF-8");
    EXPECT_FALSE(KubeEnv::parse("A: " + std::string(std::size_t{1} << 20, 'x')));
}

TEST(KubeEnv, CanBeEmpty) {
    EXPECT_THAT(KubeEnv::parse("")->variables(), IsEmpty());
    EXPECT_THAT(KubeEnv::parse("# nothing\n")->variables(), IsEmpty());
}

TEST(KubeEnv, ReportsWhereItIsNotAMap) {
    EXPECT_THAT(KubeEnv::parse("- a\n").error().message, HasSubstr("expected a map of strings"));
    EXPECT_THAT(KubeEnv::parse("Lorem ipsum dolor").error().message,
                HasSubstr("expected a map of strings"));
    EXPECT_THAT(KubeEnv::parse("a: b\n  c: {\n").error().message, HasSubstr("line 2"));
    EXPECT_FALSE(KubeEnv::parse("A: \"" + std::string(1 << 20, 'x') + "\""));
}

TEST(KubeEnv, HasAutoscalerVariables) {
    const KubeEnv env = env_of(" node_labels=a=b,c=d ; os = linux;arch='arm64';;x= 'y z' ");
    EXPECT_EQ(**env.find_autoscaler_variable("node_labels"), "a=b,c=d");
    EXPECT_EQ(**env.find_autoscaler_variable("os"), "linux");
    EXPECT_EQ(**env.find_autoscaler_variable("arch"), "arm64");
    EXPECT_EQ(**env.find_autoscaler_variable("x"), "y z");
    EXPECT_EQ(*env.find_autoscaler_variable("node_taints"), std::nullopt);
}

TEST(KubeEnv, HasKubeletArguments) {
    const auto env = KubeEnv::parse(
        "KUBELET_ARGS: --v=2 --max-pods=64\n --x=\nKUBELET_TEST_ARGS: --max-pods=8 --y=z\n");
    EXPECT_EQ(env->find_kubelet_argument("max-pods"), "64") << "the first one is used";
    EXPECT_EQ(env->find_kubelet_argument("x"), "");
    EXPECT_EQ(env->find_kubelet_argument("y"), "z");
    EXPECT_EQ(env->find_kubelet_argument("pods"), std::nullopt);
    const auto lines = KubeEnv::parse("KUBELET_ARGS: |\n  --a=b\n  --c=d\n");
    EXPECT_EQ(lines->find_kubelet_argument("a"), "b");
}

TEST(KubeEnv, CanHaveNoAutoscalerVariables) {
    EXPECT_EQ(*env_of("   ").find_autoscaler_variable("os"), std::nullopt);
    EXPECT_EQ(*KubeEnv::parse("A: b")->find_autoscaler_variable("os"), std::nullopt);
}

TEST(KubeEnv, ReportsAVariableWithoutAnEqualsSign) {
    const KubeEnv env = env_of("os=linux;broken;arch=arm64");
    EXPECT_EQ(**env.find_autoscaler_variable("os"), "linux") << "it precedes the error";
    EXPECT_THAT(env.find_autoscaler_variable("arch").error().message, HasSubstr("\"broken\""));
}

}  // namespace
}  // namespace capstan::gce
