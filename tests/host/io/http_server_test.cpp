#include "io/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "peer.hpp"

namespace capstan::io {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

HttpReply text(std::string body) {
    return {200, {{"content-type", "text/plain"}}, std::move(body)};
}

/// A server on its own thread.
struct HttpServerTest : testing::Test {
    boost::asio::io_context io;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
        io.get_executor()};
    std::thread thread{[this] { io.run(); }};
    std::unique_ptr<HttpServer> server;
    HttpServer::Options options;

    void serve(HttpServer::Handler handler) {
        auto made = HttpServer::listen(io, options, std::move(handler));
        ASSERT_TRUE(made) << made.error();
        server = std::move(*made);
    }
    ~HttpServerTest() override {
        server.reset();
        work.reset();
        thread.join();
    }
};

TEST_F(HttpServerTest, AnswersSeveralRequestsOnOneConnection) {
    serve([](const ServedRequest& request, const Responder& responder) {
        responder.send(text(request.method + " " + request.target + " " +
                            std::string(request.header("x-name")) + " " + request.body + "!"));
    });
    Peer peer(*server);
    peer.send("GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Name: anna\r\n\r\n");
    EXPECT_THAT(peer.receive("!"), HasSubstr("GET /a?b=c anna"));
    peer.send("POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nfour");
    EXPECT_THAT(peer.receive("!"), HasSubstr("POST /d  four"));
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
    serve([](const ServedRequest& request, const Responder& responder) {
        responder.send(text(request.target + "!"));
    });
    Peer peer(*server);
    peer.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(peer.receive("/1!"), HasSubstr("200 OK"));
    EXPECT_THAT(peer.receive("/2!"), HasSubstr("200 OK"));
}

TEST_F(HttpServerTest, StreamsInChunks) {
    serve([](const ServedRequest&, const Responder& responder) {
        responder.begin(text(""));
        responder.write("first\n");
        responder.write("second, longer\n");
        responder.end();
    });
    Peer peer(*server);
    peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(peer.receive("0\r\n\r\n"),
                testing::EndsWith("6\r\nfirst\n\r\nf\r\nsecond, longer\n\r\n0\r\n\r\n"));
}

TEST_F(HttpServerTest, StreamsUntilTheConnectionClosesForHttp10) {
    serve([](const ServedRequest&, const Responder& responder) {
        responder.begin(text(""));
        responder.write("all of it");
        responder.end();
    });
    Peer peer(*server);
    peer.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_THAT(peer.receive_all(), testing::EndsWith("\r\n\r\nall of it"));
}

TEST_F(HttpServerTest, SendsNoBodyForHead) {
    serve([](const ServedRequest&, const Responder& responder) { responder.send(text("body")); });
    Peer peer(*server);
    peer.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string reply = peer.receive_all();
    EXPECT_THAT(reply, HasSubstr("Content-Length: 4"));
    EXPECT_THAT(reply, testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, ReportsThatThePeerDisconnectedDuringAResponse) {
    std::promise<void> left;
    serve([&](const ServedRequest&, const Responder& responder) {
        responder.begin(text("first"));
        responder.when_closed([&left, responder] {
            EXPECT_FALSE(responder.is_open());
            left.set_value();
        });
    });
    {
        Peer peer(*server);
        peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        peer.receive("first");
    }
    EXPECT_EQ(left.get_future().wait_for(1min), std::future_status::ready);
}

TEST_F(HttpServerTest, Answers500IfTheHandlerDropsTheRequest) {
    serve([](const ServedRequest&, const Responder&) {});
    Peer peer(*server);
    peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(peer.receive("dropped\n"), StartsWith("HTTP/1.1 500"));
}

TEST_F(HttpServerTest, ClosesTheConnectionIfAStreamIsAbandoned) {
    serve([](const ServedRequest&, const Responder& responder) { responder.begin(text("half")); });
    Peer peer(*server);
    peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(peer.receive_all(), testing::Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(HttpServerTest, RefusesOversizedAndMalformedRequests) {
    options.max_body_bytes = 10;
    options.max_header_bytes = 200;
    serve([](const ServedRequest&, const Responder& responder) { responder.send(text("fine")); });
    const struct {
        std::string request, status;
    } cases[] = {
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n12345678901", "413"},
        {"GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(300, 'a') + "\r\n\r\n", "431"},
        {"nonsense\r\n\r\n", "400"},
        {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200"},
    };
    for (const auto& each : cases) {
        Peer peer(*server);
        peer.send(each.request);
        EXPECT_THAT(peer.receive_all(), StartsWith("HTTP/1.1 " + each.status)) << each.request;
    }
}

TEST_F(HttpServerTest, DisconnectsASlowPeer) {
    // The busy peers must send their bytes within the first two.
    options.head_timeout = options.request_timeout = 5s;
    options.idle_timeout = 1s;
    serve([](const ServedRequest&, const Responder& responder) { responder.send(text("fine")); });
    Peer silent(*server), slow(*server), slow_body(*server), idle(*server);
    slow.send("GET / HT");
    slow_body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nfo");
    idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(silent.receive_all(), "");
    EXPECT_EQ(slow.receive_all(), "");
    EXPECT_EQ(slow_body.receive_all(), "");
    EXPECT_THAT(idle.receive_all(), testing::EndsWith("fine"));
}

TEST_F(HttpServerTest, DisconnectsAPeerThatDoesNotRead) {
    options.max_unsent = 1u << 20;
    std::promise<void> left;
    serve([&](const ServedRequest&, const Responder& responder) {
        responder.when_closed([&left] { left.set_value(); });
        responder.begin(text(""));
        for (int i = 0; i < 64; ++i) responder.write(std::string(1u << 20, 'x'));
    });
    Peer peer(*server);
    peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(left.get_future().wait_for(1min), std::future_status::ready);
}

TEST_F(HttpServerTest, AcceptsAtMostMaxConnections) {
    options.max_connections = 1;
    serve([](const ServedRequest&, const Responder& responder) { responder.send(text("fine")); });
    auto first = std::make_unique<Peer>(*server);
    first->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(first->receive("fine"), HasSubstr("200"));
    Peer second(*server);
    second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    second.socket.non_blocking(true);
    char byte;
    boost::system::error_code error;
    second.socket.read_some(boost::asio::buffer(&byte, 1), error);
    EXPECT_EQ(error, boost::asio::error::would_block);
    second.socket.non_blocking(false);
    first.reset();
    EXPECT_THAT(second.receive("fine"), HasSubstr("200"));
}

TEST_F(HttpServerTest, ClosesAnIdleConnectionIfItMakesRoom) {
    options.makes_room = true;
    options.max_connections = 2;
    serve([](const ServedRequest&, const Responder& responder) { responder.send(text("fine")); });
    Peer kept(*server), silent(*server);
    kept.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(kept.receive("fine"), HasSubstr("200"));
    Peer next(*server);
    next.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(next.receive("fine"), HasSubstr("200"));
    EXPECT_EQ(kept.receive_all(), "");
    silent.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(silent.receive("fine"), HasSubstr("200"));
}

TEST_F(HttpServerTest, LimitsUnsentBytesInTotal) {
    options.makes_room = true;
    options.max_unsent_total = 20u << 20;
    // when_closed of the remaining peers is called when the server is destroyed, after this
    // function returns.
    struct Left {
        std::atomic<int> count = 0;
        std::promise<void> third{};
    };
    const auto left = std::make_shared<Left>();
    serve([left](const ServedRequest&, const Responder& responder) {
        responder.when_closed([left] {
            if (++left->count == 3) left->third.set_value();
        });
        responder.send(text(std::string(8u << 20, 'x')));
    });
    std::vector<std::unique_ptr<Peer>> peers;
    for (int i = 0; i < 5; ++i) {
        peers.push_back(std::make_unique<Peer>(*server));
        peers.back()->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    EXPECT_EQ(left->third.get_future().wait_for(1min), std::future_status::ready);
}

TEST_F(HttpServerTest, LimitsUnsentPartsOfStreamsInTotal) {
    options.makes_room = true;
    options.max_unsent_total = 20u << 20;
    struct Streams {
        std::vector<Responder> open;
        int left = 0;
        std::promise<void> third{};
    };
    const auto streams = std::make_shared<Streams>();
    serve([streams](const ServedRequest&, const Responder& responder) {
        responder.when_closed([streams] {
            if (++streams->left == 3) streams->third.set_value();
        });
        responder.begin(text(""));
        for (int i = 0; i < 8; ++i) responder.write(std::string(1u << 20, 'x'));
        streams->open.push_back(responder);
    });
    std::vector<std::unique_ptr<Peer>> peers;
    for (int i = 0; i < 5; ++i) {
        peers.push_back(std::make_unique<Peer>(*server));
        peers.back()->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    EXPECT_EQ(streams->third.get_future().wait_for(1min), std::future_status::ready);
}

TEST_F(HttpServerTest, ReportsTheEndOfAConnectionThatIsGone) {
    std::promise<Responder> kept;
    std::promise<void> left, handled, later;
    serve([&](const ServedRequest&, const Responder& responder) {
        responder.when_closed([&] { left.set_value(); });
        kept.set_value(responder);
    });
    auto peer = std::make_unique<Peer>(*server);
    peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const Responder responder = kept.get_future().get();
    peer.reset();
    ASSERT_EQ(left.get_future().wait_for(1min), std::future_status::ready);
    boost::asio::post(io, [&] { handled.set_value(); });  // the handler that called it has returned
    handled.get_future().wait();
    responder.when_closed([&] { later.set_value(); });
    EXPECT_EQ(later.get_future().wait_for(1min), std::future_status::ready);
}

TEST_F(HttpServerTest, ReportsWhyItCannotListen) {
    serve([](const ServedRequest&, const Responder&) {});
    HttpServer::Options taken;
    taken.port = server->port();
    EXPECT_EQ(HttpServer::listen(io, taken, {}).error().code, ErrorCode::unavailable);
    HttpServer::Options no_address;
    no_address.address = "here";
    EXPECT_EQ(HttpServer::listen(io, no_address, {}).error().code, ErrorCode::invalid_argument);
    HttpServer::Options no_certificate;
    no_certificate.certificate_pem = "nonsense";
    EXPECT_EQ(HttpServer::listen(io, no_certificate, {}).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace capstan::io
