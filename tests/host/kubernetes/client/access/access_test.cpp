#include "kubernetes/client/access/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "credentials_folder.hpp"

namespace capstan::kubernetes::client {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string certificate = "-----BEGIN CERTIFICATE-----\n";

class AccessTest : public ::testing::Test {
protected:
    AccessEnvironment environment_at(const std::string& host = "10.0.0.1") const {
        Environment variables;
        variables.set("KUBERNETES_SERVICE_HOST", host);
        variables.set("KUBERNETES_SERVICE_PORT", "443");
        variables.set("PATH", "/usr/bin:/bin");
        return {.variables = variables, .service_account = folder_ / "account"};
    }
    void write_account() const {
        folder_.write("account/token", "t\n");
        folder_.write("account/ca.crt", certificate);
        folder_.write("account/namespace", "web");
    }
    /// Writes a kubeconfig; `cluster` and `user` are flow maps.
    AccessChoice kubeconfig(const std::string& cluster, const std::string& user) const {
        return {.kubeconfig =
                    folder_
                        .write("config",
                               "current-context: c\n"
                               "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                               "clusters: [{name: k, cluster: {" +
                                   cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n")
                        .string()};
    }
    Result<ClusterAccess> open(const AccessChoice& choice, const AccessEnvironment& environment) {
        return open_access(choice, virtual_.loop, environment);
    }
    std::string authorization(const ClusterAccess& access) {
        return CredentialRequest(*access.credentials, virtual_.loop).header("authorization");
    }

    VirtualLoop virtual_;
    CredentialsFolder folder_;
};

TEST_F(AccessTest, UsesTheServiceAccountOfAPod) {
    write_account();
    const auto access = open({}, environment_at());
    ASSERT_TRUE(access) << access.error();
    EXPECT_EQ(access->server, "https://10.0.0.1:443");
    EXPECT_EQ(access->tls.ca_pem, certificate);
    EXPECT_EQ(access->ca_file, folder_ / "account/ca.crt");
    EXPECT_TRUE(access->tls.verify);
    EXPECT_TRUE(access->compression);
    EXPECT_EQ(access->kube_namespace, "web");
    EXPECT_THAT(access->warnings, IsEmpty());
    EXPECT_EQ(authorization(*access), "Bearer t");
}

TEST_F(AccessTest, PutsIpv6AddressesInBrackets) {
    write_account();
    EXPECT_EQ(open({}, environment_at("fd00::1"))->server, "https://[fd00::1]:443");
    EXPECT_EQ(open({}, environment_at("[fd00::1]"))->server, "https://[fd00::1]:443");
    EXPECT_THAT(open({}, environment_at("a b")).error().message,
                HasSubstr("are not a host and a port"));
}

TEST_F(AccessTest, ReportsMissingServiceAccountFiles) {
    const AccessEnvironment outside{.variables = Environment(),
                                    .service_account = folder_ / "account"};
    EXPECT_THAT(open({.kubeconfig = "in-cluster"}, outside).error().message,
                HasSubstr("not in a cluster: KUBERNETES_"));
    EXPECT_THAT(open({}, environment_at()).error().message,
                HasSubstr("account/token: cannot be read: No such file or directory"));
    EXPECT_THAT(
        open({.kubeconfig = "in-cluster", .context = "prod"}, environment_at()).error().message,
        HasSubstr("a context requires a kubeconfig: a pod's service account has no contexts"));
}

TEST_F(AccessTest, UsesSystemCertificateAuthoritiesWithoutACaFile) {
    folder_.write("account/token", "t");
    const auto access = open({}, environment_at());
    ASSERT_TRUE(access);
    EXPECT_EQ(access->tls.ca_pem, "");
    EXPECT_THAT(access->warnings,
                ElementsAre(HasSubstr("ca.crt: cannot be read: No such file or directory; using "
                                      "the system's certificate authorities instead")));
    EXPECT_EQ(access->kube_namespace, "default");
}

TEST_F(AccessTest, UsesPodNamespaceFromTheEnvironment) {
    write_account();
    AccessEnvironment environment = environment_at();
    environment.variables.set("POD_NAMESPACE", "mine");
    EXPECT_EQ(open({}, environment)->kube_namespace, "mine");
}

TEST_F(AccessTest, UsesAKubeconfig) {
    folder_.write("ca", certificate + "k");
    const auto access =
        open(kubeconfig("server: 'https://api:6443', certificate-authority: ca, tls-server-name: "
                        "kubernetes, proxy-url: 'http://proxy:1', disable-compression: true",
                        "token: t"),
             environment_at());
    ASSERT_TRUE(access) << access.error();
    EXPECT_EQ(access->server, "https://api:6443");
    EXPECT_EQ(access->tls.ca_pem, certificate + "k");
    EXPECT_EQ(access->ca_file, folder_ / "ca");
    EXPECT_EQ(access->tls.server_name, "kubernetes");
    EXPECT_EQ(access->proxy_url, "http://proxy:1");
    EXPECT_FALSE(access->compression);
    EXPECT_EQ(access->kube_namespace, "default");
    EXPECT_EQ(authorization(*access), "Bearer t");
}

TEST_F(AccessTest, UsesTheServerOption) {
    AccessChoice choice =
        kubeconfig("server: 'https://api', tls-server-name: x, insecure-skip-tls-verify: true", "");
    choice.server = "https://127.0.0.1:6443/";
    const auto access = open(choice, environment_at());
    EXPECT_EQ(access->server, "https://127.0.0.1:6443");
    EXPECT_EQ(access->tls.server_name, "");
    EXPECT_FALSE(access->tls.verify);
    write_account();
    EXPECT_EQ(open({.server = "https://other"}, environment_at())->server, "https://other");
    EXPECT_THAT(open({.server = "other"}, environment_at()).error().message,
                HasSubstr("server: URL: "));
}

TEST_F(AccessTest, ChoosesKubeconfigOrServiceAccountByTheEnvironment) {
    write_account();
    const std::string named = kubeconfig("server: 'http://k'", "").kubeconfig;
    folder_.write("home/.kube/config", folder_.read("config"));
    const auto server = [&](bool is_pod, const std::string& variable, const AccessChoice& choice) {
        AccessEnvironment environment = environment_at(is_pod ? "10.0.0.1" : "");
        environment.variables.set("KUBECONFIG", variable);
        environment.variables.set("HOME", (folder_ / "home").string());
        return open(choice, environment).value().server;
    };
    EXPECT_EQ(server(true, "", {}), "https://10.0.0.1:443");
    EXPECT_EQ(server(true, named, {}), "http://k");
    EXPECT_EQ(server(true, "", {.context = "c"}), "http://k")
        << "a service account has no contexts";
    EXPECT_EQ(server(true, named, {.kubeconfig = "in-cluster"}), "https://10.0.0.1:443");
    EXPECT_EQ(server(false, named, {}), "http://k");
    EXPECT_EQ(server(false, "", {}), "http://k") << "~/.kube/config";
    EXPECT_EQ(server(false, "", {.kubeconfig = named}), "http://k");
}

TEST_F(AccessTest, RunsAnExecPluginWithClusterInfo) {
    folder_.script("login",
                   "echo \"$KUBERNETES_EXEC_INFO\" > \"$FOLDER/info\"\n"
                   "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":"
                   "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"e\"}}'");
    AccessEnvironment environment = environment_at();
    environment.variables.set("FOLDER", (folder_ / ".").string());
    const auto access =
        open(kubeconfig("server: 'https://api'",
                        "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, "
                        "interactiveMode: IfAvailable, provideClusterInfo: true}"),
             environment);
    ASSERT_TRUE(access) << access.error();
    EXPECT_EQ(authorization(*access), "Bearer e");
    EXPECT_THAT(folder_.read("info"), HasSubstr(R"("cluster":{"server":"https://api"})"));
}

TEST_F(AccessTest, RejectsAKubeconfigWithMissingFiles) {
    const std::string server = "server: 'https://api'";
    EXPECT_THAT(open(kubeconfig(server + ", certificate-authority: none", ""), environment_at())
                    .error()
                    .message,
                HasSubstr("certificate authority: " + (folder_ / "none").string()));
    EXPECT_THAT(open(kubeconfig(server, "client-certificate: a, client-key: b"), environment_at())
                    .error()
                    .message,
                HasSubstr("client certificate: " + (folder_ / "a").string()));
    EXPECT_THAT(open(kubeconfig(server, "tokenFile: none"), environment_at()).error().message,
                HasSubstr("token: " + (folder_ / "none").string()));
}

TEST_F(AccessTest, ReloadsCertificateAuthoritiesWithinFiveMinutes) {
    const auto file = folder_.write("ca", certificate + "1");
    std::vector<std::string> seen, errors;
    auto watch = std::make_unique<CaWatch>(
        virtual_.loop, file, certificate + "1", [&](const std::string& ca) { seen.push_back(ca); },
        [&](const Error& error) { errors.push_back(error.message); });
    virtual_.loop.advance(minutes(5));
    EXPECT_THAT(seen, IsEmpty());
    folder_.write("ca", certificate + "2");
    virtual_.loop.advance(seconds(299));
    EXPECT_THAT(seen, IsEmpty());
    virtual_.loop.advance(seconds(1));
    EXPECT_THAT(seen, ElementsAre(certificate + "2"));
    folder_.write("ca", "partial");
    virtual_.loop.advance(minutes(5));
    EXPECT_THAT(errors, ElementsAre(HasSubstr("ca: contains no PEM certificate")));
    folder_.write("ca", certificate + "3");
    watch.reset();
    virtual_.loop.advance(minutes(10));
    EXPECT_EQ(seen.size(), 1u);
}

}  // namespace
}  // namespace capstan::kubernetes::client
