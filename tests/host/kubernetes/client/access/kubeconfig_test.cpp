#include "kubernetes/client/access/kubeconfig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "credentials_folder.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const std::string pem = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t";  // -----BEGIN CERTIFICATE-----

/// A kubeconfig with one context; `cluster` and `user` are flow maps.
std::string config(const std::string& cluster, const std::string& user) {
    return "current-context: c\n"
           "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
           "clusters:\n- name: k\n  cluster: {" +
           cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}
const std::string server = "server: 'https://api:6443'";

class KubeconfigTest : public ::testing::Test {
protected:
    Result<Kubeconfig> read(const std::string& text, const std::string& context = {}) const {
        return read_kubeconfig({folder_.write("config", text), context}, Environment());
    }
    Kubeconfig with(const std::string& cluster, const std::string& user) const {
        const auto out = read(config(cluster, user));
        EXPECT_TRUE(out) << out.error();
        return out.value_or(Kubeconfig());
    }
    /// The part of the error message after the file name.
    std::string error(const std::string& text, const std::string& context = {}) const {
        const auto out = read(text, context);
        if (out) return "none";
        EXPECT_EQ(out.error().code, ErrorCode::invalid_config);
        const std::string file = (folder_ / "config").string();
        EXPECT_THAT(out.error().message, HasSubstr(file));
        return out.error().message.substr(out.error().message.find(file) + file.size());
    }

    CredentialsFolder folder_;
};

TEST_F(KubeconfigTest, ReadsACluster) {
    const KubeconfigCluster cluster =
        with(
            "server: 'https://api:6443/k8s/', tls-server-name: kubernetes, proxy-url: "
            "'socks5://p:1080', disable-compression: true, certificate-authority: ca.crt",
            "")
            .cluster;
    EXPECT_EQ(cluster.server, "https://api:6443/k8s");
    EXPECT_EQ(cluster.tls_server_name, "kubernetes");
    EXPECT_EQ(cluster.proxy_url, "socks5://p:1080");
    EXPECT_TRUE(cluster.disable_compression);
    EXPECT_FALSE(cluster.insecure_skip_tls_verify);
    EXPECT_EQ(cluster.ca.file, folder_ / "ca.crt");
    EXPECT_TRUE(
        with(server + ", insecure-skip-tls-verify: yes", "").cluster.insecure_skip_tls_verify);
}

TEST_F(KubeconfigTest, ReadsSchemesInAnyCase) {
    const KubeconfigCluster cluster =
        with("server: 'HTTPS://Api:6443', proxy-url: 'Http://proxy:1'", "").cluster;
    EXPECT_EQ(cluster.server, "https://Api:6443");
    EXPECT_EQ(cluster.proxy_url, "Http://proxy:1");
}

TEST_F(KubeconfigTest, PrefersDataToFiles) {
    const Kubeconfig read =
        with(server + ", certificate-authority: a, certificate-authority-data: " + pem,
             "client-certificate: a, client-certificate-data: " + pem + ", client-key: ../k");
    EXPECT_EQ(read.cluster.ca.text, "-----BEGIN CERTIFICATE-----");
    EXPECT_TRUE(read.cluster.ca.file.empty());
    EXPECT_EQ(read.user.certificate.text, "-----BEGIN CERTIFICATE-----");
    EXPECT_EQ(read.user.key.file, (folder_ / "").parent_path().parent_path() / "k");
}

TEST_F(KubeconfigTest, ReadsTokensAndPasswords) {
    const KubeconfigUser token = with(server, "token: 12345, tokenFile: /t").user;
    EXPECT_EQ(token.token, "12345");
    EXPECT_EQ(token.token_file, "/t");
    const KubeconfigUser basic = with(server, "username: me, password: 'a: b'").user;
    EXPECT_EQ(basic.username + "/" + basic.password, "me/a: b");
}

TEST_F(KubeconfigTest, ReadsImpersonation) {
    const KubeconfigUser user =
        with(server,
             "as: jane, as-uid: '7', as-groups: [dev, ops], as-user-extra: {Scopes/x: [a, b]}")
            .user;
    EXPECT_THAT(user.impersonation,
                ElementsAre(Pair("impersonate-user", "jane"), Pair("impersonate-uid", "7"),
                            Pair("impersonate-group", "dev"), Pair("impersonate-group", "ops"),
                            Pair("impersonate-extra-scopes%2fx", "a"),
                            Pair("impersonate-extra-scopes%2fx", "b")));
}

TEST_F(KubeconfigTest, ReadsAnExecPlugin) {
    const Kubeconfig read = with(
        server +
            ", extensions: [{name: other, extension: 1}, "
            "{name: client.authentication.k8s.io/exec, extension: {audience: x, level: 3}}]",
        "exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/login, args: [get, "
        "token], env: [{name: A, value: b}], interactiveMode: Never, provideClusterInfo: true, "
        "installHint: fetch it}");
    ASSERT_TRUE(read.user.exec);
    EXPECT_EQ(read.user.exec->command, (folder_ / "bin/login").string());
    EXPECT_THAT(read.user.exec->arguments, ElementsAre("get", "token"));
    EXPECT_THAT(read.user.exec->variables, ElementsAre(Pair("A", "b")));
    EXPECT_EQ(read.user.exec->install_hint, "fetch it");
    EXPECT_TRUE(read.user.exec->provides_cluster_info);
    EXPECT_EQ(boost::json::serialize(*read.cluster.exec_config), R"({"audience":"x","level":3})");
}

TEST_F(KubeconfigTest, KeepsABareCommandName) {
    const auto user =
        with(server, "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}").user;
    EXPECT_EQ(user.exec->command, "aws");
}

TEST_F(KubeconfigTest, IgnoresThePluginIfThereAreOtherCredentials) {
    for (const char* other :
         {"token: t", "username: u", "tokenFile: t", "client-certificate: a, client-key: b"}) {
        EXPECT_FALSE(
            with(server, std::string(other) + ", exec: {command: x, interactiveMode: Always}")
                .user.exec)
            << other;
    }
}

TEST_F(KubeconfigTest, UsesTheRequestedContext) {
    const std::string text =
        "current-context: b\n"
        "contexts:\n"
        "- {name: a, context: {cluster: k, namespace: web}}\n"
        "- {name: b, context: {cluster: l}}\n"
        "clusters:\n"
        "- {name: k, cluster: {server: 'http://k'}}\n"
        "- {name: l, cluster: {server: 'http://l'}}\n"
        "users: 3\n";
    EXPECT_EQ(read(text)->cluster.server, "http://l");
    EXPECT_EQ(read(text)->kube_namespace, "default");
    EXPECT_EQ(read(text, "a")->cluster.server, "http://k");
    EXPECT_EQ(read(text, "a")->kube_namespace, "web");
    EXPECT_EQ(error(text, "c"), ": kubeconfig has no context \"c\"; it has \"a\", \"b\"");
}

TEST_F(KubeconfigTest, ReportsMissingParts) {
    EXPECT_EQ(error(""), ": kubeconfig has no current-context; it has none");
    EXPECT_EQ(error("contexts: [{name: a}]\n"),
              ": kubeconfig has no current-context; it has \"a\"");
    EXPECT_EQ(error("current-context: a\ncontexts:\n- name: a\n"),
              ":3: context \"a\": cluster is missing");
    EXPECT_EQ(error("current-context: a\ncontexts: [{name: a, context: {cluster: k}}]\n"),
              ": kubeconfig has no cluster \"k\"; it has none");
    EXPECT_EQ(error("current-context: a\ncontexts: [{name: a, context: {cluster: k, user: u}}]\n"
                    "clusters: [{name: k, cluster: {server: 'http://k'}}]\n"),
              ": kubeconfig has no user \"u\"; it has none");
}

TEST_F(KubeconfigTest, RejectsMalformedKubeconfigs) {
    const std::pair<std::string, std::string> cases[] = {
        {"kind: Pod\napiVersion: v1\n", ":1: kind expects Config: this is not a kubeconfig"},
        {"kind: Config\napiVersion: v2\n", ":2: apiVersion expects v1"},
        {"just text\n", ":1: expects a map of keys and values"},
        {"- a\n", ":1: expects a map of keys and values"},
        {"current-context: [a]\n", ":1: current-context expects text"},
        {"current-context: a\ncontexts: {a: b}\n", ":2: contexts expects a list"},
        {"current-context: a\ncontexts:\n- a\n", ":3: contexts: expects a map of keys and values"},
        {"current-context: a\ncontexts:\n- {name: a}\n- {name: a}\n",
         ":4: context \"a\": name is a duplicate"},
        {"current-context: a\ncontexts:\n- {name: a, context: 3}\n",
         ":3: contexts: context: expects a map of keys and values"}};
    for (const auto& [text, why] : cases) EXPECT_EQ(error(text), why) << text;
}

TEST_F(KubeconfigTest, RejectsInvalidClusters) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "server is missing: the API server's URL"},
        {"server: 'api:6443'", "server has no scheme: write https:// in front, or http://"},
        {"server: 'https://'", "server URL: No host part in the URL"},
        {"server: 'ftp://api'", "server URL: the scheme is neither http nor https"},
        {"server: 'https://admin:hunter2@api'",
         "server URL: contains a user name; use a header instead"},
        {"server: 'https://api?a=b'", "server expects a URL without a query"},
        {server + ", proxy-url: 'ftp://hunter2'", "proxy-url expects an http, https or socks5 URL"},
        {server + ", certificate-authority-data: 'hunter2!'",
         "certificate-authority-data expects PEM in base64"},
        {server + ", certificate-authority-data: aHVudGVyMg==",
         "certificate-authority-data expects PEM in base64"},
        {server + ", insecure-skip-tls-verify: true, certificate-authority: x",
         "insecure-skip-tls-verify cannot be combined with certificate-authority"},
        {server + ", insecure-skip-tls-verify: maybe",
         "insecure-skip-tls-verify expects true or false"},
        {server + ", disable-compression: 'true'", "disable-compression expects true or false"}};
    for (const auto& [cluster, why] : cases)
        EXPECT_EQ(error(config(cluster, "")), ":5: cluster \"k\": " + why) << cluster;
}

TEST_F(KubeconfigTest, RejectsInvalidUsers) {
    const std::pair<std::string, std::string> cases[] = {
        {"token: a, username: b", "has both a token and a password; remove one of them"},
        {"tokenFile: a, password: b", "has both a token and a password; remove one of them"},
        {"token: 'hunter2 x'", "token expects ASCII without blanks"},
        {"token: \"hunter2\\nx: y\"", "token expects ASCII without blanks"},
        {"token: [hunter2]", "token expects text"},
        {"client-certificate: a",
         "client-certificate and client-key must be set together; one is missing"},
        {"client-key: a", "client-certificate and client-key must be set together; one is missing"},
        {"client-key-data: hunter2x", "client-key-data expects PEM in base64"},
        {"as-groups: [a]",
         "as-uid, as-groups and as-user-extra require as, the user to impersonate"},
        {"as: a, as-groups: b", "as-groups expects a list of texts"},
        {"as: \"a\\nb\"", "as has a control character"},
        {"as: a, as-user-extra: [b]", "as-user-extra expects a map of lists"},
        {"auth-provider: {name: gcp}",
         "auth-provider is not supported; use an exec plugin instead, such as "
         "gke-gcloud-auth-plugin"},
        {"auth-provider: {name: azure}",
         "auth-provider is not supported; use an exec plugin instead, such as kubelogin"},
        {"auth-provider: {name: x}", "auth-provider is not supported; use an exec plugin instead"}};
    for (const auto& [user, why] : cases)
        EXPECT_EQ(error(config(server, user)), ":8: user \"u\": " + why) << user;
}

TEST_F(KubeconfigTest, RejectsInvalidExecPlugins) {
    const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never";
    const std::pair<std::string, std::string> cases[] = {
        {"command: a", "apiVersion expects client.authentication.k8s.io/v1 or /v1beta1"},
        {"apiVersion: client.authentication.k8s.io/v1alpha1, command: a",
         "apiVersion v1alpha1 is no longer supported; write this user again with the plugin's own "
         "tool, for v1 or v1beta1"},
        {"apiVersion: client.authentication.k8s.io/v1, command: a",
         "interactiveMode expects Never or IfAvailable"},
        {"apiVersion: client.authentication.k8s.io/v1beta1, command: a, interactiveMode: Always",
         "interactiveMode Always is not supported: there is no terminal to prompt on"},
        {v1, "command is missing: the program to run"},
        {v1 + ", command: a, args: b", "args expects a list of texts"},
        {v1 + ", command: a, env: [{value: hunter2}]", "env expects a name for each variable"}};
    for (const auto& [exec, why] : cases) {
        EXPECT_EQ(error(config(server, "exec: {" + exec + "}")), ":8: user \"u\": exec: " + why)
            << exec;
    }
}

TEST_F(KubeconfigTest, ShowsNoSecretOfAMalformedFile) {
    const std::string good = config(server, "token: hunter2, password: hunter2");
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const char* damage : {"", "\"", "'", "\n"}) {
            std::string broken = good;
            broken.replace(at, 1, damage);
            const auto out = read(broken);
            const std::string message = out ? "" : out.error().message;
            EXPECT_THAT(message, Not(HasSubstr("hunter"))) << broken;
        }
    }
}

TEST_F(KubeconfigTest, ShowsOnlyTheFirstWordOfAMalformedName) {
    EXPECT_EQ(error("contexts:\n- {name: a, context: {cluster: k}}\n"
                    "current-context: 'a user: {token: hunter2}'\n"),
              ": kubeconfig has no context \"a...\"; it has \"a\"");
}

TEST_F(KubeconfigTest, ChecksOnlyTheUsedContext) {
    EXPECT_EQ(error(config(server, "") + "- {name: broken, user: {token: [x]}}\n"), "none");
}

}  // namespace
}  // namespace capstan::kubernetes::client
