#include "curl_client_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "gzipped_zeros.hpp"

namespace capstan::io {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string gzip_reply(std::size_t size) {
    return reply_with(gzipped_zeros(size), "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n");
}

HttpRequest limited(std::string url, std::uint64_t bytes) {
    HttpRequest request("GET", std::move(url));
    request.max_reply_bytes = bytes;
    return request;
}

TEST_F(CurlHttpClientTest, EndsARequestAtItsDeadline) {
    const auto reply = get(HttpRequest("GET", server.url("/never")).within(30ms));
    EXPECT_EQ(reply.error().code, ErrorCode::deadline);
    EXPECT_THAT(reply.error().message, HasSubstr("HTTP GET " + server.url("/never") + ": "));
}

TEST_F(CurlHttpClientTest, RetiresConnectionsAfterAnUnansweredRequest) {
    client = std::make_unique<CurlHttpClient>(
        io, CurlHttpClient::Options{.retire_unanswered_after = 20ms});
    server.answer("/", reply_with("x"));
    client->send(HttpRequest("GET", server.url("/")), keep());
    client->send(HttpRequest("GET", server.url("/")), keep());
    run_until(2);  // over two connections, which stay open
    std::ignore = get(HttpRequest("GET", server.url("/never")).within(30ms));
    EXPECT_EQ(get(HttpRequest("GET", server.url("/"))).value().body, "x");
    EXPECT_EQ(server.connections(), 3);
}

TEST_F(CurlHttpClientTest, KeepsConnectionsAfterAnEarlyCancellation) {
    server.answer("/", reply_with("x"));
    client->send(HttpRequest("GET", server.url("/")), keep());
    client->send(HttpRequest("GET", server.url("/")), keep());
    run_until(2);
    client->cancel(client->send(HttpRequest("GET", server.url("/never")), keep()));
    run_until(3);
    EXPECT_EQ(get(HttpRequest("GET", server.url("/"))).value().body, "x");
    EXPECT_EQ(server.connections(), 2);
}

TEST_F(CurlHttpClientTest, EndsACancelledRequest) {
    const HttpClient::RequestId id =
        client->send(HttpRequest("GET", server.url("/never?token=secret")), keep());
    client->send(HttpRequest("GET", server.url("/never")).within(20ms), keep());
    run_until(1);  // both are running
    client->cancel(id);
    client->cancel(id);
    client->cancel(4711);
    run_until(2);
    EXPECT_EQ(replies.at(1).error().code, ErrorCode::cancelled);
    EXPECT_THAT(replies.at(1).error().message, Not(HasSubstr("secret")));
}

TEST_F(CurlHttpClientTest, CancelsRequestsWhenItIsDestroyed) {
    client->send(HttpRequest("GET", server.url("/never")), keep());
    client->send(HttpRequest("GET", server.url("/never")).within(20ms), keep());
    run_until(1);
    client = nullptr;
    run_until(2);
    EXPECT_EQ(replies.at(1).error().code, ErrorCode::cancelled);
}

TEST_F(CurlHttpClientTest, RefusesALongerReplyThanAllowed) {
    server.answer("/announced", reply_with(std::string(1001, 'x')));
    EXPECT_EQ(get(limited(server.url("/announced"), 1000)).error().code, ErrorCode::quota);
    server.answer("/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                                  std::string(1001, 'x') + "\r\n0\r\n\r\n");
    const auto reply = get(limited(server.url("/chunked"), 1000));
    EXPECT_EQ(reply.error().code, ErrorCode::quota);
    EXPECT_THAT(reply.error().message, HasSubstr("the response has more than 1000 bytes"));
    EXPECT_EQ(get(limited(server.url("/chunked"), 1001)).value().body.size(), 1001u);
}

TEST_F(CurlHttpClientTest, RefusesTooManyHeaders) {
    std::string flood = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 300; ++i)
        flood += "X-" + std::to_string(i) + ": " + std::string(1000, 'x') + "\r\n";
    server.answer("/", flood + "Content-Length: 0\r\n\r\n");
    server.answer("/long", "HTTP/1.1 200 OK\r\nX: " + std::string(120 << 10, 'x') +
                               "\r\nContent-Length: 0\r\n\r\n");
    for (const char* const path : {"/", "/long"}) {
        const Error error = get(HttpRequest("GET", server.url(path))).error();
        EXPECT_EQ(error.code, ErrorCode::quota) << path;
        EXPECT_THAT(error.message, HasSubstr("response headers are too long")) << path;
    }
}

TEST_F(CurlHttpClientTest, RefusesAReplyThatDecompressesToMoreThanAllowed) {
    client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.gzip = true});
    server.answer("/", gzip_reply(32u << 20));
    const auto reply = get(limited(server.url("/"), 1u << 20));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::quota);
    EXPECT_THAT(reply.error().message, HasSubstr("the response has more than 1048576 bytes"));
}

TEST_F(CurlHttpClientTest, YieldsToOtherWorkWhileAStreamDecompresses) {
    constexpr std::size_t size = 48u << 20;
    client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.gzip = true});
    server.answer("/", gzip_reply(size));
    std::size_t bytes = 0, most = 0;
    client->stream(HttpRequest("GET", server.url("/")),
                   {{}, [&](std::string_view part) { bytes += part.size(); }}, keep());
    io.restart();
    const auto work = boost::asio::make_work_guard(io);
    while (replies.empty()) {
        const std::size_t before = bytes;
        io.run_one();
        most = std::max(most, bytes - before);
    }
    EXPECT_TRUE(replies.at(0)) << replies.at(0).error();
    EXPECT_EQ(bytes, size);
    EXPECT_LE(most, 300u << 10) << "in one turn";
}

TEST_F(CurlHttpClientTest, DropsUndeliveredPartsOfACancelledStream) {
    client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.gzip = true});
    server.answer("/", gzip_reply(32u << 20));
    server.answer("/other", reply_with("x"));
    std::size_t bytes = 0;
    const HttpClient::RequestId id =
        client->stream(HttpRequest("GET", server.url("/")),
                       {{}, [&](std::string_view part) { bytes += part.size(); }}, keep());
    io.restart();
    const auto work = boost::asio::make_work_guard(io);
    while (bytes == 0) io.run_one();
    client->cancel(id);
    run_until(1);
    EXPECT_EQ(replies.at(0).error().code, ErrorCode::cancelled);
    EXPECT_LE(bytes, 1u << 20);
    EXPECT_EQ(get(HttpRequest("GET", server.url("/other"))).value().body, "x");
}

TEST_F(CurlHttpClientTest, LimitsOpenRequests) {
    client = std::make_unique<CurlHttpClient>(io, CurlHttpClient::Options{.max_open = 1});
    client->send(HttpRequest("GET", server.url("/never")).within(50ms), keep());
    client->send(HttpRequest("GET", server.url("/never")), keep());
    run_until(1);
    EXPECT_EQ(replies.at(0).error().code, ErrorCode::busy);
    run_until(2);
}

}  // namespace
}  // namespace capstan::io
