#include "simulator/page/marks.hpp"

#include <gmock/gmock.h>

#include "page_case.hpp"

namespace capstan::simulator::page {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

// One hour is 1092 units, ten minutes are 182.
const Frame hour_frame{.span = 1h, .columns = 1000};

ReadPage drawn(const std::vector<Mark>& marks) {
    Markup out;
    out.open("svg");
    draw_marks(out, marks, hour_frame, 100);
    return ReadPage(out.take());
}

TEST(PageMarks, AreCombinedIfTheyOverlap) {
    const ReadPage page = drawn({{10min, EventKind::increase, "first", ""},
                                 {10min + 10s, EventKind::increase, "second", ""},
                                 {20min, EventKind::increase, "third", ""}});
    EXPECT_THAT(page.texts("//use/@x"), ElementsAre("226", "408"));
    EXPECT_THAT(page.texts("//g/text"), ElementsAre("2"));
    EXPECT_THAT(page.texts("//g/title"), ElementsAre("first\nsecond", "third"));
}

TEST(PageMarks, AreStackedByKind) {
    const std::vector<Mark> marks{{10min, EventKind::failure, "refused", ""},
                                  {10min, EventKind::increase, "more", ""}};
    EXPECT_THAT(drawn(marks).texts("//use/@y"), ElementsAre("107", "121"));
    EXPECT_THAT(drawn(marks).texts("//title"), ElementsAre("more", "refused"));
    EXPECT_EQ(height_of(marks), 28);
    EXPECT_EQ(height_of({}), 0);
}

TEST(PageMarks, ListOnlyTheFirstTexts) {
    const std::vector<Mark> marks(20, {10min, EventKind::note, "again", ""});
    EXPECT_THAT(drawn(marks).texts("//title"), ElementsAre(EndsWith("again\nand 15 more")));
}

TEST(PageMarks, HaveNoLinkWithoutATableRow) {
    const std::vector<const Event*> none;
    EXPECT_TRUE(mark_events(none, 5, {}).of_all.empty());
    Event first{.kind = EventKind::note, .text = "a"}, second{.kind = EventKind::note, .text = "b"};
    const auto marked = mark_events({&first, &second}, 1, {}).of_all;
    ASSERT_EQ(marked.size(), 2u);
    EXPECT_EQ(marked[0].row, "e1");
    EXPECT_EQ(marked[1].row, "");
    EXPECT_EQ(drawn({marked[1]}).count("//a"), 0u);
}

TEST(PageMarks, BelongToTheGroupOfTheirSubject) {
    History history;
    history.groups["web"] = {};
    history.group_of["web-1"] = "web";
    const std::vector<Event> events{
        {.kind = EventKind::increase, .text = "of a group", .subject = "web"},
        {.kind = EventKind::eviction, .text = "of a node", .subject = "web-1"},
        {.kind = EventKind::note, .text = "of no group"},
        {.kind = EventKind::failure, .text = "of an unknown node", .subject = "gone-1"},
        {.kind = EventKind::bound, .text = "no decision", .subject = "web"}};
    std::vector<const Event*> shown;
    for (const Event& event : events) shown.push_back(&event);
    const MarkedEvents marked = mark_events(shown, 5, history);
    ASSERT_EQ(marked.of_group.size(), 1u);
    EXPECT_THAT(marked.of_group.at("web"),
                ElementsAre(::testing::Field(&Mark::text, EndsWith("of a group")),
                            ::testing::Field(&Mark::text, EndsWith("of a node"))));
    EXPECT_THAT(marked.of_all,
                ElementsAre(::testing::Field(&Mark::text, EndsWith("of no group")),
                            ::testing::Field(&Mark::text, EndsWith("of an unknown node"))));
}

TEST(PageMarks, HaveTheirReasonAndATimeOfDayOfARealCluster) {
    const Event event{.at = 10min,
                      .kind = EventKind::increase,
                      .text = "increase web by 1",
                      .because = "makes room for 3 pods"};
    const auto text_of = [&](const std::optional<Time>& start) {
        return mark_events({&event}, 0, {}, start).of_all.at(0).text;
    };
    EXPECT_EQ(text_of(std::nullopt), "10m  increase web by 1\nmakes room for 3 pods");
    EXPECT_EQ(text_of(time_from_unix_ns(1'577'836'800'000'000'000)),
              "10m (2020-01-01T00:10:00Z)  increase web by 1\nmakes room for 3 pods");
}

TEST(PageMarks, OfDifferentKindsAreNeverCombined) {
    EXPECT_THAT(drawn({{10min, EventKind::note, "a", ""},
                       {10min, EventKind::fault, "b", ""},
                       {10min, EventKind::note, "c", ""}})
                    .texts("//title"),
                ElementsAre("b", "a\nc"));
}

}  // namespace
}  // namespace capstan::simulator::page
