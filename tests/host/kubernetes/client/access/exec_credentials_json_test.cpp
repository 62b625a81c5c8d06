#include "kubernetes/client/access/exec_credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "../../../io/test_certificates.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::HasSubstr;

const std::string v1 = "client.authentication.k8s.io/v1";

std::string output_with(const std::string& status) {
    return R"({"kind":"ExecCredential","apiVersion":")" + v1 + R"(","status":)" + status + "}";
}

TEST(ExecInfo, ContainsTheVersionAndIsNotInteractive) {
    EXPECT_EQ(exec_info({.api_version = v1}, {.server = "https://api"}),
              R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
              R"("spec":{"interactive":false}})");
}

TEST(ExecInfo, ContainsTheClusterIfRequested) {
    const ExecCluster cluster{.server = "https://api",
                              .tls_server_name = "kubernetes",
                              .insecure_skip_tls_verify = true,
                              .ca_pem = "foo",
                              .proxy_url = "http://proxy",
                              .disable_compression = true,
                              .config = boost::json::object{{"audience", "x"}}};
    const std::string info = exec_info({.api_version = v1, .provides_cluster_info = true}, cluster);
    EXPECT_THAT(info, HasSubstr(R"("cluster":{"server":"https://api","tls-server-name":)"
                                R"("kubernetes","insecure-skip-tls-verify":true,)"
                                R"("certificate-authority-data":"Zm9v","proxy-url":)"
                                R"("http://proxy","disable-compression":true,)"
                                R"("config":{"audience":"x"}})"));
}

TEST(ExecOutput, ContainsATokenOrACertificateAndTheirExpiry) {
    const auto token = parse_exec_answer(v1, output_with(R"({"token":"t"})"));
    ASSERT_TRUE(token) << token.error();
    EXPECT_EQ(token->token, "t");
    EXPECT_EQ(token->expires, std::nullopt);
    const io::TestIdentity identity = io::TestAuthority().issue("jane");
    const auto both =
        parse_exec_answer(v1, output_with(boost::json::serialize(boost::json::object{
                                  {"token", "t"},
                                  {"expirationTimestamp", "1970-01-01T00:01:00Z"},
                                  {"clientCertificateData", identity.certificate_pem()},
                                  {"clientKeyData", identity.key_pem()}})));
    ASSERT_TRUE(both) << both.error();
    EXPECT_EQ(both->certificate_pem, identity.certificate_pem());
    EXPECT_EQ(both->key_pem, identity.key_pem());
    EXPECT_EQ(both->expires, Time(std::chrono::minutes(1)));
}

TEST(ExecOutput, IsRejectedWithoutBeingShown) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "printed output that is not a JSON object"},
        {"hunter2", "printed output that is not a JSON object"},
        {R"(["hunter2"])", "printed output that is not a JSON object"},
        {R"({"token":"hunter2"})", "printed JSON that is not an ExecCredential"},
        {R"({"kind":"ExecCredential","apiVersion":"hunter2"})",
         "printed an ExecCredential whose version is not " + v1 + ", as the kubeconfig requires"},
        {output_with("null"), "printed no status"},
        {output_with("{}"), "printed neither a token nor a client certificate"},
        {output_with(R"({"token":""})"), "printed neither a token nor a client certificate"},
        {output_with(R"({"token":["hunter2"]})"), "printed a status whose token is not text"},
        {output_with(R"({"token":"hunter2\r\nx: y"})"),
         "printed a token with blanks or characters outside ASCII"},
        {output_with(R"({"token":"t","clientKeyData":"hunter2"})"),
         "printed only one of clientCertificateData and clientKeyData"},
        {output_with(R"({"clientCertificateData":"hunter2","clientKeyData":"hunter2"})"),
         "printed an unusable key pair: the client certificate cannot be read"},
        {output_with(R"({"token":"hunter2","expirationTimestamp":"hunter2"})"),
         "printed an expirationTimestamp that is not an RFC 3339 time"}};
    for (const auto& [output, why] : cases) {
        const auto refused = parse_exec_answer(v1, output);
        ASSERT_FALSE(refused) << output;
        EXPECT_EQ(refused.error().message, why);
    }
}

}  // namespace
}  // namespace capstan::kubernetes::client
