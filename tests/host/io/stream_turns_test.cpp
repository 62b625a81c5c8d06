#include "io/stream_turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

namespace capstan::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct StreamTurnsTest : testing::Test {
    StreamTurns turns{{.turn = 4, .waiting = 8}};
    std::vector<std::string> received;

    void open(StreamTurns::Id id) {
        turns.open(id, [this, id](std::string_view part) {
            received.push_back(std::to_string(id) + std::string(part));
        });
    }
};

TEST_F(StreamTurnsTest, DeliverPartsImmediatelyUntilTheTurnIsUsedUp) {
    open(1);
    EXPECT_FALSE(turns.wants_turn());
    turns.take(1, "ab");
    turns.take(1, "cd");
    EXPECT_THAT(received, ElementsAre("1ab", "1cd"));
    EXPECT_FALSE(turns.is_waiting(1));
    turns.take(1, "ef");
    EXPECT_THAT(received, ElementsAre("1ab", "1cd"));
    EXPECT_TRUE(turns.wants_turn());
    EXPECT_THAT(turns.turn().done, ElementsAre(1));
    EXPECT_THAT(received, ElementsAre("1ab", "1cd", "1ef"));
}

TEST_F(StreamTurnsTest, AlternateBetweenStreams) {
    open(1);
    open(2);
    turns.take(1, "full");
    for (const char* part : {"a", "b", "c", "d", "e"}) turns.take(1, part);
    turns.take(2, "z");
    received.clear();
    EXPECT_THAT(turns.turn().done, ElementsAre(2));
    EXPECT_THAT(received, ElementsAre("1a", "2z", "1b", "1c"));
    EXPECT_THAT(turns.turn().done, ElementsAre(1));
    EXPECT_THAT(received, ElementsAre("1a", "2z", "1b", "1c", "1d", "1e"));
    EXPECT_TRUE(turns.wants_turn()) << "the next turn begins after other work";
    EXPECT_THAT(turns.turn().done, IsEmpty());
    EXPECT_FALSE(turns.wants_turn());
}

TEST_F(StreamTurnsTest, KeepTheOrderOfWaitingParts) {
    open(1);
    turns.take(1, "full");
    turns.take(1, "a");
    turns.turn();
    turns.take(1, "b");
    turns.take(1, "cde");
    turns.take(1, "f");
    turns.take(1, "g");
    turns.turn();
    EXPECT_THAT(received, ElementsAre("1full", "1a", "1b", "1cde", "1f", "1g"));
}

TEST_F(StreamTurnsTest, ReportWhenReadingShouldPause) {
    open(1);
    turns.take(1, "full");
    turns.take(1, "1234");
    EXPECT_FALSE(turns.is_full());
    turns.take(1, "5678");
    EXPECT_TRUE(turns.is_full());
    EXPECT_FALSE(turns.has_room());
    turns.turn();
    EXPECT_FALSE(turns.is_full());
    EXPECT_TRUE(turns.has_room());
}

TEST_F(StreamTurnsTest, DropWaitingPartsOfAClosedStream) {
    open(1);
    open(2);
    turns.take(1, "full");
    turns.take(1, "12345678");
    turns.take(2, "z");
    turns.close(1);
    turns.close(1);
    EXPECT_FALSE(turns.is_full());
    received.clear();
    EXPECT_THAT(turns.turn().done, ElementsAre(2));
    EXPECT_THAT(received, ElementsAre("2z"));
}

TEST_F(StreamTurnsTest, EndAStreamWhoseListenerThrows) {
    turns.open(1, [](std::string_view part) {
        if (part == "bad") throw std::bad_alloc();
    });
    open(2);
    turns.take(1, "full");
    for (const char* part : {"bad", "more"}) turns.take(1, part);
    turns.take(2, "z");
    const StreamTurns::TurnResult result = turns.turn();
    EXPECT_THAT(result.failed, ElementsAre(1));
    EXPECT_THAT(result.done, ElementsAre(2));
    EXPECT_FALSE(turns.is_waiting(1));
}

}  // namespace
}  // namespace capstan::io
