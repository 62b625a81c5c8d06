#include "autoscaler/daemon/admin_server.hpp"

#include <gmock/gmock.h>

#include <poll.h>

#include <atomic>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "../../io/peer.hpp"
#include "../../io/test_certificates.hpp"
#include "io/curl_http_client.hpp"
#include "plugin_runtime/plugin_bytes.hpp"

namespace capstan::autoscaler::daemon {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The admin port on loopback, with requests over the network.
struct AdminPortTest : ::testing::Test {
    plugin_runtime::TemporaryFolder folder;
    boost::asio::io_context io;
    config::Admin config;
    io::HttpServer::Options limits = admin_limits();
    std::string ca_pem;
    std::unique_ptr<io::HttpServer> server;
    std::size_t extra_metrics = 0;  ///< bytes

    std::string file(const char* name, const std::string& text) const {
        const std::filesystem::path path = folder.path() / name;
        std::ofstream(path) << text;
        return path.string();
    }
    void SetUp() override { config.listen = "127.0.0.1:0"; }
    Result<void> serve() {
        AdminSources sources;
        sources.metrics = [this] { return "up 1\n" + std::string(extra_metrics, '#'); };
        sources.complaint = sources.stuck = sources.unready = [] { return std::string(); };
        CAPSTAN_TRY(server, serve_admin(config, io, std::move(sources), limits));
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

TEST_F(AdminPortTest, AnswersWithoutATokenIfNoneIsConfigured) {
    ASSERT_TRUE(serve());
    EXPECT_EQ(get("/metrics").value().body, "up 1\n");
    EXPECT_EQ(status("/nowhere"), 404);
}

TEST_F(AdminPortTest, RequiresTheTokenExceptForProbes) {
    config.bearer_token_file = file("token", "s3cret\n");
    ASSERT_TRUE(serve());
    EXPECT_EQ(status("/metrics"), 401);
    EXPECT_EQ(status("/metrics", "another"), 401);
    EXPECT_EQ(status("/metrics", "s3cret"), 200);
    EXPECT_EQ(status("/api/v2/config"), 401);
    for (const char* probe : {"/livez", "/readyz", "/health-check"})
        EXPECT_EQ(status(probe), 200) << probe;
}

TEST_F(AdminPortTest, UsesTheConfiguredCertificate) {
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

TEST_F(AdminPortTest, DoesNotOpenWithoutTokenOrCertificate) {
    config.bearer_token_file = (folder.path() / "none").string();
    EXPECT_THAT(serve().error().message, HasSubstr("admin.bearer_token_file"));
    config.bearer_token_file = file("blank", "\n");
    EXPECT_THAT(serve().error().message, HasSubstr("contains no token"));
    config.bearer_token_file.clear();
    config.tls_certificate_file = file("cert.pem", "no certificate");
    config.tls_key_file = file("key.pem", "no key");
    EXPECT_FALSE(serve());
}

TEST_F(AdminPortTest, ReportsThatItsAddressIsInUse) {
    ASSERT_TRUE(serve());
    config.listen = "127.0.0.1:" + std::to_string(server->port());
    const auto first = std::move(server);
    EXPECT_EQ(serve().error().code, ErrorCode::unavailable);
}

TEST_F(AdminPortTest, IsClosedWithoutAnAddress) {
    config.listen = "";
    ASSERT_TRUE(serve());
    EXPECT_EQ(server, nullptr);
}

const std::string probe = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string end_of_response = "\r\n\r\nOK";

struct Peer : io::Peer {
    using io::Peer::Peer;
    /// Waits up to two minutes, for a sanitizer on a busy machine.
    bool passes_probe() {
        try {
            send(probe);
        } catch (const boost::system::system_error&) {  // the connection was closed
            return false;
        }
        pollfd answer{.fd = socket.native_handle(), .events = POLLIN, .revents = 0};
        if (::poll(&answer, 1, 120'000) != 1) return false;
        return receive(end_of_response).starts_with("HTTP/1.1 200 ");
    }
};

/// The admin port on its own thread, with peers that use many connections. A test sets the limits
/// that it needs. The other limits are so high that a busy machine does not reach them.
struct OverloadedAdminPort : AdminPortTest {
    OverloadedAdminPort() {
        limits.head_timeout = limits.request_timeout = limits.idle_timeout = limits.write_timeout =
            1h;
    }
    void open() {
        ASSERT_TRUE(serve());
        thread = std::thread([this] { io.run(); });
    }
    ~OverloadedAdminPort() override {
        server.reset();
        work.reset();
        if (thread.joinable()) thread.join();
    }

    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
        io.get_executor()};
    std::thread thread;
};

/// A probe over a new connection, as kubelet sends it.
bool passes_new_probe(const io::HttpServer& server) { return Peer(server).passes_probe(); }

TEST_F(OverloadedAdminPort, AnswersProbesWithManyKeptConnections) {
    open();
    std::vector<std::unique_ptr<Peer>> connections;
    for (int i = 0; i < 300; ++i) {
        connections.push_back(std::make_unique<Peer>(*server));
        ASSERT_TRUE(connections.back()->passes_probe()) << i;
    }
    EXPECT_TRUE(passes_new_probe(*server));
}

TEST_F(OverloadedAdminPort, AnswersProbesWithManySilentConnections) {
    open();
    std::vector<std::unique_ptr<Peer>> connections;
    for (int i = 0; i < 300; ++i) {
        connections.push_back(
            std::make_unique<Peer>(*server, "127.0.0." + std::to_string(2 + i % 20)));
        connections.back()->send("G");
        if (i % 20 == 0) EXPECT_TRUE(passes_new_probe(*server)) << i;
    }
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(passes_new_probe(*server));
}

TEST_F(OverloadedAdminPort, AnswersProbesWithPeersThatDoNotRead) {
    limits.max_unsent_total = 4u << 20;
    extra_metrics = 1u << 20;
    open();
    std::vector<std::unique_ptr<Peer>> connections;
    for (int i = 0; i < 40; ++i) {
        connections.push_back(
            std::make_unique<Peer>(*server, "127.0.0." + std::to_string(2 + i % 20)));
        connections.back()->send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(passes_new_probe(*server));
}

TEST_F(OverloadedAdminPort, AnswersProbesWhilePeersKeepConnecting) {
    open();
    std::atomic<bool> is_over = false;
    std::vector<std::thread> attackers;
    for (int i = 0; i < 4; ++i) {
        attackers.emplace_back([&, from = "127.0.1." + std::to_string(i + 1)] {
            std::deque<std::unique_ptr<Peer>> connections;
            for (int made = 0; made < 250 && !is_over; ++made) {
                connections.push_back(std::make_unique<Peer>(*server, from));
                if (connections.size() > 60) connections.pop_front();
            }
        });
    }
    int passed = 0;
    for (int i = 0; i < 20; ++i) passed += passes_new_probe(*server) ? 1 : 0;
    is_over = true;
    for (std::thread& attacker : attackers) attacker.join();
    EXPECT_EQ(passed, 20);
}

TEST_F(OverloadedAdminPort, LimitsConnectionsPerPeer) {
    config.max_connections = 8;
    config.max_connections_per_peer = 4;
    open();
    std::vector<std::unique_ptr<Peer>> connections;
    for (int i = 0; i < 5; ++i) {
        connections.push_back(std::make_unique<Peer>(*server));
        ASSERT_TRUE(connections.back()->passes_probe()) << i;
    }
    EXPECT_FALSE(connections[0]->passes_probe()) << "replaced by the fifth connection of this peer";
    EXPECT_TRUE(connections[4]->passes_probe());
}

TEST_F(OverloadedAdminPort, LimitsTheSizeOfRequests) {
    open();
    const auto with_header = [](std::size_t size) {
        return "GET /livez HTTP/1.1\r\nHost: x\r\nX: " + std::string(size, 'a') + "\r\n\r\n";
    };
    const auto with_target = [](std::size_t size) {
        return "GET /livez?" + std::string(size, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
    };
    const auto announcing = [](std::size_t size) {
        return "POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(size) +
               "\r\n\r\n";
    };
    const struct {
        std::string name, request, status;
    } cases[] = {
        {"header of 15 KiB", with_header(15 << 10), "200"},
        {"header of 17 KiB", with_header(17 << 10), "431"},
        {"target of 15 KiB", with_target(15 << 10), "200"},
        {"target of 17 KiB", with_target(17 << 10), "431"},
        {"body of 64 KiB", announcing(64 << 10) + std::string(64 << 10, 'a'), "405"},
        // Refused for its Content-Length; the server does not wait for the body.
        {"body of 64 KiB and a byte", announcing((64 << 10) + 1), "413"},
    };
    for (const auto& each : cases) {
        Peer peer(*server);
        peer.send(each.request);
        EXPECT_THAT(peer.receive("\r\n"), StartsWith("HTTP/1.1 " + each.status)) << each.name;
    }
}

TEST_F(OverloadedAdminPort, ClosesSlowConnections) {
    EXPECT_EQ(admin_limits().head_timeout, 2s);
    EXPECT_EQ(admin_limits().request_timeout, 5s);
    EXPECT_EQ(admin_limits().idle_timeout, 5s);
    // The idle peer must send its request within the first timeout.
    limits.head_timeout = limits.request_timeout = 5s;
    limits.idle_timeout = 1s;
    open();
    Peer silent(*server), slow(*server), idle(*server);
    slow.send("GET /livez HT");
    EXPECT_TRUE(idle.passes_probe());
    for (Peer* peer : {&silent, &slow, &idle}) EXPECT_EQ(peer->receive("\n"), "");
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
