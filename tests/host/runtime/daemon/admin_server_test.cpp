#include "runtime/daemon/admin_server.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "../../io/test_certificates.hpp"
#include "io/curl_http_client.hpp"
#include "runtime/plugin_bytes.hpp"

namespace capstan::runtime {
namespace {

using ::testing::HasSubstr;

/// The admin port on loopback, asked over the network.
struct AdminPort : ::testing::Test {
    TemporaryFolder folder;
    boost::asio::io_context io;
    Admin config;
    std::string ca_pem;
    std::unique_ptr<io::HttpServer> server;

    std::string file(const char* name, const std::string& text) const {
        const std::filesystem::path path = folder.path() / name;
        std::ofstream(path) << text;
        return path.string();
    }
    void SetUp() override { config.listen = "127.0.0.1:0"; }
    Result<void> serve() {
        AdminSources sources;
        sources.metrics = [] { return "up 1\n"; };
        sources.complaint = sources.stuck = sources.unready = [] { return std::string(); };
        CAPSTAN_TRY(server, serve_admin(config, io, std::move(sources)));
        return {};
    }
    Result<HttpReply> get(const std::string& path, const std::string& token = "") {
        io::CurlHttpClient client(io, {.tls = {.ca_pem = ca_pem}});
        const char* const scheme = ca_pem.empty() ? "http" : "https";
        HttpRequest request(
            "GET", std::string(scheme) + "://127.0.0.1:" + std::to_string(server->port()) + path);
        if (!token.empty()) request.header("authorization", "Bearer " + token);
        std::optional<Result<HttpReply>> out;
        client.send(std::move(request), [&](Result<HttpReply> reply) {
            out = std::move(reply);
            io.stop();
        });
        io.restart();
        io.run();
        return *std::move(out);
    }
    int status(const std::string& path, const std::string& token = "") {
        const auto reply = get(path, token);
        return reply ? reply->status : 0;
    }
};

TEST_F(AdminPort, AnswersEverybodyWhereNoTokenIsAskedFor) {
    ASSERT_TRUE(serve());
    EXPECT_EQ(get("/metrics").value().body, "up 1\n");
    EXPECT_EQ(status("/nowhere"), 404);
}

TEST_F(AdminPort, AnswersThoseWithTheTokenAndProbes) {
    config.bearer_token_file = file("token", "s3cret\n");
    ASSERT_TRUE(serve());
    EXPECT_EQ(status("/metrics"), 401);
    EXPECT_EQ(status("/metrics", "another"), 401);
    EXPECT_EQ(status("/metrics", "s3cret"), 200);
    EXPECT_EQ(status("/api/v1/config"), 401);
    for (const char* probe : {"/livez", "/readyz", "/health-check"})
        EXPECT_EQ(status(probe), 200) << probe;
}

TEST_F(AdminPort, SpeaksTlsWithTheCertificateOfTheFiles) {
    const io::TestAuthority authority;
    const io::TestIdentity own = authority.issue("admin", "IP:127.0.0.1");
    config.tls_certificate_file = file("cert.pem", own.certificate_pem());
    config.tls_key_file = file("key.pem", own.key_pem());
    ASSERT_TRUE(serve());
    ca_pem = authority.pem();
    EXPECT_EQ(get("/metrics").value().body, "up 1\n");
    ca_pem = io::TestAuthority().pem();
    EXPECT_FALSE(get("/metrics"));
}

TEST_F(AdminPort, DoesNotOpenWithoutWhatItWasToldToAskFor) {
    config.bearer_token_file = (folder.path() / "none").string();
    EXPECT_THAT(serve().error().message, HasSubstr("admin.bearer_token_file"));
    config.bearer_token_file = file("blank", "\n");
    EXPECT_THAT(serve().error().message, HasSubstr("has no token"));
    config.bearer_token_file.clear();
    config.tls_certificate_file = file("cert.pem", "no certificate");
    config.tls_key_file = file("key.pem", "no key");
    EXPECT_FALSE(serve());
}

TEST_F(AdminPort, IsRefusedWhereItsAddressIsTaken) {
    ASSERT_TRUE(serve());
    config.listen = "127.0.0.1:" + std::to_string(server->port());
    const auto first = std::move(server);
    EXPECT_EQ(serve().error().code, ErrorCode::unavailable);
}

TEST_F(AdminPort, IsNoneWithoutAnAddress) {
    config.listen = "";
    ASSERT_TRUE(serve());
    EXPECT_EQ(server, nullptr);
}

}  // namespace
}  // namespace capstan::runtime
