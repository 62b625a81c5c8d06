#include <cstdint>
#include <string>
#include <tuple>

#include "curl_client_fixture.hpp"
#include "http2_server.hpp"
#include "tls_server.hpp"

namespace capstan::io {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

/// Requests with flags of capstan_http_request.
struct CurlFlagsTest : CurlHttpClientTest {
    TestAuthority authority;

    void connect_with(CurlHttpClient::Options options) {
        client = std::make_unique<CurlHttpClient>(io, std::move(options));
    }
    void trust_authority() { connect_with({.tls = {.ca_pem = authority.pem()}}); }
};

TEST_F(CurlFlagsTest, ReturnsTrailersOverHttp2WithAClientCertificate) {
    const Http2Server server2(authority.issue("server", "IP:127.0.0.1"),
                              {.client_ca = authority.pem(), .has_trailers = true});
    const TestIdentity who = authority.issue("plugin");
    connect_with({.tls = {.ca_pem = authority.pem(),
                          .certificate_pem = who.certificate_pem(),
                          .key_pem = who.key_pem()}});
    const HttpReply reply =
        get(HttpRequest("POST", server2.url()).with_body("ask").http2()).value();
    EXPECT_EQ(reply.body, "HTTP/2 stream 1");
    EXPECT_THAT(reply.trailers, ElementsAre(Pair("grpc-status", "0")));
    EXPECT_EQ(reply.trailer("grpc-status"), "0");
    EXPECT_EQ(reply.header("grpc-status"), "") << "it is a trailer";
}

TEST_F(CurlFlagsTest, SeparatesChunkedTrailersFromHeaders) {
    server.answer("/",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Head: a\r\n\r\n"
                  "3\r\none\r\n0\r\nX-Sum: 7\r\n\r\n");
    const HttpReply reply = get(HttpRequest("GET", server.url("/"))).value();
    EXPECT_EQ(reply.body, "one");
    EXPECT_EQ(reply.header("x-head"), "a");
    EXPECT_THAT(reply.trailers, ElementsAre(Pair("x-sum", "7")));
}

TEST_F(CurlFlagsTest, SendsNothingToAServerWithoutRequiredHttp2) {
    const TlsServer http1(authority.issue("server", "IP:127.0.0.1"));
    trust_authority();
    const Error error = get(HttpRequest("POST", http1.url("/a?token=secret")).http2()).error();
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.provider_code, "") << "the server cannot have executed it";
    EXPECT_THAT(error.message, AllOf(HasSubstr("/a: the server does not support HTTP/2 over TLS"),
                                     Not(HasSubstr("secret"))));
    EXPECT_EQ(http1.requests(), 0);
    EXPECT_TRUE(get(HttpRequest("GET", http1.url()))) << "without the flag";
    EXPECT_FALSE(get(HttpRequest("GET", http1.url()).http2())) << "over a kept connection";
}

TEST_F(CurlFlagsTest, ReusesAnHttp2Connection) {
    const Http2Server server2(authority.issue("server", "IP:127.0.0.1"));
    trust_authority();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(get(HttpRequest("GET", server2.url()).http2()));
    EXPECT_EQ(server2.connections(), 1);
}

TEST_F(CurlFlagsTest, RunsManyPriorKnowledgeRequestsOverNewConnections) {
    const Http2Server plain(Http2Options{.has_trailers = true});
    for (int i = 0; i < 200; ++i)
        client->send(HttpRequest("POST", plain.url()).with_body("ask").http2_prior_knowledge(),
                     keep());
    run_until(200);
    for (const auto& reply : replies) {
        ASSERT_TRUE(reply) << reply.error();
        EXPECT_EQ(reply->body, "HTTP/2 stream 1");
        EXPECT_EQ(reply->trailer("grpc-status"), "0");
    }
    EXPECT_EQ(plain.connections(), 200);
}

TEST_F(CurlFlagsTest, ReportsAServerWithoutPriorKnowledgeHttp2) {
    server.answer("*", reply_with("", "HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_EQ(
        get(HttpRequest("GET", server.url("/")).http2_prior_knowledge().within(2s)).error().code,
        ErrorCode::unavailable);
}

TEST_F(CurlFlagsTest, BypassesTheProxyIfDirectIsSet) {
    const TunnelProxy proxy(std::to_string(1));
    connect_with({.proxy = proxy.url()});
    server.answer("/", reply_with("metadata"));
    EXPECT_EQ(get(HttpRequest("GET", server.url("/")).direct()).value().body, "metadata");
    EXPECT_EQ(proxy.heads(), "");
    std::ignore = get(HttpRequest("GET", server.url("/")));
    EXPECT_THAT(proxy.heads(), HasSubstr("GET http://127.0.0.1:"));
}

TEST_F(CurlFlagsTest, KeepsThePathUnchangedIfPathAsIsIsSet) {
    server.answer("/a/../b/./c", reply_with("as is"));
    server.answer("/b/c", reply_with("shortened"));
    EXPECT_EQ(get(HttpRequest("GET", server.url("/a/../b/./c")).path_as_is()).value().body,
              "as is");
    EXPECT_EQ(get(HttpRequest("GET", server.url("/a/../b/./c"))).value().body, "shortened");
}

TEST_F(CurlFlagsTest, RefusesFlagsThatDoNotFitTheUrl) {
    const struct {
        const char* url;
        std::uint64_t flags;
        const char* sentence;
    } cases[] = {
        {"http://127.0.0.1/", CAPSTAN_HTTP_2, "CAPSTAN_HTTP_2 requires https"},
        {"https://127.0.0.1/", CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE,
         "CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE requires http"},
        {"HTTPS://127.0.0.1/", CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE,
         "CAPSTAN_HTTP_2_PRIOR_KNOWLEDGE requires http"},
        {"https://127.0.0.1/", std::uint64_t{1} << 40 | CAPSTAN_HTTP_DIRECT,
         "unknown flags 1099511627776"},
    };
    for (const auto& [url, flags, sentence] : cases) {
        HttpRequest request("GET", url);
        request.flags = flags;
        const Error error = get(std::move(request)).error();
        EXPECT_EQ(error.code, ErrorCode::invalid_argument) << url << " " << flags;
        EXPECT_THAT(error.message, HasSubstr(sentence));
    }
}

}  // namespace
}  // namespace capstan::io
