#include <gmock/gmock.h>

#include "sources.hpp"
#include "templates/node_labels_and_taints.hpp"

namespace capstan::gce {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<Taint> taint{{.key = "dedicated", .value = "ml", .effect = Effect::no_schedule}};

KubeEnv written(const std::string& before, const Labels& labels, const std::vector<Taint>& taints) {
    const auto text = write_kube_env(before, labels, taints);
    EXPECT_TRUE(text) << text.error().message;
    const auto read = KubeEnv::parse(text ? *text : "");
    EXPECT_TRUE(read);
    return read ? *read : KubeEnv();
}

TEST(KubeEnvWriter, AddsLabelsAndTaintsOfThePlan) {
    const KubeEnv env = written(kube_env_with("os=linux;node_labels=a=b;kube_reserved=cpu=70m"),
                                {{"team", "ml"}}, taint);
    std::vector<std::string> warnings;
    EXPECT_EQ(read_node_labels(env, warnings), (Labels{{"a", "b"}, {"team", "ml"}}));
    EXPECT_EQ(read_node_taints(env, warnings), taint);
    EXPECT_EQ(**env.find_autoscaler_variable("os"), "linux");
    EXPECT_EQ(**env.find_autoscaler_variable("kube_reserved"), "cpu=70m");
    EXPECT_EQ(env.find("NODE_LABELS"), "a=b,team=ml");
    EXPECT_EQ(env.find("NODE_TAINTS"), "dedicated=ml:NoSchedule");
    EXPECT_EQ(env.find("KUBE_PROXY_TOKEN"), "x") << "the rest is unchanged";
    EXPECT_THAT(warnings, IsEmpty());
}

TEST(KubeEnvWriter, ExtendsKubeletArguments) {
    const KubeEnv env = written(
        "KUBELET_ARGS: --v=2 --node-labels=old=1 --cloud-provider=external\nNODE_LABELS: old=1\n",
        {{"team", "ml"}}, taint);
    EXPECT_EQ(env.find("KUBELET_ARGS"),
              "--v=2 --node-labels=old=1,team=ml --cloud-provider=external "
              "--register-with-taints=dedicated=ml:NoSchedule");
}

TEST(KubeEnvWriter, KeepsOneKubeletArgumentOfEachName) {
    const KubeEnv env = written(
        "KUBELET_ARGS: \"--node-labels=a=1\\n--v=2\\t--node-labels=a=1 --x--node-labels=b=2 "
        "--register-with-taints=\"\nNODE_LABELS: a=1\n",
        {{"team", "ml"}}, taint);
    EXPECT_EQ(env.find("KUBELET_ARGS"),
              "--node-labels=a=1,team=ml\n--v=2\t --x--node-labels=b=2 "
              "--register-with-taints=dedicated=ml:NoSchedule");
}

TEST(KubeEnvWriter, RemovesArgumentsThatWouldBeEmpty) {
    const KubeEnv env = written("KUBELET_ARGS: --register-with-taints= --v=2\n", {}, {});
    EXPECT_EQ(env.find("KUBELET_ARGS"), " --v=2");
}

TEST(KubeEnvWriter, IsIdempotent) {
    const auto once =
        write_kube_env(kube_env_with("node_labels=a=b;os=linux"), {{"c", "d"}}, taint);
    ASSERT_TRUE(once);
    EXPECT_EQ(*write_kube_env(*once, {{"c", "d"}}, taint), *once);
}

TEST(KubeEnvWriter, KeepsAnyText) {
    const KubeEnv env = written(
        "A: \"x: {y}\\n# \\\"z\\\"\"\nB: 'true'\nC: |\n  two\n  lines\n\"a\\0b: 'c\": d\n", {}, {});
    EXPECT_EQ(env.find("A"), "x: {y}\n# \"z\"");
    EXPECT_EQ(env.find("B"), "true");
    EXPECT_EQ(env.find("C"), "two\nlines\n");
    EXPECT_EQ(env.find(std::string("a\0b: 'c", 7)), "d");
}

TEST(KubeEnvWriter, NeedsAnExistingKubeEnv) {
    const auto refused = write_kube_env("", {{"a", "b"}}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
    EXPECT_THAT(write_kube_env("- a\n", {}, {}).error().message, HasSubstr("kube-env"));
    EXPECT_FALSE(write_kube_env("NODE_TAINTS: broken\n", {}, {}))
        << "unknown content cannot be extended";
}

TEST(ShortenedKubeEnv, DescribesTheSameNodes) {
    const std::string whole =
        "AUTOSCALER_ENV_VARS: "
        "os=linux;os_distribution=cos;node_labels=a=b;node_taints=c=d:NoExecute;"
        "kube_reserved=cpu=70m;autoscaling_options=scaledownunneededtime=3m\n"
        "NODE_LABELS: a=b\nNODE_TAINTS: c=d:NoExecute\nMAX_PODS_PER_NODE: '32'\n"
        "KUBELET_ARGS: --v=2 --max-pods=64\n"
        "KUBELET_TEST_ARGS: --system-reserved=cpu=10m\nCA_CERT: " +
        std::string(2000, 'Q') + "\n";
    const std::string some = shorten_kube_env(whole);
    EXPECT_LT(some.size(), whole.size() - 1900);
    const TemplateConfig config;
    EXPECT_EQ(make_template(usual_sources(some), config)->node,
              make_template(usual_sources(whole), config)->node);
    EXPECT_EQ(read_kube_env_options(usual_sources(some).instance_template).options,
              read_kube_env_options(usual_sources(whole).instance_template).options);
    const auto again = write_kube_env(some, {{"team", "ml"}}, taint);
    ASSERT_TRUE(again);
    EXPECT_EQ(make_template(usual_sources(*again), config)->node,
              make_template(usual_sources(*write_kube_env(whole, {{"team", "ml"}}, taint)), config)
                  ->node);
}

TEST(ShortenedKubeEnv, IsUnchangedIfItCannotBeShortened) {
    EXPECT_FALSE(KubeEnv::parse(shorten_kube_env("CA_CERT: x\n"))->variables().empty())
        << "one variable remains: an empty kube-env counts as none";
    for (const char* none : {"", "- a\n", "a: [\n"}) EXPECT_EQ(shorten_kube_env(none), none);
}

}  // namespace
}  // namespace capstan::gce
