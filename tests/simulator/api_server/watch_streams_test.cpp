#include "simulator/api_server/watch_streams.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "api_server_fixture.hpp"

namespace capstan::simulator::api_server {
namespace {

using boost::asio::ip::tcp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

/// Watches over the network. The clients and the server share one thread: `until` runs the loop
/// and reads from all clients.
struct ApiWatches : ApiServerTest {
    struct Peer {
        tcp::socket socket;
        std::string text{};
        bool is_closed = false;
    };
    const ResourceKind& maps = store.kind("configmaps");
    std::vector<std::unique_ptr<Peer>> peers{};

    void SetUp() override { ASSERT_TRUE(server.listen()); }
    void TearDown() override { peers.clear(); }

    Peer& connect(const std::string& request) {
        peers.push_back(std::make_unique<Peer>(Peer{tcp::socket(io)}));
        Peer& peer = *peers.back();
        peer.socket.connect({boost::asio::ip::address_v4::loopback(), server.port()});
        boost::asio::write(peer.socket, boost::asio::buffer(request));
        peer.socket.non_blocking(true);
        return peer;
    }
    Peer& watch(const std::string& query, const std::string& form = "application/json") {
        Peer& peer = connect("GET /api/v1/namespaces/default/configmaps?watch=true" + query +
                             " HTTP/1.1\r\nHost: x\r\nAccept: " + form + "\r\n\r\n");
        EXPECT_TRUE(until([&] { return peer.text.find("\r\n\r\n") != std::string::npos; }));
        return peer;
    }
    void read(Peer& peer) {
        char buffer[4096];
        boost::system::error_code error;
        const std::size_t size = peer.socket.read_some(boost::asio::buffer(buffer), error);
        peer.text.append(buffer, size);
        peer.is_closed = peer.is_closed || (error && error != boost::asio::error::would_block);
    }
    /// Runs the loop until `holds` is true. Returns false after five seconds.
    bool until(const std::function<bool()>& holds) {
        for (int i = 0; i < 5000; ++i) {
            if (io.stopped()) io.restart();
            io.run_for(1ms);
            for (const auto& peer : peers) read(*peer);
            if (holds()) return true;
        }
        return false;
    }
    /// The received events, as "ADDED a". Waits for `count` of them.
    std::vector<std::string> events(Peer& peer, std::size_t count) {
        until([&] { return all_events(peer).size() >= count || peer.is_closed; });
        return all_events(peer);
    }
    static std::vector<std::string> all_events(const Peer& peer) {
        std::vector<std::string> out;
        std::istringstream lines(peer.text);
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with('{')) continue;
            const json::object event = parsed(line);
            const std::string type(text_at(event, "type"));
            std::string_view what = text_at(event, "object.metadata.name");
            if (what.empty()) what = text_at(event, "object.reason");
            out.push_back(type + (what.empty() ? "" : " " + std::string(what)));
        }
        return out;
    }
    void make(const std::string& name, const std::string& labels = "{}") {
        ASSERT_TRUE(store.create(
            maps, "default",
            parsed(R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + "}}")));
    }
    void label(const std::string& name, const char* value) {
        const auto set = [&](json::object& map) { set_value(map, "metadata.labels.app", value); };
        ASSERT_TRUE(store.edit(maps, "default", name, set));
    }
    std::string now() const { return "&resourceVersion=" + std::to_string(store.revision()); }
};

TEST_F(ApiWatches, SendChangesSinceARevision) {
    Peer& peer = watch(now());
    make("a");
    label("a", "x");
    ASSERT_TRUE(store.remove(maps, "default", "a"));
    EXPECT_THAT(events(peer, 3), ElementsAre("ADDED a", "MODIFIED a", "DELETED a"));
}

TEST_F(ApiWatches, StartWithTheCurrentObjectsWithoutARevision) {
    make("a");
    Peer& peer = watch("&resourceVersion=0");
    make("b");
    EXPECT_THAT(events(peer, 2), ElementsAre("ADDED a", "ADDED b"));
}

TEST_F(ApiWatches, MarkTheEndOfInitialEventsWithABookmark) {
    make("a");
    Peer& peer =
        watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
    EXPECT_THAT(events(peer, 2), ElementsAre("ADDED a", "BOOKMARK"));
    EXPECT_THAT(peer.text, HasSubstr(R"("k8s.io/initial-events-end":"true")"));
    EXPECT_THAT(peer.text, HasSubstr(R"("resourceVersion":")" + std::to_string(store.revision())));
}

TEST_F(ApiWatches, SendDeletedIfAnObjectNoLongerMatches) {
    make("a", R"({"app":"x"})");
    Peer& peer = watch(now() + "&labelSelector=app%3Dx");
    make("other");
    label("a", "y");
    label("a", "x");
    EXPECT_THAT(events(peer, 2), ElementsAre("DELETED a", "ADDED a"));
}

TEST_F(ApiWatches, SendAnErrorIfTheirRevisionExpired) {
    const std::string then = now();
    make("a");
    store.compact(store.revision());
    Peer& peer = watch(then);
    EXPECT_THAT(events(peer, 1), ElementsAre("ERROR Expired"));
    EXPECT_THAT(peer.text, HasSubstr(R"("code":410)"));
}

TEST_F(ApiWatches, SendBookmarksAndEndAtTheirTimeout) {
    Peer& peer = watch(now() + "&allowWatchBookmarks=true&timeoutSeconds=90");
    loop.advance(61s);
    EXPECT_THAT(events(peer, 1), ElementsAre("BOOKMARK"));
    loop.advance(30s);
    EXPECT_THAT(events(peer, 2), ElementsAre("BOOKMARK", "BOOKMARK"));
    EXPECT_TRUE(until([&] { return server.watch_count() == 0; }));
}

TEST_F(ApiWatches, SendNoBookmarksUnlessRequested) {
    Peer& peer = watch(now());
    loop.advance(5min);
    EXPECT_THAT(events(peer, 0), IsEmpty());
}

TEST_F(ApiWatches, CanSendTables) {
    Peer& peer = watch(now(), "application/json;as=Table;v=v1;g=meta.k8s.io");
    make("a");
    events(peer, 1);
    EXPECT_THAT(peer.text, HasSubstr(R"("kind":"Table")"));
    EXPECT_THAT(peer.text, HasSubstr(R"("cells":["a",0,"0s"])"));
}

TEST_F(ApiWatches, EndWhenTheClientDisconnects) {
    Peer& peer = watch(now());
    EXPECT_EQ(server.watch_count(), 1u);
    peer.socket.close();
    EXPECT_TRUE(until([&] { return server.watch_count() == 0; }));
}

TEST_F(ApiWatches, FailWithInjectedFaults) {
    server.faults().add({.verb = "watch", .cuts = true, .after_events = 1});
    Peer& cut = watch(now());
    make("a");
    make("b");
    EXPECT_TRUE(until([&] { return cut.is_closed; }));
    EXPECT_THAT(all_events(cut), ElementsAre("ADDED a"));
    server.faults().add({.verb = "watch", .status = 500, .after_events = 0});
    EXPECT_THAT(events(watch(now()), 1), ElementsAre("ERROR InternalError"));
    Peer& other = watch(now());
    server.cut_watches();
    EXPECT_TRUE(until([&] { return other.is_closed; }));
}

TEST_F(ApiWatches, LagWithInjectedFaults) {
    server.faults().add({.verb = "watch", .lag = 20s});
    Peer& peer = watch(now());
    make("a");
    loop.advance(19s);
    EXPECT_THAT(all_events(peer), IsEmpty());
    loop.advance(1s);
    EXPECT_THAT(events(peer, 1), ElementsAre("ADDED a"));
}

using FaultsOverNetwork = ApiWatches;

TEST_F(FaultsOverNetwork, RejectDelayOrCutRequests) {
    const std::string list = "GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\n\r\n";
    server.faults().add({.verb = "list", .status = 429, .retry_after_s = 3});
    server.faults().add({.verb = "list", .delay = 5s});
    server.faults().add({.verb = "create", .cuts = true, .is_carried_out = true});
    Peer& peer = connect(list);
    EXPECT_TRUE(until([&] { return peer.text.find("TooManyRequests") != std::string::npos; }));
    EXPECT_THAT(peer.text, HasSubstr("429"));
    EXPECT_THAT(peer.text, HasSubstr("etry-after: 3"));
    Peer& slow = connect(list);
    EXPECT_TRUE(until([&] { return loop.next_due().has_value(); }));
    EXPECT_THAT(slow.text, IsEmpty());
    loop.advance(5s);
    EXPECT_TRUE(until([&] { return slow.text.find("NodeList") != std::string::npos; }));
    Peer& cut = connect(
        "POST /api/v1/nodes HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\n"
        R"({"metadata":{"name":"new"}})");
    EXPECT_TRUE(until([&] { return cut.is_closed; }));
    EXPECT_THAT(cut.text, IsEmpty());
    EXPECT_NE(store.find(store.kind("nodes"), "", "new"), nullptr);
}

TEST_F(ApiWatches, AcceptVeryLongTimeouts) {
    EXPECT_THAT(watch("&timeoutSeconds=18446744073709551615").text, HasSubstr("200 OK"));
    loop.advance(24h);
    EXPECT_EQ(server.watch_count(), 1u);
}

TEST_F(ApiWatches, AreRejectedWithInvalidParameters) {
    EXPECT_THAT(watch("&sendInitialEvents=true").text, HasSubstr("422"));
    EXPECT_THAT(watch("&resourceVersion=999").text, HasSubstr("504"));
    EXPECT_THAT(watch("&labelSelector=,").text, HasSubstr("400"));
}

}  // namespace
}  // namespace capstan::simulator::api_server
