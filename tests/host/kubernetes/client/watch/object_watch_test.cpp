#include "kubernetes/client/watch/object_watch.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "../scripted_api.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/client/api_status.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string object(const std::string& name, const std::string& version,
                   const std::string& uid = {}) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" +
           (uid.empty() ? "u-" + name : uid) + R"(","resourceVersion":")" + version +
           R"("},"spec":{"cold":[1,2]}})";
}

std::string raw_page(const std::string& version, const std::string& items,
                     const std::string& next = {}) {
    return R"({"kind":"WidgetList","metadata":{"resourceVersion":")" + version +
           R"(","continue":")" + next + R"("},"items":[)" + items + "]}";
}

std::string event(const std::string& type, const std::string& of) {
    return R"({"type":")" + type + R"(","object":)" + of + "}\n";
}

/// Watches the widgets of the namespace shop and records changes as "added a@1".
struct ObjectWatchTest : ::testing::Test {
    boost::asio::io_context io;
    std::shared_ptr<io::ManualClock> clock = std::make_shared<io::ManualClock>(Time{});
    io::ManualLoop loop{io, clock};
    ScriptedApi api{loop};
    std::vector<std::string> changes;
    std::string last_object;
    ObjectWatch watch{api, loop, options()};

    ObjectWatch::Options options() {
        ObjectWatch::Options out{.path = "/apis/acme/v1/namespaces/shop/widgets",
                                 .selectors = {{"labelSelector", "a=b"}},
                                 .api_version = "acme/v1",
                                 .kind = "Widget"};
        out.on_change = [this](ObjectWatch::Change change, const boost::json::object& of) {
            static constexpr const char* names[] = {"added ", "modified ", "deleted ", "synced"};
            std::string line = names[static_cast<int>(change)];
            if (!of.empty())
                line.append(base::text_at(of, "metadata.name"))
                    .append("@")
                    .append(base::text_at(of, "metadata.resourceVersion"));
            changes.push_back(line);
            last_object = boost::json::serialize(of);
        };
        out.on_error = [this](const Error& error) {
            changes.push_back("error " + std::string(name_of(error.code)));
        };
        return out;
    }
    std::vector<std::string> take_changes() { return std::exchange(changes, {}); }
    void push(const std::string& text) { api.push(api.last().id, text); }
    /// Reports a@1 and watches from version 5.
    void begin() {
        watch.start();
        api.answer({.body = raw_page("5", object("a", "1"))});
        ASSERT_THAT(take_changes(), ElementsAre("added a@1", "synced"));
    }
};

TEST_F(ObjectWatchTest, ReportsExistingObjectsAndThenChanges) {
    begin();
    EXPECT_THAT(api.asked()[0].line(), HasSubstr("widgets?labelSelector=a=b&limit=500"));
    EXPECT_THAT(api.last().line(), HasSubstr("watch=true"));
    EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=5"));
    push(event("ADDED", object("b", "6")) + event("MODIFIED", object("a", "7")) +
         event("DELETED", object("b", "8")));
    EXPECT_THAT(take_changes(), ElementsAre("added b@6", "modified a@7", "deleted b@8"));
}

TEST_F(ObjectWatchTest, ReportsFullObjects) {
    begin();
    push(event("ADDED", object("b", "6")));
    EXPECT_THAT(last_object, HasSubstr(R"("cold":[1,2])"));
    api.fail({ErrorCode::conflict, "gone", "Expired"});
    loop.advance(5s);
    api.answer({.body = raw_page("9", object("a", "1") + "," + object("b", "6"))});
    EXPECT_THAT(take_changes(), ElementsAre("added b@6", "synced"));
}

TEST_F(ObjectWatchTest, AddsTheKindToListedObjects) {
    watch.start();
    watch.pause();
    api.answer({.body = raw_page("5", object("a", "1"), "more")});
    EXPECT_THAT(last_object, HasSubstr(R"("apiVersion":"acme/v1","kind":"Widget")"));
}

TEST_F(ObjectWatchTest, ReadsLinesInPieces) {
    begin();
    const std::string line = event("ADDED", object("b", "6"));
    for (const char each : line) push(std::string(1, each));
    EXPECT_THAT(take_changes(), ElementsAre("added b@6"));
}

TEST_F(ObjectWatchTest, ReadsListsPageByPage) {
    watch.start();
    api.answer({.body = raw_page("5", object("a", "1"), "t1")});
    EXPECT_THAT(api.last().line(), HasSubstr("continue=t1"));
    api.answer({.body = raw_page("5", object("b", "2"))});
    EXPECT_THAT(take_changes(), ElementsAre("added a@1", "added b@2", "synced"));
}

TEST_F(ObjectWatchTest, ResumesAWatchAtItsLastVersion) {
    begin();
    push(event("BOOKMARK", R"({"metadata":{"resourceVersion":"20"}})"));
    loop.advance(1s);
    api.end(api.last().id);
    EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=20"));
    EXPECT_THAT(take_changes(), IsEmpty());
}

TEST_F(ObjectWatchTest, ReportsOnlyDifferencesAfterARelist) {
    begin();
    push(event("ADDED", object("b", "6")) + event("ADDED", object("c", "7")));
    take_changes();
    push(event("ERROR", R"({"kind":"Status","status":"Failure","reason":"Expired","code":410})"));
    loop.advance(5s);
    api.answer({.body = raw_page("30", object("a", "1") + "," + object("b", "9"))});
    EXPECT_THAT(take_changes(), ElementsAre("modified b@9", "deleted c@", "synced"));
    EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=30"));
}

TEST_F(ObjectWatchTest, ReportsAReplacedObjectAsDeletedAndAdded) {
    begin();
    push(event("ADDED", object("a", "9", "u-other")));
    EXPECT_THAT(take_changes(), ElementsAre("deleted a@", "added a@9"));
}

TEST_F(ObjectWatchTest, IgnoresAKnownVersionAndTheDeletionOfAnUnknownObject) {
    begin();
    push(event("MODIFIED", object("a", "1")) + event("DELETED", object("never", "6")));
    EXPECT_THAT(take_changes(), IsEmpty());
}

TEST_F(ObjectWatchTest, IgnoresObjectsOfAnotherKindAndObjectsWithoutAName) {
    begin();
    for (const std::string odd : {R"({"kind":"Frob","metadata":{"name":"a"}})",
                                  R"({"kind":"Widget","metadata":{}})", R"({"kind":"Widget"})"})
        push(event("ADDED", odd) + event("DELETED", odd));
    push(event("DELETED", object("a", "6")));
    EXPECT_THAT(take_changes(), ElementsAre("deleted a@6"));
}

TEST_F(ObjectWatchTest, ReportsAnErrorOnceAndItsEnd) {
    begin();
    const auto lose = [&] {
        api.fail({ErrorCode::unavailable, "no connection"});
        loop.advance(2min);
    };
    for (int i = 0; i < 3; ++i) lose();
    EXPECT_THAT(take_changes(), ElementsAre("error unavailable"));
    push(event("BOOKMARK", R"({"metadata":{"resourceVersion":"6"}})"));
    EXPECT_THAT(take_changes(), ElementsAre("synced"));
}

TEST_F(ObjectWatchTest, RejectsAResponseThatIsNotAList) {
    begin();
    api.fail({ErrorCode::conflict, "expired", "Expired"});
    loop.advance(5s);
    api.answer({.body = R"({"kind":"Status"})"});
    EXPECT_THAT(take_changes(), ElementsAre("error invalid_argument"));
    loop.advance(1min);
    api.answer({.body = raw_page("9", "")});
    EXPECT_THAT(take_changes(), ElementsAre("deleted a@", "synced"));
}

TEST_F(ObjectWatchTest, RestartsAListWithAnExpiredToken) {
    watch.start();
    api.answer({.body = raw_page("5", object("a", "1"), "t1")});
    api.answer(refusal(410, "Expired"));
    loop.advance(5s);
    EXPECT_THAT(api.last().line(), ::testing::Not(HasSubstr("continue")));
    api.answer({.body = raw_page("6", object("b", "2"))});
    EXPECT_THAT(take_changes(), ElementsAre("added a@1", "added b@2", "deleted a@", "synced"));
}

TEST_F(ObjectWatchTest, PausesAndResumes) {
    begin();
    watch.pause();
    push(event("ADDED", object("b", "6")) + event("ADDED", object("c", "7")));
    EXPECT_THAT(take_changes(), ElementsAre("added b@6", "added c@7"));
    EXPECT_EQ(api.open_count(), 0u);
    loop.advance(10min);
    EXPECT_EQ(api.open_count(), 0u);
    watch.resume();
    EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=7"));
}

TEST_F(ObjectWatchTest, PausesBetweenPages) {
    watch.start();
    watch.pause();
    api.answer({.body = raw_page("5", object("a", "1"), "t1")});
    EXPECT_EQ(api.open_count(), 0u);
    watch.resume();
    EXPECT_THAT(api.last().line(), HasSubstr("continue=t1"));
    watch.resume();
    EXPECT_EQ(api.open_count(), 1u);
}

TEST_F(ObjectWatchTest, ReopensASilentWatchAndReportsIt) {
    begin();
    push(event("BOOKMARK", R"({"metadata":{"resourceVersion":"6"}})"));
    const auto before = api.last().id;
    loop.advance(74s);
    EXPECT_EQ(api.last().id, before);
    loop.advance(1s);
    EXPECT_EQ(api.last().id, before + 1);
    EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=6"));
    EXPECT_THAT(take_changes(), ElementsAre("error deadline"));
    push(event("BOOKMARK", R"({"metadata":{"resourceVersion":"7"}})"));
    EXPECT_THAT(take_changes(), ElementsAre("synced"));
}

TEST_F(ObjectWatchTest, ReopensASilentWatchQuietlyWithoutBookmarks) {
    begin();
    for (int i = 0; i < 3; ++i) {
        const auto before = api.last().id;
        loop.advance(2min + 10s);
        EXPECT_EQ(api.last().id, before + 1);
        EXPECT_THAT(api.last().line(), HasSubstr("resourceVersion=5"));
    }
    EXPECT_THAT(take_changes(), IsEmpty());
}

TEST_F(ObjectWatchTest, RelistsSoonAfterALongOutage) {
    begin();
    for (int i = 0; i < 8; ++i) {
        api.fail({ErrorCode::unavailable, "no connection"});
        loop.advance(1min);
    }
    push(event("ERROR", R"({"kind":"Status","status":"Failure","reason":"Expired","code":410})"));
    loop.advance(800ms);
    EXPECT_THAT(api.last().line(), HasSubstr("widgets?labelSelector=a=b&limit=500"));
}

TEST_F(ObjectWatchTest, ReadsDeeplyNestedObjects) {
    begin();
    const std::string deep = std::string(200, '[') + std::string(200, ']');
    push(event("ADDED", R"({"metadata":{"name":"b","namespace":"shop","uid":"u-b",)"
                        R"("resourceVersion":"6"},"spec":)" +
                            deep + "}"));
    EXPECT_THAT(take_changes(), ElementsAre("added b@6"));
}

TEST_F(ObjectWatchTest, CancelsRequestsAtItsEnd) {
    {
        ObjectWatch other(api, loop, options());
        other.start();
        EXPECT_EQ(api.open_count(), 1u);
    }
    loop.settle();
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_THAT(changes, IsEmpty());
}

}  // namespace
}  // namespace capstan::kubernetes::client
