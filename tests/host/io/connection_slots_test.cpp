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

/// A connection that notes in a list that it was closed.
struct Listed : ServedConnection {
    Listed(std::string name, std::vector<std::string>& closed)
        : name_(std::move(name)), closed_(closed) {}
    void start() override {}
    void close() override { closed_.push_back(name_); }
    void become(Stage stage) { enter(stage); }
    void owe(std::size_t bytes) {
        unsent_bytes_ = bytes;
        enter(Stage::writing);
    }

private:
    const std::string name_;
    std::vector<std::string>& closed_;
};

struct Places : testing::Test {
    std::vector<std::string> closed;
    std::vector<std::shared_ptr<Listed>> all;

    Listed& let_in(ConnectionSlots& places, const std::string& peer, const std::string& name) {
        places.make_room(peer);
        all.push_back(std::make_shared<Listed>(name, closed));
        places.add(peer, all.back());
        return *all.back();
    }
};

TEST_F(Places, GoFirstFromKeptConnectionsAndLastFromThoseThatWaitForTheirAnswer) {
    ConnectionSlots places({.total = 4, .per_peer = 9});
    let_in(places, "a", "waiting").become(Stage::handling);
    let_in(places, "b", "sending").become(Stage::writing);
    let_in(places, "c", "asking").become(Stage::reading);
    let_in(places, "d", "idle").become(Stage::idle);
    for (const char* name : {"1", "2", "3", "4"})
        let_in(places, name, name).become(Stage::handling);
    EXPECT_THAT(closed, ElementsAre("idle", "asking", "sending", "waiting"));
}

TEST_F(Places, GoFirstFromThePeerThatHasTheMost) {
    ConnectionSlots places({.total = 4, .per_peer = 9});
    let_in(places, "probe", "old probe");
    for (const char* name : {"1", "2", "3"}) let_in(places, "crowd", name);
    let_in(places, "another", "new");
    EXPECT_THAT(closed, ElementsAre("1"));
}

TEST_F(Places, OfOnePeerAreLimitedToo) {
    ConnectionSlots places({.total = 100, .per_peer = 2});
    let_in(places, "other", "other");
    for (const char* name : {"1", "2", "3", "4"}) let_in(places, "crowd", name);
    EXPECT_THAT(closed, ElementsAre("1", "2"));
    EXPECT_EQ(places.size(), 3u);
}

TEST_F(Places, OfConnectionsThatHaveGoneAreFree) {
    ConnectionSlots places({.total = 1, .per_peer = 1});
    let_in(places, "a", "gone");
    all.clear();
    let_in(places, "a", "next");
    EXPECT_THAT(closed, IsEmpty());
    EXPECT_EQ(places.size(), 1u);
}

TEST_F(Places, AreLostByThoseThatHaveNotReadTheirAnswersForTheLongest) {
    ConnectionSlots places({.total = 9, .per_peer = 9, .unsent = 100});
    let_in(places, "a", "first").owe(60);
    let_in(places, "b", "second").owe(60);
    let_in(places, "c", "third").owe(40);
    places.bound_unsent();
    EXPECT_THAT(closed, ElementsAre("first"));
}

TEST(Peers, AreTheMachinesBehindAddresses) {
    const auto key = [](const char* text) { return peer_key(boost::asio::ip::make_address(text)); };
    EXPECT_EQ(key("10.0.0.7"), "10.0.0.7");
    EXPECT_EQ(key("::ffff:10.0.0.7"), "10.0.0.7");
    EXPECT_EQ(key("2001:db8::1"), "2001:db8::/64");
    EXPECT_EQ(key("2001:db8::1"), key("2001:db8:0:0:ffff::9"));
    EXPECT_NE(key("2001:db8::1"), key("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace capstan::io
