// Nodes of an autoprovisioned group register with its labels and taints.
#include "provisioning/bootstrap.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace capstan::aws {
namespace {

using ::testing::HasSubstr;

const Labels team{{"team", "a"}};
const std::vector<Taint> dedicated{{"dedicated", "gpu", Effect::no_schedule}};

constexpr const char* a_script = "#!/bin/bash\n/etc/eks/bootstrap.sh prod\n";
constexpr const char* a_node_config =
    "---\n"
    "apiVersion: node.eks.aws/v1alpha1\n"
    "kind: NodeConfig\n"
    "spec:\n"
    "  cluster:\n"
    "    name: prod\n";
constexpr const char* a_bottlerocket = "[settings.kubernetes]\ncluster-name = \"prod\"\n";

std::string multipart(const std::string& type, const std::string& content) {
    return "MIME-Version: 1.0\nContent-Type: multipart/mixed; "
           "boundary=\"B\"\n\n--B\nContent-Type: " +
           type + "\n\n" + content + "\n--B--\n";
}

TEST(Bootstrap, IsDetectedInUserData) {
    struct Case {
        std::string user_data;
        Bootstrap expected;
    };
    const std::vector<Case> cases{
        {a_script, Bootstrap::eks_script},
        {multipart("text/x-shellscript", a_script), Bootstrap::eks_script},
        {a_node_config, Bootstrap::nodeadm},
        {multipart("application/node.eks.aws", a_node_config), Bootstrap::nodeadm},
        {a_bottlerocket, Bootstrap::bottlerocket},
        {"settings.kubernetes.cluster-name = \"prod\"\n", Bootstrap::bottlerocket},
        {"", Bootstrap::unknown},
        {"#!/bin/bash\nnodeup --conf=/opt/kops/conf\n", Bootstrap::unknown},
        {"\x1f\x8b\x08 compressed", Bootstrap::unknown},
        {multipart("text/x-shellscript\nContent-Transfer-Encoding: base64", "IyEvYmlu"),
         Bootstrap::unknown},
    };
    for (const Case& c : cases) EXPECT_EQ(find_bootstrap(c.user_data), c.expected) << c.user_data;
}

TEST(Bootstrap, ExtendsTheArgumentsOfTheScript) {
    const std::string flags =
        "--node-labels=team=a --register-with-taints=dedicated=gpu:NoSchedule";
    struct Case {
        std::string before, after;
    };
    const std::vector<Case> cases{
        {"/etc/eks/bootstrap.sh prod\n",
         "/etc/eks/bootstrap.sh --kubelet-extra-args '" + flags + "' prod\n"},
        {"/etc/eks/bootstrap.sh prod --kubelet-extra-args '--max-pods=58' --x\n",
         "/etc/eks/bootstrap.sh prod --kubelet-extra-args '--max-pods=58 " + flags + "' --x\n"},
        {"/etc/eks/bootstrap.sh prod --kubelet-extra-args=\"--v=\\\"2\\\"\"\n",
         "/etc/eks/bootstrap.sh prod --kubelet-extra-args=\"--v=\\\"2\\\" " + flags + "\"\n"},
        {"/etc/eks/bootstrap.sh prod \\\n  --kubelet-extra-args \\\n  '--v=2'\necho done\n",
         "/etc/eks/bootstrap.sh prod \\\n  --kubelet-extra-args \\\n  '--v=2 " + flags +
             "'\necho done\n"},
        {"# /etc/eks/bootstrap.sh is run below\n/etc/eks/bootstrap.sh prod",
         "# /etc/eks/bootstrap.sh is run below\n/etc/eks/bootstrap.sh --kubelet-extra-args '" +
             flags + "' prod"},
        {"/etc/eks/bootstrap.sh prod\necho --kubelet-extra-args 'of another'\n",
         "/etc/eks/bootstrap.sh --kubelet-extra-args '" + flags +
             "' prod\necho --kubelet-extra-args 'of another'\n"},
    };
    for (const Case& c : cases) {
        const auto added = add_to_user_data(c.before, team, dedicated);
        ASSERT_TRUE(added) << added.error();
        EXPECT_EQ(*added, c.after);
    }
}

TEST(Bootstrap, AppendsANodeConfig) {
    const std::string ours =
        "--B\nContent-Type: application/node.eks.aws\n\n"
        "---\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    flags:\n"
        "      - \"--node-labels=team=a\"\n"
        "      - \"--register-with-taints=dedicated=gpu:NoSchedule\"\n\n";
    const auto added =
        add_to_user_data(multipart("application/node.eks.aws", a_node_config), team, dedicated);
    ASSERT_TRUE(added) << added.error();
    EXPECT_THAT(*added, HasSubstr(a_node_config));
    EXPECT_TRUE(added->ends_with(ours + "--B--\n")) << *added;
}

TEST(Bootstrap, WrapsASingleNodeConfigInAMultipartDocument) {
    const auto added = add_to_user_data(a_node_config, team, {});
    ASSERT_TRUE(added) << added.error();
    EXPECT_TRUE(added->starts_with("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="));
    EXPECT_LT(added->find("name: prod"), added->find("--node-labels=team=a"));
    EXPECT_EQ(find_bootstrap(*added), Bootstrap::nodeadm);
    EXPECT_TRUE(add_to_user_data(*added, {{"tier", "b"}}, {})) << "it can be extended again";
}

TEST(Bootstrap, AddsTablesToBottlerocketSettings) {
    const std::vector<Taint> two{{"dedicated", "gpu", Effect::no_schedule},
                                 {"dedicated", "gpu", Effect::no_execute},
                                 {"alone", "", Effect::no_schedule}};
    const auto added = add_to_user_data(a_bottlerocket, {{"example.com/team", "a"}}, two);
    ASSERT_TRUE(added) << added.error();
    EXPECT_EQ(*added, std::string(a_bottlerocket) +
                          "\n[settings.kubernetes.node-labels]\n\"example.com/team\" = \"a\"\n"
                          "\n[settings.kubernetes.node-taints]\n\"alone\" = [\":NoSchedule\"]\n"
                          "\"dedicated\" = [\"gpu:NoSchedule\", \"gpu:NoExecute\"]\n");
}

TEST(Bootstrap, ReplacesBottlerocketLabelsByKey) {
    const std::string before = std::string(a_bottlerocket) +
                               "[settings.kubernetes.node-labels]\nteam = \"old\"\nteams = \"x\"\n"
                               "[settings.network]\nteam = \"kept\"\n";
    const auto added = add_to_user_data(before, team, {});
    ASSERT_TRUE(added) << added.error();
    EXPECT_EQ(*added, std::string(a_bottlerocket) +
                          "[settings.kubernetes.node-labels]\n\"team\" = \"a\"\nteams = \"x\"\n"
                          "[settings.network]\nteam = \"kept\"\n");
}

TEST(Bootstrap, KeepsUserDataIfThereIsNothingToAdd) {
    for (const char* user_data : {"", "anything", a_script, a_node_config, a_bottlerocket})
        EXPECT_EQ(add_to_user_data(user_data, {}, {}).value(), user_data);
}

TEST(Bootstrap, RejectsUserDataThatCannotBeExtended) {
    const std::string long_script = a_script + std::string(std::size_t{16} * 1024, '#');
    struct Case {
        std::string user_data;
        Labels labels;
        std::string because;
    };
    const std::vector<Case> cases{
        {"", team, "is not of a kind that labels and taints can be added to"},
        {"/etc/eks/bootstrap.sh a\n/etc/eks/bootstrap.sh b\n", team, "2 times"},
        {"# /etc/eks/bootstrap.sh\n", team, "0 times"},
        {"/etc/eks/bootstrap.sh a --kubelet-extra-args $ARGS\n", team, "without a quoted value"},
        {"/etc/eks/bootstrap.sh a --kubelet-extra-args 'cut\n", team, "without a quoted value"},
        {"Content-Type: multipart/mixed; boundary=B\n\n--B\napiVersion: node.eks.aws/v1alpha1\n",
         team, "without a closing boundary"},
        {"[settings.kubernetes]\nnode-labels = { a = \"b\" }\n", team, "does not set node-labels"},
        {long_script, team, "EC2 allows 16384"},
        {a_script, {{"node-role.kubernetes.io/worker", ""}}, "kubelet must not set"},
        {a_script, {{"node-restriction.kubernetes.io/a", "b"}}, "kubelet must not set"},
        {a_script, {{"team", "a' --insecure"}}, "is not a valid label"},
        {a_script, {{"te am", "a"}}, "is not a valid label"},
    };
    for (const Case& c : cases) {
        const auto added = add_to_user_data(c.user_data, c.labels, {});
        ASSERT_FALSE(added) << *added;
        EXPECT_EQ(added.error().code, ErrorCode::unsupported);
        EXPECT_THAT(added.error().message, HasSubstr(c.because));
    }
}

TEST(Bootstrap, FindsExistingTaints) {
    for (const char* user_data :
         {"/etc/eks/bootstrap.sh a --kubelet-extra-args '--register-with-taints=a:NoSchedule'",
          "kubelet: {config: {registerWithTaints: []}}", "[settings.kubernetes.node-taints]"})
        EXPECT_TRUE(has_taints(user_data)) << user_data;
    for (const char* user_data : {"", a_script, a_node_config, a_bottlerocket})
        EXPECT_FALSE(has_taints(user_data)) << user_data;
}

}  // namespace
}  // namespace capstan::aws
