#include "io/served_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace capstan::io {
namespace {

using Stage = ServedConnection::Stage;
using testing::ElementsAre;
using testing::IsEmpty;

/// A connection that appends its name to a list when it is closed.
struct RecordingConnection : ServedConnection {
    RecordingConnection(std::string name, std::vector<std::string>& closed)
        : name_(std::move(name)), closed_(closed) {}
    void start() override {}
    void close() override { closed_.push_back(name_); }
    void set_stage(Stage stage) { enter(stage); }
    void set_unsent(std::size_t bytes) {
        unsent_bytes_ = bytes;
        enter(Stage::writing);
    }

private:
    const std::string name_;
    std::vector<std::string>& closed_;
};

struct ConnectionSlotsTest : testing::Test {
    std::vector<std::string> closed;
    std::vector<std::shared_ptr<RecordingConnection>> all;

    RecordingConnection& add_connection(ConnectionSlots& slots, const std::string& peer,
                                        const std::string& name) {
        slots.make_room(peer);
        all.push_back(std::make_shared<RecordingConnection>(name, closed));
        slots.add(peer, all.back());
        return *all.back();
    }
};

TEST_F(ConnectionSlotsTest, CloseIdleConnectionsFirstAndHandledOnesLast) {
    ConnectionSlots slots({.total = 4, .per_peer = 9});
    add_connection(slots, "a", "waiting").set_stage(Stage::handling);
    add_connection(slots, "b", "sending").set_stage(Stage::writing);
    add_connection(slots, "c", "asking").set_stage(Stage::reading);
    add_connection(slots, "d", "idle").set_stage(Stage::idle);
    for (const char* name : {"1", "2", "3", "4"})
        add_connection(slots, name, name).set_stage(Stage::handling);
    EXPECT_THAT(closed, ElementsAre("idle", "asking", "sending", "waiting"));
}

TEST_F(ConnectionSlotsTest, CloseAConnectionOfThePeerThatHasTheMost) {
    ConnectionSlots slots({.total = 4, .per_peer = 9});
    add_connection(slots, "probe", "old probe");
    for (const char* name : {"1", "2", "3"}) add_connection(slots, "crowd", name);
    add_connection(slots, "another", "new");
    EXPECT_THAT(closed, ElementsAre("1"));
}

TEST_F(ConnectionSlotsTest, LimitConnectionsPerPeer) {
    ConnectionSlots slots({.total = 100, .per_peer = 2});
    add_connection(slots, "other", "other");
    for (const char* name : {"1", "2", "3", "4"}) add_connection(slots, "crowd", name);
    EXPECT_THAT(closed, ElementsAre("1", "2"));
    EXPECT_EQ(slots.size(), 3u);
}

TEST_F(ConnectionSlotsTest, FreeTheSlotsOfClosedConnections) {
    ConnectionSlots slots({.total = 1, .per_peer = 1});
    add_connection(slots, "a", "gone");
    all.clear();
    add_connection(slots, "a", "next");
    EXPECT_THAT(closed, IsEmpty());
    EXPECT_EQ(slots.size(), 1u);
}

TEST_F(ConnectionSlotsTest, CloseTheConnectionWhosePeerHasNotReadForTheLongest) {
    ConnectionSlots slots({.total = 9, .per_peer = 9, .unsent = 100});
    add_connection(slots, "a", "first").set_unsent(60);
    add_connection(slots, "b", "second").set_unsent(60);
    add_connection(slots, "c", "third").set_unsent(40);
    slots.bound_unsent();
    EXPECT_THAT(closed, ElementsAre("first"));
}

TEST(PeerKey, IsTheAddressOrTheIpv6Prefix) {
    const auto key = [](const char* text) { return peer_key(boost::asio::ip::make_address(text)); };
    EXPECT_EQ(key("10.0.0.7"), "10.0.0.7");
    EXPECT_EQ(key("::ffff:10.0.0.7"), "10.0.0.7");
    EXPECT_EQ(key("2001:db8::1"), "2001:db8::/64");
    EXPECT_EQ(key("2001:db8::1"), key("2001:db8:0:0:ffff::9"));
    EXPECT_NE(key("2001:db8::1"), key("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace capstan::io
