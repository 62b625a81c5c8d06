#include "kubernetes/client/watch/watch_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

namespace capstan::kubernetes::client {
namespace {

struct RecordedItems final : WatchSink {
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

TEST(WatchReader, ReadsLinesInPiecesOfAnySize) {
    const std::vector<std::string> expected = {
        R"(ADDED {"kind":"Node","metadata":{"name":"a","resourceVersion":"1"}})",
        R"(DELETED {"metadata":{"name":"a"}})",
        R"(BOOKMARK {"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})"};
    for (std::size_t size = 1; size <= lines.size(); ++size) {
        RecordedItems items;
        WatchReader reader(items);
        for (std::size_t at = 0; at < lines.size(); at += size)
            ASSERT_TRUE(reader.feed(lines.substr(at, size)));
        ASSERT_EQ(items.all, expected) << "pieces of " << size;
    }
}

TEST(WatchReader, ReportsALineOnceItIsComplete) {
    RecordedItems items;
    WatchReader reader(items);
    const std::size_t first_end = lines.find('\n');
    ASSERT_TRUE(reader.feed(lines.substr(0, first_end - 1)));
    EXPECT_TRUE(items.all.empty());
    ASSERT_TRUE(reader.feed(lines.substr(first_end - 1, 1)));
    EXPECT_EQ(items.all.size(), 1u);
}

TEST(WatchReader, SkipsUnusedMembers) {
    RecordedItems items;
    WatchReader reader(items);
    ASSERT_TRUE(reader.feed(
        R"({"type":"MODIFIED","object":{"metadata":{"name":"a","managedFields":[{"a":[1,{}]}]},"status":{"images":[{}]}}})"));
    EXPECT_EQ(items.all,
              (std::vector<std::string>{R"(MODIFIED {"metadata":{"name":"a"},"status":{}})"}));
}

TEST(WatchReader, ReadsPagesInPiecesWithMembersInAnyOrder) {
    for (
        const std::string_view text :
        {R"({"kind":"NodeList","metadata":{"resourceVersion":"12","continue":"abc","remainingItemCount":5},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})",
         R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"other":[{"x":1}],"metadata":{"x":{},"continue":"abc","resourceVersion":"12"}})"}) {
        for (std::size_t size = 1; size <= text.size(); ++size) {
            RecordedItems items;
            WatchReader reader(items);
            for (std::size_t at = 0; at < text.size(); at += size)
                ASSERT_TRUE(reader.feed(text.substr(at, size)));
            const Result<PageEnd> end = reader.finish_page();
            ASSERT_TRUE(end);
            EXPECT_EQ(end->resource_version, "12");
            EXPECT_EQ(end->next, "abc");
            ASSERT_EQ(items.all, (std::vector<std::string>{R"(item {"metadata":{"name":"a"}})",
                                                           R"(item {"metadata":{"name":"b"}})"}));
        }
    }
}

TEST(WatchReader, AcceptsAnEmptyList) {
    RecordedItems items;
    WatchReader reader(items);
    ASSERT_TRUE(reader.feed(
        R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})"));
    const Result<PageEnd> end = reader.finish_page();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->kind, "NodeList");
    EXPECT_EQ(end->api_version, "v1");
    EXPECT_TRUE(items.all.empty());
}

TEST(WatchReader, RejectsAResponseThatIsNotAList) {
    for (const char* text :
         {"", R"({"kind":"Status","message":"no"})", "[]", "7", R"({"metadata":{},"items":[{)",
          R"({"metadata":{"resourceVersion":"1"},"items":[]} {)",
          R"({"metadata":{"resourceVersion":"1"},"items":null})",
          R"({"metadata":{"resourceVersion":"1"},"items":{}})"}) {
        RecordedItems items;
        WatchReader reader(items);
        ASSERT_TRUE(reader.feed(text)) << text;
        EXPECT_FALSE(reader.finish_page()) << text;
        EXPECT_EQ(std::ranges::count(items.all, "item null"), 0) << text;
    }
    RecordedItems items;
    WatchReader reader(items);
    EXPECT_FALSE(reader.feed("<html>"));
    EXPECT_FALSE(reader.finish_page());
}

TEST(WatchReader, ReportsALineThatIsNotAnEvent) {
    RecordedItems items;
    WatchReader reader(items);
    ASSERT_TRUE(reader.feed(R"({"kind":"Status"} {"type":"ADDED"} {"type":"ADDED","object":[]})"));
    EXPECT_EQ(items.all, (std::vector<std::string>{" null", " null", " null"}));
}

TEST(WatchReader, KeepsAllMembersIfConfigured) {
    RecordedItems items;
    WatchReader reader(items, nullptr);
    ASSERT_TRUE(
        reader.feed(R"({"type":"ADDED","object":{"metadata":{"managedFields":[1]},"x":{}}})"));
    EXPECT_EQ(items.all,
              (std::vector<std::string>{R"(ADDED {"metadata":{"managedFields":[1]},"x":{}})"}));
}

TEST(WatchReader, ReportsAnItemThatIsNotAnObjectAsNull) {
    for (const char* item : {"null", "1", "[{}]", R"("text")"}) {
        RecordedItems items;
        WatchReader reader(items);
        ASSERT_TRUE(reader.feed(std::string(R"({"items":[)") + item + "]}"));
        EXPECT_EQ(items.all, (std::vector<std::string>{"item null"})) << item;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::client
