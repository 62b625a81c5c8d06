#include "io/curl_http_client.hpp"

#include "curl_client_fixture.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace capstan::io {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(CurlHttpClientTest, ReturnsStatusHeadersAndBody) {
    server.answer("/a?b=c", reply_with("hello"));
    const HttpReply reply = get(HttpRequest("GET", server.url("/a?b=c"))).value();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "hello");
    EXPECT_EQ(reply.header("x-mixed-case"), "value");
    EXPECT_THAT(server.requests(), HasSubstr("GET /a?b=c HTTP/1.1\r\n"));
}

TEST_F(CurlHttpClientTest, SendsMethodHeadersAndBodyUnchanged) {
    server.answer("/", reply_with(""));
    get(HttpRequest("PATCH", server.url("/"))
            .header("X-Empty", "")
            .header("Authorization", "Bearer t")
            .with_body("{\"a\":1}"))
        .value();
    const std::string sent = server.requests();
    EXPECT_THAT(sent, testing::StartsWith("PATCH / HTTP/1.1\r\n"));
    EXPECT_THAT(sent, HasSubstr("X-Empty:\r\n"));
    EXPECT_THAT(sent, HasSubstr("Authorization: Bearer t\r\n"));
    EXPECT_THAT(sent, HasSubstr("Content-Length: 7\r\n"));
    EXPECT_THAT(sent, testing::EndsWith("\r\n\r\n{\"a\":1}"));
    EXPECT_THAT(sent, Not(HasSubstr("Content-Type")));
    EXPECT_THAT(sent, Not(HasSubstr("Expect")));
}

TEST_F(CurlHttpClientTest, SendsTheLengthOfAnEmptyPostAndReadsNoBodyAfterHead) {
    server.answer("/", reply_with("", "HTTP/1.1 200 OK\r\n"));
    get(HttpRequest("POST", server.url("/"))).value();
    EXPECT_THAT(server.requests(), HasSubstr("Content-Length: 0\r\n"));
    server.answer("/head", "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n");
    EXPECT_EQ(get(HttpRequest("HEAD", server.url("/head"))).value().body, "");
}

TEST_F(CurlHttpClientTest, ReturnsEveryStatusAndFollowsNoRedirect) {
    server.answer(
        "/moved",
        reply_with("", "HTTP/1.1 302 Found\r\nLocation: " + server.url("/else") + "\r\n"));
    const HttpReply reply = get(HttpRequest("GET", server.url("/moved"))).value();
    EXPECT_EQ(reply.status, 302);
    EXPECT_EQ(reply.header("location"), server.url("/else"));
    server.answer("/gone", reply_with("why", "HTTP/1.1 500 Oops\r\n"));
    EXPECT_EQ(get(HttpRequest("GET", server.url("/gone"))).value().body, "why");
}

TEST_F(CurlHttpClientTest, KeepsOnlyTheHeadersOfTheFinalReply) {
    server.answer("/", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + reply_with("final"));
    const HttpReply reply = get(HttpRequest("GET", server.url("/"))).value();
    EXPECT_EQ(reply.header("link"), "");
    EXPECT_EQ(reply.body, "final");
}

TEST_F(CurlHttpClientTest, ReusesAConnection) {
    server.answer("/", reply_with("x"));
    for (int i = 0; i < 5; ++i) get(HttpRequest("GET", server.url("/"))).value();
    EXPECT_EQ(server.connections(), 1);
}

TEST_F(CurlHttpClientTest, RunsRequestsConcurrently) {
    for (int i = 0; i < 20; ++i) {
        const std::string path = "/" + std::to_string(i);
        server.answer(path, reply_with(std::string(50'000, 'x')));
    }
    for (int i = 0; i < 20; ++i)
        client->send(HttpRequest("GET", server.url("/" + std::to_string(i))), keep());
    run_until(20);
    for (const auto& reply : replies) EXPECT_EQ(reply.value().body.size(), 50'000u);
}

TEST_F(CurlHttpClientTest, RefusesMalformedRequests) {
    EXPECT_EQ(
        get(HttpRequest("GET", server.url("/")).header("X-A", "b\r\nX-Evil: yes")).error().code,
        ErrorCode::invalid_argument);
    EXPECT_EQ(get(HttpRequest("GET /evil", server.url("/"))).error().code,
              ErrorCode::invalid_argument);
    EXPECT_EQ(get(HttpRequest("GET", "file:///etc/passwd")).error().code,
              ErrorCode::invalid_argument);
    EXPECT_EQ(server.requests(), "");
}

TEST_F(CurlHttpClientTest, ReportsThatTheConnectionWasRefused) {
    tcp::acceptor gone(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    const std::string port = std::to_string(gone.local_endpoint().port());
    gone.close();
    const auto reply = get(HttpRequest("GET", "http://127.0.0.1:" + port + "/"));
    EXPECT_EQ(reply.error().code, ErrorCode::unavailable);
    EXPECT_THAT(reply.error().message, HasSubstr("onnect"));
}

TEST_F(CurlHttpClientTest, StreamsABodyInParts) {
    server.answer("/watch", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
    std::vector<std::string> received;
    const HttpClient::RequestId id = client->stream(
        HttpRequest("GET", server.url("/watch")).within(5s),
        {[&](const HttpReply& head) { received.push_back("head " + std::to_string(head.status)); },
         [&](std::string_view part) { received.emplace_back(part); }},
        keep());
    io.restart();
    const auto work = boost::asio::make_work_guard(io);
    while (received.size() < 2) io.run_one();
    server.push("3\r\ntwo\r\n");
    while (received.size() < 3) io.run_one();
    EXPECT_THAT(received, testing::ElementsAre("head 200", "one", "two"));
    EXPECT_TRUE(replies.empty());
    client->cancel(id);
    run_until(1);
    EXPECT_EQ(replies.at(0).error().code, ErrorCode::cancelled);
}

TEST_F(CurlHttpClientTest, EndsAStreamWithItsHeadersAndAnEmptyBody) {
    server.answer("/", reply_with(std::string(100'000, 'x')));
    std::size_t bytes = 0;
    int heads = 0;
    HttpRequest request("GET", server.url("/"));
    request.max_reply_bytes = 10;  // does not apply to streams
    client->stream(
        std::move(request),
        {[&](const HttpReply&) { ++heads; }, [&](std::string_view part) { bytes += part.size(); }},
        keep());
    run_until(1);
    EXPECT_EQ(replies.at(0).value().status, 200);
    EXPECT_EQ(replies.at(0).value().body, "");
    EXPECT_EQ(replies.at(0).value().header("x-mixed-case"), "value");
    EXPECT_EQ(heads, 1);
    EXPECT_EQ(bytes, 100'000u);
}

TEST_F(CurlHttpClientTest, AppliesNoDeadlineToAStreamAfterItsHeaders) {
    server.answer("/watch", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    bool head = false;
    const HttpClient::RequestId id =
        client->stream(HttpRequest("GET", server.url("/watch")).within(2s),
                       {[&](const HttpReply&) { head = true; }, {}}, keep());
    io.restart();
    const auto work = boost::asio::make_work_guard(io);
    while (!head && replies.empty()) io.run_one();
    // Its deadline is later than the stream's would have been.
    client->stream(HttpRequest("GET", server.url("/never")).within(2s), {}, keep());
    run_until(1);
    EXPECT_EQ(replies.at(0).error().code, ErrorCode::deadline);
    EXPECT_THAT(replies.at(0).error().message, HasSubstr("/never"));
    client->cancel(id);
    run_until(2);
    EXPECT_EQ(replies.at(1).error().code, ErrorCode::cancelled);
}

TEST_F(CurlHttpClientTest, DoesNotDelayRequestsBehindStreams) {
    client = std::make_unique<CurlHttpClient>(
        io, CurlHttpClient::Options{.max_connections_per_host = 1});
    server.answer("/watch", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    server.answer("/", reply_with("x"));
    for (int i = 0; i < 20; ++i)
        client->stream(HttpRequest("GET", server.url("/watch")), {}, keep());
    EXPECT_EQ(get(HttpRequest("GET", server.url("/"))).value().body, "x");
}

TEST_F(CurlHttpClientTest, ReportsALostConnection) {
    server.answer("/lost-in-the-middle", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    for (const char* const path : {"/lost", "/lost-in-the-middle"}) {
        const Error error = get(HttpRequest("GET", server.url(path))).error();
        EXPECT_EQ(error.code, ErrorCode::unavailable);
        EXPECT_EQ(error.provider_code, connection_lost) << path;
    }
}

TEST_F(CurlHttpClientTest, NeverShowsThePasswordOfAProxy) {
    for (const char* const login : {"u:top secret", "u:top@secret", "u:secret\n", "u:secret%zz",
                                    "u:[secret", "u:secret/x", "secret@secret:secret"}) {
        client = std::make_unique<CurlHttpClient>(
            io, CurlHttpClient::Options{.proxy = "http://" + std::string(login) + "@127.0.0.1:1"});
        const auto reply = get(HttpRequest("GET", "https://api.test/"));
        ASSERT_FALSE(reply);
        EXPECT_THAT(reply.error().message, Not(HasSubstr("secret"))) << login;
    }
}

TEST_F(CurlHttpClientTest, NamesTheUnreachableProxyAndTheServerBehindIt) {
    const std::pair<const char*, const char*> cases[] = {
        {"http://user:secret@127.0.0.1:1", "http://127.0.0.1:1"},
        {"https://user:secret@127.0.0.1:1", "https://127.0.0.1:1"},
        {"socks5://user:secret@127.0.0.1:1", "socks5h://127.0.0.1:1"},
    };
    for (const auto& [proxy, named] : cases) {
        client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.proxy = proxy});
        const Error error = get(HttpRequest("GET", "https://api.test:6443/version")).error();
        EXPECT_EQ(error.code, ErrorCode::unavailable);
        EXPECT_THAT(error.message,
                    StartsWith("HTTP GET https://api.test:6443/version through proxy " +
                               std::string(named) + ": "));
        EXPECT_THAT(error.message, AllOf(Not(HasSubstr("user")), Not(HasSubstr("secret"))));
    }
}

TEST_F(CurlHttpClientTest, DoesNotReportALostConnectionIfAProxyRefuses) {
    client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.proxy = server.url("")});
    server.answer("api.test:443", reply_with("", "HTTP/1.1 407 Who are you\r\n"));
    const Error error = get(HttpRequest("POST", "https://api.test/")).error();
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.provider_code, "") << "nothing of it can have been carried out";
    EXPECT_THAT(error.message, HasSubstr("407"));
}

/// Counts the requests that reach a server that closes a kept connection after reading the next
/// request.
struct CurlKeptConnectionTest : CurlHttpClientTest {
    int count_sent(HttpRequest request) {
        server.answer("/", reply_with(""));
        get(HttpRequest("GET", server.url("/"))).value();
        const std::string line = request.method + " /lost ";
        request.url = server.url("/lost");
        const Error error = get(std::move(request)).error();
        EXPECT_EQ(error.code, ErrorCode::unavailable) << line;
        EXPECT_EQ(error.provider_code, connection_lost) << line;
        messages += error.message + "\n";
        int count = 0;
        const std::string seen = server.requests();
        for (std::size_t at = seen.find(line); at != std::string::npos;
             at = seen.find(line, at + 1))
            ++count;
        return count;
    }
    std::string messages;
};

TEST_F(CurlKeptConnectionTest, SendsAChangingRequestOnce) {
    EXPECT_EQ(count_sent(HttpRequest("POST", "").with_body("Action=TerminateInstances")), 1);
    EXPECT_EQ(count_sent(HttpRequest("PATCH", "").with_body(std::string(200'000, 'x'))), 1);
    EXPECT_EQ(count_sent(HttpRequest("PUT", "").with_body("{}")), 1);
    EXPECT_EQ(count_sent(HttpRequest("DELETE", "")), 1);
    EXPECT_THAT(messages, HasSubstr("/lost: the connection was lost before a response"));
}

TEST_F(CurlKeptConnectionTest, SendsAChangingRequestWithoutBodyOnce) {
    EXPECT_EQ(count_sent(HttpRequest("POST", "")), 1);
}

TEST_F(CurlKeptConnectionTest, RetriesARequestThatOnlyReads) {
    EXPECT_EQ(count_sent(HttpRequest("GET", "")), 2);
}

TEST_F(CurlHttpClientTest, DecompressesRepliesIfGzipIsOn) {
    const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                    0xab, 0x56, 0xca, 0xce, 0xcc, 0x4b, 0x51, 0xb2, 0x52, 0xf2,
                                    0xcb, 0x4f, 0x49, 0xf5, 0xc9, 0x2c, 0x2e, 0x51, 0xaa, 0x05,
                                    0x00, 0xf3, 0x44, 0x4c, 0x7a, 0x13, 0x00, 0x00, 0x00};
    server.answer("/", reply_with({std::begin(packed), std::end(packed)},
                                  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"));
    EXPECT_NE(get(HttpRequest("GET", server.url("/"))).value().body, "{\"kind\":\"NodeList\"}");
    EXPECT_THAT(server.requests(), Not(HasSubstr("Accept-Encoding")));
    client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.gzip = true});
    EXPECT_EQ(get(HttpRequest("GET", server.url("/"))).value().body, "{\"kind\":\"NodeList\"}");
    EXPECT_THAT(server.requests(), HasSubstr("Accept-Encoding: gzip\r\n"));
}

}  // namespace
}  // namespace capstan::io
