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

/// What this process holds of the network, and how much of it another program would be left.
struct Held {
    int sockets = 0, inheritable = 0;
};

Held held_sockets() {
    Held held;
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

/// The same, asked in a forked child of this process.
int sockets_in_a_child() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(held_sockets().sockets);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CloseOnFork, LeavesAForkedChildNothingOfAServerAndItsClients) {
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

    const Held here = held_sockets();
    EXPECT_EQ(here.sockets, 3) << "one that listens, and both ends of a connection that is kept";
    EXPECT_EQ(here.inheritable, 0);
    EXPECT_EQ(sockets_in_a_child(), 0);
    EXPECT_EQ(held_sockets().sockets, 3) << "the parent keeps its own";

    server->reset();
    work.reset();
    io.stop();
    thread.join();
}

TEST(CloseOnFork, ForgetsASocketThatIsClosed) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    {
        const CloseOnFork mark(fd);
    }
    EXPECT_EQ(sockets_in_a_child(), 1) << "its number may be another's by now";
    ::close(fd);
}

}  // namespace
}  // namespace capstan::io
