#include "kubernetes/client/access/kubeconfig_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "credentials_folder.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::HasSubstr;

/// One cluster "k" at `server`, with a user "u".
std::string file_with(const std::string& server, const std::string& current = {}) {
    return (current.empty() ? "" : "current-context: " + current + "\n") + "contexts: [{name: '" +
           server + "', context: {cluster: k, user: u}}]\n" +
           "clusters: [{name: k, cluster: {server: 'https://" + server +
           "', certificate-authority: ca}}]\n" + "users: [{name: u, user: {tokenFile: token}}]\n";
}

class KubeconfigFilesTest : public ::testing::Test {
protected:
    std::string list(std::initializer_list<std::string> names) const {
        std::string out;
        for (const std::string& name : names)
            out += (out.empty() ? "" : ":") + (name.empty() ? "" : (folder_ / name).string());
        return out;
    }
    Result<Kubeconfig> read(const std::string& kubeconfig, const std::string& context = {}) const {
        return read_kubeconfig({{}, context}, Environment({{"KUBECONFIG", kubeconfig},
                                                           {"HOME", (folder_ / "home").string()}}));
    }

    CredentialsFolder folder_;
};

TEST_F(KubeconfigFilesTest, UsesTheFirstFileThatDefinesAName) {
    folder_.write("a/config", file_with("first"));
    folder_.write("b/config", file_with("second", "second"));
    folder_.write("c/config", file_with("third", "third"));
    const auto merged = read(list({"a/config", "b/config", "", "none", "a/config", "c/config"}));
    ASSERT_TRUE(merged) << merged.error();
    EXPECT_EQ(merged->context, "second");
    EXPECT_EQ(merged->cluster.server, "https://first");
    EXPECT_EQ(merged->cluster.ca.file, folder_ / "a/ca");
    EXPECT_EQ(merged->user.token_file, folder_ / "a/token");
}

TEST_F(KubeconfigFilesTest, FindsAContextInALaterFile) {
    folder_.write("a", file_with("first", "first"));
    folder_.write("b", file_with("second", "second"));
    EXPECT_EQ(read(list({"a", "b"}), "second")->context, "second");
    EXPECT_THAT(read(list({"a", "b"}), "x").error().message,
                HasSubstr(list({"a"}) + ", " + list({"b"}) +
                          ": kubeconfig has no context \"x\"; it has \"first\", \"second\""));
}

TEST_F(KubeconfigFilesTest, FallsBackToTheHomeFolder) {
    EXPECT_THAT(read("").error().message, HasSubstr("no kubeconfig: KUBECONFIG is not set, and"));
    folder_.write("home/.kube/config", file_with("mine", "mine"));
    EXPECT_EQ(read("")->cluster.server, "https://mine");
    EXPECT_THAT(read_kubeconfig({}, Environment()).error().message,
                HasSubstr("no kubeconfig: neither KUBECONFIG nor HOME is set"));
}

TEST_F(KubeconfigFilesTest, DoesNotFallBackIfListedFilesAreMissing) {
    folder_.write("home/.kube/config", file_with("mine", "mine"));
    EXPECT_THAT(read(list({"none"})).error().message, HasSubstr("none of them exists"));
}

TEST_F(KubeconfigFilesTest, RequiresAnExplicitFile) {
    folder_.write("a", file_with("first", "first"));
    const Environment environment({{"KUBECONFIG", list({"a"})}});
    EXPECT_THAT(read_kubeconfig({folder_ / "none", {}}, environment).error().message,
                HasSubstr("none: cannot be read: No such file or directory"));
    folder_.write("b", file_with("second", "second"));
    EXPECT_THAT(read_kubeconfig({folder_ / "b", "first"}, environment).error().message,
                HasSubstr("has no context \"first\""));
}

TEST_F(KubeconfigFilesTest, RejectsMalformedAndHugeFiles) {
    folder_.write("a", file_with("first", "first"));
    folder_.write("broken", "a: [\n");
    EXPECT_THAT(read(list({"a", "broken"})).error().message, HasSubstr("broken:"));
    folder_.write("huge", std::string(max_kubeconfig_bytes + 1, '#'));
    EXPECT_THAT(read(list({"huge"})).error().message, HasSubstr("longer than 4194304 bytes"));
    EXPECT_THAT(read(list({"a", "home/"})).value_or(Kubeconfig()).context, "first");
}

}  // namespace
}  // namespace capstan::kubernetes::client
