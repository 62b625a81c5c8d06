#include "kubernetes/client/watch/watch_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

namespace capstan::kubernetes::client {
namespace {

struct Heard final : WatchSink {
    void take_item(const boost::json::value& object) override {
        all.push_back("item " + boost::json::serialize(object));
    }
    void take_event(std::string_view type, const boost::json::value& object) override {
        all.push_back(std::string(type) + " " + boost::json::serialize(object));
    }
    std::vector<std::string> all;
};

constexpr std::string_view lines =
    R"({"type":"ADDED","object":{"kind":"Node","metadata":{"name":"a","resourceVersion":"1"}}}
{"object":{"metadata":{"name":"a"}},"type":"DELETED"}
{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}
)";

TEST(WatchReader, TellsEachLineOfAWatchWhereverItsTextIsCut) {
    const std::vector<std::string> expected = {
        R"(ADDED {"kind":"Node","metadata":{"name":"a","resourceVersion":"1"}})",
        R"(DELETED {"metadata":{"name":"a"}})",
        R"(BOOKMARK {"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})"};
    for (std::size_t size = 1; size <= lines.size(); ++size) {
        Heard heard;
        WatchReader reader(heard);
        for (std::size_t at = 0; at < lines.size(); at += size)
            ASSERT_TRUE(reader.feed(lines.substr(at, size)));
        ASSERT_EQ(heard.all, expected) << "pieces of " << size;
    }
}

TEST(WatchReader, TellsALineOnceItIsWholeNotBefore) {
    Heard heard;
    WatchReader reader(heard);
    const std::size_t first_end = lines.find('\n');
    ASSERT_TRUE(reader.feed(lines.substr(0, first_end - 1)));
    EXPECT_TRUE(heard.all.empty());
    ASSERT_TRUE(reader.feed(lines.substr(first_end - 1, 1)));
    EXPECT_EQ(heard.all.size(), 1u);
}

TEST(WatchReader, NeverBuildsMembersThatNobodyReads) {
    Heard heard;
    WatchReader reader(heard);
    ASSERT_TRUE(reader.feed(
        R"({"type":"MODIFIED","object":{"metadata":{"name":"a","managedFields":[{"a":[1,{}]}]},"status":{"images":[{}]}}})"));
    EXPECT_EQ(heard.all,
              (std::vector<std::string>{R"(MODIFIED {"metadata":{"name":"a"},"status":{}})"}));
}

TEST(WatchReader, ReadsAPageWhereverItsTextIsCutAndItsMembersStand) {
    for (
        const std::string_view text :
        {R"({"kind":"NodeList","metadata":{"resourceVersion":"12","continue":"abc","remainingItemCount":5},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})",
         R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"other":[{"x":1}],"metadata":{"x":{},"continue":"abc","resourceVersion":"12"}})"}) {
        for (std::size_t size = 1; size <= text.size(); ++size) {
            Heard heard;
            WatchReader reader(heard);
            for (std::size_t at = 0; at < text.size(); at += size)
                ASSERT_TRUE(reader.feed(text.substr(at, size)));
            const Result<PageEnd> end = reader.finish_page();
            ASSERT_TRUE(end);
            EXPECT_EQ(end->resource_version, "12");
            EXPECT_EQ(end->next, "abc");
            ASSERT_EQ(heard.all, (std::vector<std::string>{R"(item {"metadata":{"name":"a"}})",
                                                           R"(item {"metadata":{"name":"b"}})"}));
        }
    }
}

TEST(WatchReader, TakesAListWithoutItemsAsEmpty) {
    for (const char* text : {R"({"metadata":{"resourceVersion":"1"},"items":[]})",
                             R"({"metadata":{"resourceVersion":"1"},"items":null})"}) {
        Heard heard;
        WatchReader reader(heard);
        ASSERT_TRUE(reader.feed(text));
        EXPECT_TRUE(reader.finish_page());
        EXPECT_TRUE(heard.all.empty());
    }
}

TEST(WatchReader, NeverTakesAnotherAnswerForAnEmptyList) {
    for (const char* text :
         {"", R"({"kind":"Status","message":"no"})", "[]", "7", R"({"metadata":{},"items":[{)",
          R"({"metadata":{"resourceVersion":"1"},"items":[]} {)"}) {
        Heard heard;
        WatchReader reader(heard);
        ASSERT_TRUE(reader.feed(text)) << text;
        EXPECT_FALSE(reader.finish_page()) << text;
    }
    Heard heard;
    WatchReader reader(heard);
    EXPECT_FALSE(reader.feed("<html>"));
    EXPECT_FALSE(reader.finish_page());
}

TEST(WatchReader, TellsOfALineThatIsNoEvent) {
    Heard heard;
    WatchReader reader(heard);
    ASSERT_TRUE(reader.feed(R"({"kind":"Status"} {"type":"ADDED"} {"type":"ADDED","object":[]})"));
    EXPECT_EQ(heard.all, (std::vector<std::string>{" null", " null", " null"}));
}

TEST(WatchReader, BuildsAllMembersWhereAllAreKept) {
    Heard heard;
    WatchReader reader(heard, nullptr);
    ASSERT_TRUE(
        reader.feed(R"({"type":"ADDED","object":{"metadata":{"managedFields":[1]},"x":{}}})"));
    EXPECT_EQ(heard.all,
              (std::vector<std::string>{R"(ADDED {"metadata":{"managedFields":[1]},"x":{}})"}));
}

TEST(WatchReader, TellsAnItemThatIsNoObjectAsNull) {
    for (const char* item : {"null", "1", "[{}]", R"("text")"}) {
        Heard heard;
        WatchReader reader(heard);
        ASSERT_TRUE(reader.feed(std::string(R"({"items":[)") + item + "]}"));
        EXPECT_EQ(heard.all, (std::vector<std::string>{"item null"})) << item;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::client
