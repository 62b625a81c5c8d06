#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/completion_condition.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/read.hpp>

#include "gzipped_zeros.hpp"
#include "http2_server.hpp"
#include "io/curl_http_client.hpp"
#include "tls_server.hpp"

namespace capstan::io {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct CurlTlsTest : testing::Test {
    TestAuthority authority;
    boost::asio::io_context io;
    std::unique_ptr<CurlHttpClient> client;

    void connect_with(TlsOptions tls, std::string proxy = "") {
        client = std::make_unique<CurlHttpClient>(
            io, CurlHttpClient::Options{.tls = std::move(tls), .proxy = std::move(proxy)});
    }
    TlsOptions trusting() const { return {.ca_pem = authority.pem()}; }
    TlsOptions identified_as(const TestIdentity& identity) const {
        return {.ca_pem = authority.pem(),
                .certificate_pem = identity.certificate_pem(),
                .key_pem = identity.key_pem()};
    }
    template <class Condition>
    void run_until(Condition condition) {
        io.restart();
        const auto work = boost::asio::make_work_guard(io);
        for (int i = 0; i < 400 && !condition(); ++i) io.run_one_for(50ms);
        ASSERT_TRUE(condition());
    }
    Result<HttpReply> get(const std::string& url) {
        std::optional<Result<HttpReply>> result;
        client->send(HttpRequest("GET", url).within(20s),
                     [&](Result<HttpReply> reply) { result = std::move(reply); });
        run_until([&] { return result.has_value(); });
        return *result;
    }
    std::string body(const std::string& url) {
        const auto reply = get(url);
        return reply ? reply->body : reply.error().message;
    }
    ~CurlTlsTest() override {
        client = nullptr;
        io.restart();
        io.run();
    }
};

TEST_F(CurlTlsTest, TrustsOnlyTheGivenAuthority) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"));
    connect_with(trusting());
    EXPECT_THAT(body(server.url()), HasSubstr("client nobody"));
    connect_with({.ca_pem = TestAuthority().pem()});
    const auto distrusted = get(server.url());
    ASSERT_FALSE(distrusted);
    EXPECT_EQ(distrusted.error().code, ErrorCode::unavailable);
    EXPECT_EQ(distrusted.error().provider_code, untrusted_certificate);
    EXPECT_THAT(distrusted.error().message,
                StartsWith("HTTP GET " + server.url() + ": SSL certificate problem: "));
    connect_with({});
    EXPECT_EQ(get(server.url()).error().code, ErrorCode::unavailable)
        << "trusts the system's authorities";
}

/// Sends these bytes after the first data it receives and closes the connection, like a plain HTTP
/// server that receives a TLS handshake, or a TLS server that receives a plain request.
class FixedReplyServer final : public LoopbackServer {
public:
    explicit FixedReplyServer(std::string answer) : answer_(std::move(answer)) { start(); }
    ~FixedReplyServer() override { stop(); }

protected:
    void serve(Socket& socket) override {
        boost::asio::streambuf buffer;
        boost::system::error_code error;
        boost::asio::read(socket, buffer, boost::asio::transfer_at_least(1), error);
        boost::asio::write(socket, boost::asio::buffer(answer_), error);
        socket.shutdown(Socket::shutdown_both, error);
    }

private:
    const std::string answer_;
};

TEST_F(CurlTlsTest, ReportsAServerWithoutTls) {
    const FixedReplyServer server("HTTP/1.1 400 Bad Request\r\n\r\n");
    connect_with(trusting());
    EXPECT_THAT(body("https://127.0.0.1:" + server.port() + "/version"),
                HasSubstr("/version: the server does not use TLS; try http:// ("));
}

TEST_F(CurlTlsTest, SuggestsHttpsIfAPlainRequestFails) {
    // A TLS alert, or no data.
    for (const char* const answer : {"\x15\x03\x01\x02\x02\x16", ""}) {
        const FixedReplyServer server(answer);
        connect_with(trusting());
        EXPECT_THAT(body("http://127.0.0.1:" + server.port() + "/version"),
                    HasSubstr("; the server may require TLS: try https://"))
            << answer;
    }
}

TEST_F(CurlTlsTest, TrustsEachAuthorityOfABundle) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"));
    connect_with({.ca_pem = TestAuthority().pem() + authority.pem()});
    EXPECT_THAT(body(server.url()), HasSubstr("client nobody"));
}

TEST_F(CurlTlsTest, PresentsAClientCertificateFromMemory) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"), authority.pem());
    connect_with(identified_as(authority.issue("admin")));
    EXPECT_THAT(body(server.url()), HasSubstr("client admin"));
}

TEST_F(CurlTlsTest, IsRefusedWithoutATrustedClientCertificate) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"), authority.pem());
    connect_with(trusting());
    EXPECT_EQ(get(server.url()).error().code, ErrorCode::unavailable);
    connect_with(identified_as(TestAuthority().issue("admin")));
    EXPECT_EQ(get(server.url()).error().code, ErrorCode::unavailable);
}

TEST_F(CurlTlsTest, KeepsAMismatchedKeyOutOfTheError) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"), authority.pem());
    TlsOptions wrong = identified_as(authority.issue("admin"));
    wrong.key_pem = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n";
    connect_with(wrong);
    EXPECT_EQ(get(server.url()).error().code, ErrorCode::unavailable);
    EXPECT_THAT(body(server.url()), Not(HasSubstr("secret")));
}

TEST_F(CurlTlsTest, ChecksTheHostNameOfTheServerCertificate) {
    const TlsServer server(authority.issue("server", "DNS:api.test"));
    connect_with(trusting());
    EXPECT_EQ(get(server.url()).error().code, ErrorCode::unavailable);
    TlsOptions lenient = trusting();
    lenient.verify = false;
    connect_with(lenient);
    EXPECT_THAT(body(server.url()), HasSubstr("client nobody"));
}

TEST_F(CurlTlsTest, ChecksServerNameIfItIsSet) {
    const TlsServer server(authority.issue("server", "DNS:api.test"));
    TlsOptions named = trusting();
    named.server_name = "api.test";
    connect_with(named);
    EXPECT_EQ(body(server.url("/a?b=c")),
              "sni api.test, client nobody, host 127.0.0.1:" + server.port());
    EXPECT_EQ(body("HTTPS" + server.url().substr(5)),
              "sni api.test, client nobody, host 127.0.0.1:" + server.port());
    named.server_name = "other.test";
    connect_with(named);
    EXPECT_EQ(get(server.url()).error().code, ErrorCode::unavailable);
}

TEST_F(CurlTlsTest, UsesHttp2IfTheServerSupportsIt) {
    const Http2Server server(authority.issue("server", "IP:127.0.0.1"));
    connect_with(trusting());
    EXPECT_EQ(body(server.url()), "HTTP/2 stream 1");
    EXPECT_EQ(body(server.url()), "HTTP/2 stream 3");
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(CurlTlsTest, RetriesAStreamOverHttp1IfHttp2DeliversTooMuchAtOnce) {
    const Http2Server server(authority.issue("server", "IP:127.0.0.1"),
                             {.packed = gzipped_zeros(128u << 20)});
    client = std::make_unique<CurlHttpClient>(
        io, CurlHttpClient::Options{.tls = trusting(), .gzip = true});
    std::size_t bytes = 0, most = 0;
    std::optional<Result<HttpReply>> ended;
    client->stream(HttpRequest("GET", server.url()).within(20s),
                   {{}, [&](std::string_view part) { bytes += part.size(); }},
                   [&](Result<HttpReply> reply) { ended = std::move(reply); });
    io.restart();
    const auto work = boost::asio::make_work_guard(io);
    while (!ended) {
        const std::size_t before = bytes;
        ASSERT_GT(io.run_one_for(20s), 0u) << bytes;
        most = std::max(most, bytes - before);
    }
    EXPECT_LE(most, 300u << 10) << "in one turn";
    EXPECT_EQ(ended->error().code, ErrorCode::unavailable);
    EXPECT_THAT(ended->error().message, HasSubstr("retrying over HTTP/1.1"));
}

TEST_F(CurlTlsTest, SharesOneHttp2ConnectionBetweenConcurrentRequests) {
    const Http2Server server(authority.issue("server", "IP:127.0.0.1"));
    connect_with(trusting());
    std::vector<std::string> bodies;
    for (const char* const method : {"GET", "POST", "PATCH"}) {
        client->send(HttpRequest(method, server.url()).with_body("{}").within(20s),
                     [&](Result<HttpReply> reply) {
                         bodies.push_back(reply ? reply->body : reply.error().message);
                     });
    }
    run_until([&] { return bodies.size() == 3; });
    EXPECT_THAT(bodies, testing::UnorderedElementsAre("HTTP/2 stream 1", "HTTP/2 stream 3",
                                                      "HTTP/2 stream 5"));
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(CurlTlsTest, ConnectsThroughTheGivenProxy) {
    const TlsServer server(authority.issue("server", "DNS:far.test"));
    const TunnelProxy proxy(server.port());
    connect_with(trusting(), proxy.url("user:pass@"));
    EXPECT_EQ(body("https://far.test:7443/"), "sni far.test, client nobody, host far.test:7443");
    EXPECT_THAT(proxy.heads(), HasSubstr("CONNECT far.test:7443 HTTP/1.1\r\n"));
    EXPECT_THAT(proxy.heads(), HasSubstr("Proxy-Authorization: Basic dXNlcjpwYXNz\r\n"));
}

TEST_F(CurlTlsTest, AsksTheProxyForTheUrlsHostNotForServerName) {
    const TlsServer server(authority.issue("server", "DNS:api.test"));
    const TunnelProxy proxy(server.port());
    TlsOptions named = trusting();
    named.server_name = "api.test";
    connect_with(named, proxy.url());
    EXPECT_EQ(body("https://far.test/"), "sni api.test, client nobody, host far.test");
    EXPECT_THAT(proxy.heads(), HasSubstr("CONNECT far.test:443 HTTP/1.1\r\n"));
}

TEST_F(CurlTlsTest, RefusesAnUnsupportedProxyScheme) {
    connect_with(trusting(), "ftp://user:secret@proxy.test");
    const Error error = get("https://far.test/").error();
    EXPECT_EQ(error.code, ErrorCode::invalid_config);
    EXPECT_THAT(error.message, Not(HasSubstr("secret")));
}

TEST_F(CurlTlsTest, UsesARenewedCertificateAndClosesTheOldConnection) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"), authority.pem());
    const TestIdentity before = authority.issue("before");
    connect_with(identified_as(before));
    EXPECT_THAT(body(server.url()), HasSubstr("client before"));
    client->set_tls(identified_as(before));
    EXPECT_THAT(body(server.url()), HasSubstr("client before"));
    EXPECT_EQ(server.connections(), 1) << "nothing was renewed";
    client->set_tls(identified_as(authority.issue("after")));
    EXPECT_THAT(body(server.url()), HasSubstr("client after"));
    run_until([&] { return server.open() == 1; });
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(CurlTlsTest, EndsStreamsOfAReplacedCertificate) {
    const TlsServer server(authority.issue("server", "IP:127.0.0.1"), authority.pem());
    TlsOptions tls = identified_as(authority.issue("before"));
    connect_with(tls);
    std::string seen;
    std::optional<Result<HttpReply>> ended;
    client->stream(HttpRequest("GET", server.url("/watch")),
                   {{}, [&](std::string_view part) { seen += part; }},
                   [&](Result<HttpReply> reply) { ended = std::move(reply); });
    run_until([&] { return !seen.empty(); });
    tls.ca_pem += TestAuthority().pem();
    client->set_tls(tls);
    EXPECT_THAT(body(server.url()), HasSubstr("client before"));
    EXPECT_FALSE(ended) << "a new CA bundle does not end open streams";
    EXPECT_EQ(server.open(), 2);
    // The stream's connection was already retired by an earlier change.
    client->set_tls(identified_as(authority.issue("after")));
    run_until([&] { return ended.has_value(); });
    EXPECT_EQ(ended->error().code, ErrorCode::unavailable);
    EXPECT_EQ(ended->error().provider_code, connection_lost);
    run_until([&] { return server.open() == 0; });
}

}  // namespace
}  // namespace capstan::io
