#include "io/file_descriptor.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/executor_work_guard.hpp>

#include "io/curl_http_client.hpp"
#include "io/http_server.hpp"

namespace capstan::io {
namespace {

/// The sockets of this process, and how many of them another program would inherit.
struct SocketCounts {
    int sockets = 0, inheritable = 0;
};

SocketCounts count_sockets() {
    SocketCounts held;
    for (int fd = 0; fd < 1024; ++fd) {
        sockaddr_storage name{};
        socklen_t size = sizeof name;
        if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) continue;
        if (name.ss_family != AF_INET && name.ss_family != AF_INET6) continue;
        ++held.sockets;
        if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) ++held.inheritable;
    }
    return held;
}

/// The number of sockets in a forked child of this process.
int count_sockets_in_child() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(count_sockets().sockets);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CloseOnFork, ClosesTheSocketsOfServerAndClientInAForkedChild) {
    boost::asio::io_context io;
    auto work = boost::asio::make_work_guard(io);
    CurlHttpClient client(io);
    auto server = HttpServer::listen(io, {}, [](const ServedRequest&, const Responder& responder) {
        responder.send({200, {}, "here"});
    });
    ASSERT_TRUE(server) << server.error();
    std::thread thread([&io] { io.run(); });
    std::promise<bool> answered;
    HttpRequest request;
    request.url = "http://127.0.0.1:" + std::to_string((*server)->port()) + "/";
    client.send(std::move(request),
                [&](const Result<HttpReply>& reply) { answered.set_value(reply.has_value()); });
    EXPECT_TRUE(answered.get_future().get());

    const SocketCounts here = count_sockets();
    EXPECT_EQ(here.sockets, 3) << "a listening one, and both ends of a kept connection";
    EXPECT_EQ(here.inheritable, 0);
    EXPECT_EQ(count_sockets_in_child(), 0);
    EXPECT_EQ(count_sockets().sockets, 3) << "the parent keeps its own";

    server->reset();
    work.reset();
    io.stop();
    thread.join();
}

TEST(CloseOnFork, ForgetsAClosedSocket) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    {
        const CloseOnFork mark(fd);
    }
    EXPECT_EQ(count_sockets_in_child(), 1) << "another file may have its number now";
    ::close(fd);
}

}  // namespace
}  // namespace capstan::io
