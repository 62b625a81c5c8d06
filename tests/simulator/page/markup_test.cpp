#include "simulator/page/markup.hpp"

#include <gtest/gtest.h>

namespace capstan::simulator::page {
namespace {

struct Escaped {
    const char* what;
    std::string text, escaped;
};

const std::vector<Escaped> escaped_cases = {
    {"markup", "<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"},
    {"lines and tabs", "a\n\tb", "a\n\tb"},
    {"letters of other scripts", "größer → 東 🚀", "größer → 東 🚀"},
    {"control characters", std::string("a\0b\x1b\x7f", 5), "a\uFFFDb\uFFFD\uFFFD"},
    {"a character cut off", "gr\xc3", "gr\uFFFD"},
    {"an invalid first byte", "\x80\xff", "\uFFFD\uFFFD"},
    {"an overlong slash", "\xe0\x80\xaf", "\uFFFD\uFFFD\uFFFD"},
    {"half of a surrogate pair", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
    {"a noncharacter", "\xef\xbf\xbf", "\uFFFD\uFFFD\uFFFD"},
    {"an empty text", "", ""},
};

TEST(PageMarkup, EscapesTextAndReplacesInvalidCharacters) {
    for (const Escaped& c : escaped_cases) EXPECT_EQ(escaped(c.text), c.escaped) << c.what;
}

TEST(PageMarkup, RoundsCoordinatesToTenths) {
    EXPECT_EQ(coordinate(12), "12");
    EXPECT_EQ(coordinate(12.34), "12.3");
    EXPECT_EQ(coordinate(-0.25), "-0.3");
    EXPECT_EQ(coordinate(-0.01), "0");
    EXPECT_EQ(coordinate(0.96), "1");
}

TEST(PageMarkup, ClosesOpenElementsAtTheEnd) {
    Markup out;
    out.open("ul", {{"class", "a\"b"}}).open("li").text("1 < 2");
    EXPECT_EQ(out.take(), "<ul class=\"a&quot;b\"><li>1 &lt; 2</li>\n</ul>\n");
    EXPECT_EQ(out.take(), "");
}

TEST(PageMarkup, WritesElementsWithoutContent) {
    Markup out;
    out.empty("meta", {{"name", "<a>"}}).leaf("p", "").raw("<b>as it is</b>");
    EXPECT_EQ(out.take(), "<meta name=\"&lt;a&gt;\"/>\n<p></p>\n<b>as it is</b>");
}

}  // namespace
}  // namespace capstan::simulator::page
