// A fake host that sends requests to a server on loopback.
#include <capstan/testing/loopback.hpp>

#include <array>
#include <string>
#include <thread>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/recording.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::ErrorCode;
using capstan::HttpReply;
using capstan::HttpRequest;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::run;
using capstan::testing::to_loopback;
using ::testing::HasSubstr;

/// Accepts one connection, reads until `until` arrives, and sends `response`.
class OneShotServer {
public:
    OneShotServer(std::string until, std::string response) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&at), size), 0);
        EXPECT_EQ(::listen(listener_, 1), 0);
        EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
        port_ = ntohs(at.sin_port);
        thread_ = std::thread([this, until = std::move(until), response = std::move(response)] {
            const int fd = ::accept(listener_, nullptr, nullptr);
            std::array<char, 4096> some{};
            while (request_.find(until) == std::string::npos) {
                const ssize_t got = ::recv(fd, some.data(), some.size(), 0);
                if (got <= 0) break;
                request_.append(some.data(), static_cast<std::size_t>(got));
            }
            ::send(fd, response.data(), response.size(), MSG_NOSIGNAL);
            ::close(fd);
        });
    }
    ~OneShotServer() {
        if (thread_.joinable()) thread_.join();
        ::close(listener_);
    }
    std::uint16_t port() const { return port_; }
    std::string request() {
        thread_.join();
        return request_;
    }

private:
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::string request_;
    std::thread thread_;
};

Task<HttpReply> ask_server(capstan::Host host, HttpRequest request) {
    co_return co_await capstan::send(host, std::move(request));
}

capstan::Result<HttpReply> reply_to(const std::string& response,
                                    HttpRequest request = {"GET", "http://api.example/"}) {
    OneShotServer server("\r\n\r\n", response);
    FakeHost host;
    host.http().handle(to_loopback(server.port()));
    return run(host, ask_server(host.host(), std::move(request)));
}

TEST(Loopback, SendsTheRequestOfThePlugin) {
    OneShotServer server("{\"by\":2}", "HTTP/1.1 201 Created\r\nX-Id: 7\r\n\r\nmade");
    FakeHost host;
    host.secrets()["token"] = "hush";
    host.http().handle(to_loopback(server.port()));
    HttpRequest request("POST", "https://api.example:8443/groups/web?dry=1");
    request.header("authorization", "Bearer hush").with_body("{\"by\":2}");
    const auto reply = run(host, ask_server(host.host(), std::move(request)));
    ASSERT_TRUE(reply) << reply.error();
    EXPECT_EQ(reply->status, 201);
    EXPECT_EQ(reply->header("x-id"), "7");
    EXPECT_EQ(reply->body, "made");
    EXPECT_EQ(server.request(),
              "POST /groups/web?dry=1 HTTP/1.1\r\nHost: api.example:8443\r\nConnection: close\r\n"
              "authorization: Bearer hush\r\nContent-Length: 8\r\n\r\n{\"by\":2}");
    EXPECT_EQ(capstan::testing::to_recording(host),
              "> POST https://api.example:8443/groups/web?dry=1\n>| {\"by\":2}\n"
              "< 201\n< x-id: 7\n\nmade\n");
}

TEST(Loopback, ReadsEveryKindOfBody) {
    const std::pair<const char*, const char*> replies[] = {
        {"HTTP/1.1 200 OK\r\n\r\nuntil the end", "until the end"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
         "abcde"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
        {"HTTP/1.1 204 No Content\r\n\r\n", ""}};
    for (const auto& [response, body] : replies) {
        const auto got = reply_to(response);
        ASSERT_TRUE(got) << got.error();
        EXPECT_EQ(got->body, body) << response;
    }
}

TEST(Loopback, DistinguishesALostConnectionFromAReply) {
    for (const char* response :
         {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nabc",
          "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"}) {
        const auto got = reply_to(response);
        ASSERT_FALSE(got) << response;
        EXPECT_EQ(got.error().code, ErrorCode::unavailable) << response;
        EXPECT_THAT(got.error().message, HasSubstr("HTTP GET http://api.example/: ")) << response;
    }
}

TEST(Loopback, IsUnavailableWithoutAServer) {
    std::uint16_t gone = 0;
    {
        OneShotServer server("", "");
        gone = server.port();
        FakeHost host;
        host.http().handle(to_loopback(gone));
        std::ignore = run(host, ask_server(host.host(), {"GET", "http://api.example/"}));
    }
    FakeHost host;
    host.http().handle(to_loopback(gone));
    const auto refused = run(host, ask_server(host.host(), {"GET", "http://api.example/"}));
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
}

TEST(Loopback, TimesOutIfTheServerDoesNotRespond) {
    // The kernel accepts the connection; nothing is ever read from it.
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&at), size), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size), 0);
    FakeHost host;
    host.http().handle(to_loopback(ntohs(at.sin_port), 50ms));
    const auto late = run(host, ask_server(host.host(), {"GET", "http://api.example/"}));
    EXPECT_EQ(late.error().code, ErrorCode::deadline);
    ::close(listener);
}

}  // namespace
