#include <capstan/pages.hpp>

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using capstan::ErrorCode;
using capstan::next_link;
using capstan::Page;
using capstan::Result;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::reply;
using capstan::testing::run;

/// Pages by their tokens.
struct NumberedPages {
    std::map<std::string, Page<int>> pages;
    int reads = 0;

    Task<Page<int>> read(std::string token) {
        ++reads;
        const auto at = pages.find(token);
        if (at == pages.end()) co_return capstan::fail(ErrorCode::throttled, "page " + token);
        co_return at->second;
    }
    Result<std::vector<int>> all(std::size_t most = 1000) {
        FakeHost host;
        const auto page = [this](std::string token) { return read(std::move(token)); };
        return run(host, capstan::read_pages(page, most));
    }
};

TEST(Pages, AreReadInOrderToTheLast) {
    NumberedPages book{{{"", {{1, 2}, "a"}}, {"a", {{}, "b"}}, {"b", {{3}, ""}}}};
    EXPECT_EQ(book.all(), (std::vector{1, 2, 3}));
    EXPECT_EQ(book.reads, 3);
    NumberedPages one{{{"", {}}}};
    EXPECT_EQ(one.all(), std::vector<int>());
}

TEST(Pages, FailIfOneFails) {
    NumberedPages book{{{"", {{1, 2}, "a"}}}};
    EXPECT_EQ(book.all(), capstan::fail(ErrorCode::throttled, "page a"));
}

TEST(Pages, EndAtARepeatedToken) {
    NumberedPages book{{{"", {{1}, "a"}}, {"a", {{2}, "b"}}, {"b", {{3}, "a"}}}};
    const auto got = book.all();
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error(),
              (capstan::Error{ErrorCode::unavailable,
                              "page 3: the token of the next page, \"a\", was returned before"}));
}

TEST(Pages, EndAtTheLimit) {
    NumberedPages book;
    for (int i = 0; i < 10; ++i)
        book.pages[i == 0 ? "" : std::to_string(i)] = {{i}, std::to_string(i + 1)};
    const auto got = book.all(5);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().message, "more than 5 pages");
    EXPECT_EQ(book.reads, 5);
    book.pages["4"].next = "";
    EXPECT_EQ(book.all(5)->size(), 5u);
}

TEST(Pages, FollowLinksToTheNextPage) {
    const struct {
        const char* link;
        const char* next;
    } cases[] = {
        {R"(<https://a/x?page=2>; rel="next")", "https://a/x?page=2"},
        {R"(<https://a/x?p=1>; rel="prev", <https://a/x?p=3>; rel="next")", "https://a/x?p=3"},
        {R"(<https://a/x?a=1,2>;rel=next)", "https://a/x?a=1,2"},
        {R"(<https://a/x>; title="a, <b>"; rel="last next")", "https://a/x"},
        {R"(<https://a/x>; REL="Next")", "https://a/x"},
        {R"(<https://a/x>; rel="last")", ""},
        {R"(<https://a/x>; rel="nextish")", ""},
        {R"(<https://a/x>; xrel="next")", ""},
        {R"(<https://a/x>)", ""},
        {R"(<https://a/x)", ""},
        {"", ""},
    };
    for (const auto& c : cases)
        EXPECT_EQ(next_link(reply(200, "", {{"link", c.link}})), c.next) << c.link;
    EXPECT_EQ(
        next_link(reply(
            200, "", {{"link", "<https://a/1>; rel=prev"}, {"link", "<https://a/2>; rel=next"}})),
        "https://a/2");
    EXPECT_EQ(next_link(reply(200)), "");
}

}  // namespace
