#include "simulator/page/page.hpp"

#include <gmock/gmock.h>

#include "page_case.hpp"

namespace capstan::simulator::page {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;

TEST(ReportPage, ShowsAStripForPendingPodsAndEachGroup) {
    PageCase run;
    run.group("web", 2);
    run.group("batch");
    EXPECT_THAT(ReadPage(run.html()).texts("//section/header/h3"),
                ElementsAre("Pending pods", "batch", "web"));
}

TEST(ReportPage, ShowsNoStripsForEmptyGroupsIfThereAreManyGroups) {
    PageCase run;
    for (char c = 'a'; c <= 'i'; ++c) run.group(std::string("group-") + c);
    run.group("web", 1);
    const ReadPage page(run.html());
    EXPECT_THAT(page.texts("//section/header/h3"), ElementsAre("Pending pods", "web"));
    EXPECT_THAT(page.texts("//p[@class='idle']"),
                ElementsAre("group-a, group-b, group-c, group-d, group-e, group-f, group-g, "
                            "group-h, group-i"));
}

TEST(ReportPage, ShowsABackOffAsABandWithItsReasonOnHover) {
    PageCase run;
    run.group("web").back_offs = {{15min, 45min, "no capacity in zone a"}};
    run.group("batch");
    const ReadPage page(run.html());
    EXPECT_EQ(page.count(strip("batch") + "//g[@class='back-off']"), 0u);
    EXPECT_THAT(page.texts(strip("web") + "//g[@class='back-off']/rect[1]/@x"), ElementsAre("317"));
    EXPECT_THAT(page.texts(strip("web") + "//g[@class='back-off']/rect[1]/@width"),
                ElementsAre("546"));
    EXPECT_THAT(page.texts(strip("web") + "//rect[@class='cell']/title"),
                ElementsAre(Not(HasSubstr("backed off")),
                            HasSubstr("backed off from 15m to 45m: no capacity in zone a"),
                            Not(HasSubstr("backed off"))));
}

TEST(ReportPage, MarksDecisionsWithReasonAndLink) {
    PageCase run;
    run.group("web");
    run.event(1min, EventKind::arrival, "web: 2 pods arrive");
    run.event(10min, EventKind::increase, "increase web by 2: 0 -> 2", "makes room for 2 pods",
              "web");
    const ReadPage page(run.html());
    EXPECT_THAT(page.texts(strip("web") + "//a/title"),
                ElementsAre("10m  increase web by 2: 0 -> 2\nmakes room for 2 pods"));
    EXPECT_THAT(page.texts(strip("web") + "//a/@href"), ElementsAre("#e2"));
    EXPECT_THAT(page.texts("//tr[@id='e2']/td"),
                ElementsAre("10m", "", "increase web by 2: 0 -> 2", "makes room for 2 pods"));
}

TEST(ReportPage, MarksNodeEventsOnTheirGroup) {
    PageCase run;
    run.group("web", 1);
    run.history.group_of = {{"web-1", "web"}};
    run.event(10min, EventKind::removal, "removal of web-1 begins", "unneeded", "web-1");
    run.event(20min, EventKind::note, "a limit was hit");
    const ReadPage page(run.html());
    EXPECT_EQ(page.count(strip("web") + "//a"), 1u);
    EXPECT_EQ(page.count(strip("Pending pods") + "//a"), 1u);
}

TEST(ReportPage, EscapesNamesAndReasons) {
    const std::string markup = "</title><script>\"&amp;'";
    PageCase run;
    run.report.title = markup;
    run.group(markup).back_offs = {{15min, 45min, markup}};
    run.event(10min, EventKind::failure, markup, markup, markup);
    run.report.unmet = {{markup, markup}};
    run.report.expected = 1;
    run.report.summary.still_pending = {{markup, 1, 1min, markup}};
    run.report.summary.node_hours_of = {{markup, 1}};
    const ReadPage page(run.html());
    EXPECT_EQ(page.count("//script"), 0u);
    EXPECT_THAT(page.texts("//h1"), ElementsAre(markup));
    EXPECT_THAT(page.texts("//section/header/h3"), Contains(markup));
    EXPECT_THAT(page.texts("//a/title"), ElementsAre("10m  " + markup + "\n" + markup));
    EXPECT_THAT(page.texts("//rect/title"), Contains(HasSubstr("45m: " + markup)));
    EXPECT_THAT(page.texts("//pre"), ElementsAre(markup + ": " + markup));
}

TEST(ReportPage, LoadsNothingFromOutside) {
    PageCase run;
    run.group("web", 1).back_offs = {{15min, 45min, "no capacity"}};
    run.event(10min, EventKind::increase, "increase web by 1", "", "web");
    const std::string html = run.html();
    const ReadPage page(html);
    EXPECT_EQ(page.count("//script | //link | //img | //iframe | //object | //@src"), 0u);
    for (const std::string& link : page.texts("//@href")) {
        ASSERT_EQ(link.front(), '#');
        EXPECT_EQ(page.count("//*[@id='" + link.substr(1) + "']"), 1u) << link;
    }
    const std::string style = page.texts("//style").front();
    EXPECT_THAT(style, Not(HasSubstr("@import")));
    EXPECT_THAT(style, Not(HasSubstr("http")));
    for (std::size_t at = style.find("url("); at != style.npos; at = style.find("url(", at + 1))
        EXPECT_EQ(style[at + 4], '#');
}

TEST(ReportPage, IsCompleteWithoutPasses) {
    const ReadPage page(make_page({}, "scenario.toml", {}));
    EXPECT_THAT(page.texts("//h1"), ElementsAre("scenario.toml"));
    EXPECT_THAT(page.texts("//section/header/h3"), ElementsAre("Pending pods"));
    EXPECT_THAT(page.texts("//body/p"),
                ElementsAre("scenario.toml, seed 0", "No node groups.", "No events."));
}

TEST(ReportPage, IsCompleteForASinglePass) {
    PageCase run;
    run.group("web", 3);
    run.history.pending = {{0s, 2}};
    run.history.end = run.report.summary.span = 0s;
    const ReadPage page(run.html());
    EXPECT_THAT(page.texts(strip("web") + "//rect[@class='cell']/title"),
                ElementsAre("0s to 1s\ntarget 3, 3 ready, 0 upcoming"));
    EXPECT_THAT(page.texts(strip("Pending pods") + "/header/p"), ElementsAre("2 pods at the end"));
}

TEST(ReportPage, ShowsUnmetExpectations) {
    PageCase run;
    run.report.expected = 3;
    run.report.unmet = {{"scenario.toml:31", "expected increase web by 1"}};
    const ReadPage page(run.html());
    EXPECT_THAT(page.texts("//div[@class='verdict unmet']/p"),
                ElementsAre("2 of 3 expectations met"));
    EXPECT_THAT(page.texts("//div/pre"),
                ElementsAre("scenario.toml:31: expected increase web by 1"));
}

TEST(ReportPage, ListsOnlyDecisionsAndBackOffsIfTheRunIsLong) {
    PageCase run;
    run.group("web");
    for (int i = 0; i < 400; ++i) run.event(i * 1s, EventKind::bound, "a pod is bound to a node");
    run.event(10min, EventKind::increase, "increase web by 1", "", "web");
    run.event(20min, EventKind::backoff, "web is backed off", "", "web");
    EXPECT_THAT(ReadPage(run.html()).texts("//tbody/tr/td[3]"),
                ElementsAre("increase web by 1", "web is backed off"));
}

/// Groups that change, fail and are scaled up in every pass.
PageCase busy(int groups, int passes) {
    PageCase run;
    run.report.summary.span = run.history.end = passes * 10s;
    for (int g = 0; g < groups; ++g) {
        GroupHistory& group = run.group("group-" + std::to_string(g));
        for (int i = 1; i < passes; ++i) {
            group.levels.push_back({i * 10s, {.target = i % 7, .ready = i % 5}});
            group.back_offs.push_back({i * 10s, i * 10s + 5s, "no capacity in zone a"});
            run.event(i * 10s, EventKind::increase, "increase by 1", "makes room for 1 pod",
                      "group-" + std::to_string(g));
        }
    }
    return run;
}

TEST(ReportPage, LimitsItsSize) {
    const std::string month = busy(1, 260'000).html();
    EXPECT_THAT(month.size(), Lt(1'000'000u));
    EXPECT_THAT(ReadPage(month).texts("//body/p"), Contains(HasSubstr("257999 more")));
    EXPECT_THAT(busy(200, 1000).html().size(), Lt(200 * 50'000u));
}

TEST(ReportPage, IsIdenticalForEqualRuns) { EXPECT_EQ(busy(3, 50).html(), busy(3, 50).html()); }

}  // namespace
}  // namespace capstan::simulator::page
