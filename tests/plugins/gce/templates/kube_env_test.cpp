#include "templates/kube_env.hpp"

#include <gmock/gmock.h>

#include <string>

#include "sources.hpp"

namespace capstan::gce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Pairs, AreSplitAtCommasAndAtTheFirstEqualsSign) {
    EXPECT_THAT(*parse_pairs("a=1,b=c=d,e="),
                ElementsAre(Pair("a", "1"), Pair("b", "c=d"), Pair("e", "")));
    EXPECT_THAT(*parse_pairs(""), IsEmpty());
}

TEST(Pairs, WithoutAnEqualsSignAreRefused) {
    EXPECT_THAT(parse_pairs("a=1,b").error().message, HasSubstr("\"b\" is no pair"));
    EXPECT_FALSE(parse_pairs("a=1,,b=2"));
}

TEST(KubeEnv, IsAMapOfTexts) {
    const auto env = KubeEnv::parse("A: b\nC: 7\nD: true\nE: \"\"\nF: [1, 2]\n");
    ASSERT_TRUE(env);
    EXPECT_EQ(env->find("A"), "b");
    EXPECT_EQ(env->find("C"), "7");
    EXPECT_EQ(env->find("D"), "true");
    EXPECT_EQ(env->find("E"), "");
    EXPECT_EQ(env->find("F"), std::nullopt) << "a list is no text";
    EXPECT_EQ(env->find("G"), std::nullopt);
}

TEST(KubeEnv, MayBeEmpty) {
    EXPECT_THAT(KubeEnv::parse("")->variables(), IsEmpty());
    EXPECT_THAT(KubeEnv::parse("# nothing\n")->variables(), IsEmpty());
}

TEST(KubeEnv, ThatIsNoMapIsRefusedWithItsPlace) {
    EXPECT_THAT(KubeEnv::parse("- a\n").error().message, HasSubstr("a map of texts is wanted"));
    EXPECT_THAT(KubeEnv::parse("a: b\n  c: {\n").error().message, HasSubstr("line 2"));
    EXPECT_FALSE(KubeEnv::parse("A: \"" + std::string(1 << 20, 'x') + "\""));
}

TEST(KubeEnv, HasVariablesForAutoscalers) {
    const KubeEnv env = env_of(" node_labels=a=b,c=d ; os = linux;arch='arm64';;x= 'y z' ");
    EXPECT_EQ(**env.find_autoscaler_variable("node_labels"), "a=b,c=d");
    EXPECT_EQ(**env.find_autoscaler_variable("os"), "linux");
    EXPECT_EQ(**env.find_autoscaler_variable("arch"), "arm64");
    EXPECT_EQ(**env.find_autoscaler_variable("x"), "y z");
    EXPECT_EQ(*env.find_autoscaler_variable("node_taints"), std::nullopt);
}

TEST(KubeEnv, MayHaveNoVariablesForAutoscalers) {
    EXPECT_EQ(*env_of("   ").find_autoscaler_variable("os"), std::nullopt);
    EXPECT_EQ(*KubeEnv::parse("A: b")->find_autoscaler_variable("os"), std::nullopt);
}

TEST(KubeEnv, TellsAVariableWithoutAnEqualsSignOnItsWay) {
    const KubeEnv env = env_of("os=linux;broken;arch=arm64");
    EXPECT_EQ(**env.find_autoscaler_variable("os"), "linux") << "it stands before";
    EXPECT_THAT(env.find_autoscaler_variable("arch").error().message, HasSubstr("\"broken\""));
}

}  // namespace
}  // namespace capstan::gce
