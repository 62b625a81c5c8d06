#include "simulator/program/cluster_daemon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/http_server.hpp"

namespace capstan::simulator::program {
namespace {

using ::testing::HasSubstr;

struct ReservedPortTest : ::testing::Test {
    Result<ReservedPort> reserve(std::uint16_t wanted) {
        return ReservedPort::take(io_, "127.0.0.1", wanted);
    }
    Result<std::unique_ptr<io::HttpServer>> serve(std::uint16_t port) {
        io::HttpServer::Options options;
        options.port = port;
        return io::HttpServer::listen(io_, options, [](auto, auto) {});
    }
    boost::asio::io_context io_;
};

TEST_F(ReservedPortTest, IsReservedOnce) {
    const auto first = reserve(0);
    ASSERT_TRUE(first) << first.error().message;
    const auto second = reserve(first->port());
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_NE(second->port(), first->port());
    EXPECT_NE(second->port(), 0);
}

TEST_F(ReservedPortTest, CanBeServedRepeatedlyByItsOwner) {
    const auto port = reserve(0);
    ASSERT_TRUE(port);
    for (int start = 0; start < 2; ++start) {
        {
            const auto server = serve(port->port());
            ASSERT_TRUE(server) << server.error().message;
            const auto other = reserve(port->port());
            EXPECT_TRUE(other && other->port() != port->port()) << "also while a server uses it";
        }
        // The socket closes when the loop runs.
        io_.restart();
        io_.poll();
    }
}

TEST_F(ReservedPortTest, DiffersFromAPortInUse) {
    const auto server = serve(0);
    ASSERT_TRUE(server);
    const auto port = reserve((*server)->port());
    ASSERT_TRUE(port) << port.error().message;
    EXPECT_NE(port->port(), (*server)->port());
}

TEST_F(ReservedPortTest, CanBeReservedAgainAfterItsRelease) {
    std::uint16_t wanted = 0;
    {
        const auto port = reserve(0);
        ASSERT_TRUE(port);
        wanted = port->port();
    }
    const auto again = reserve(wanted);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->port(), wanted);
}

TEST_F(ReservedPortTest, RequiresAnIpAddress) {
    const auto port = ReservedPort::take(io_, "localhost", 0);
    ASSERT_FALSE(port);
    EXPECT_THAT(port.error().message, HasSubstr("\"localhost\" is not an IP address"));
}

}  // namespace
}  // namespace capstan::simulator::program
