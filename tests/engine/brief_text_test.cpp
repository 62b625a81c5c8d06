#include "engine/brief_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::engine {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

TEST(BriefText, KeepsShortTexts) {
    EXPECT_EQ(BriefText("no capacity").text(), "no capacity");
    const std::string longest(BriefText::limit, 'x');
    EXPECT_EQ(BriefText(longest).text(), longest);
}

TEST(BriefText, CutsLongTexts) {
    const std::string text(BriefText::limit + 1, 'x');
    EXPECT_EQ(BriefText(text).text(), std::string(BriefText::limit - 3, 'x') + "...");
    EXPECT_EQ(BriefText(text), text) << "the same is kept of both";
}

TEST(BriefText, CutsAfterWholeCharacters) {
    EXPECT_EQ(BriefText(repeated("\u20ac", 100)).text(), repeated("\u20ac", 84) + "...");
    EXPECT_EQ(BriefText("x" + repeated("\u20ac", 100)).text(),
              "x" + repeated("\u20ac", 84) + "...");
    EXPECT_EQ(BriefText("xx" + repeated("\u20ac", 100)).text(),
              "xx" + repeated("\u20ac", 83) + "...");
}

TEST(BriefText, StaysBoundedWithInvalidUtf8) {
    EXPECT_LE(BriefText(std::string(1000, '\x80')).text().size(), BriefText::limit);
}

}  // namespace
}  // namespace capstan::engine
