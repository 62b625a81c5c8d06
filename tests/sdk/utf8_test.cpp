#include <capstan/utf8.hpp>

#include <string>

#include <gtest/gtest.h>

namespace {

using capstan::beginning_of;
using capstan::clean_utf8;
using capstan::count_characters;
using capstan::is_utf8;

TEST(Utf8, IsWhatTheStandardAllows) {
    for (const char* const text : {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                   "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_TRUE(is_utf8(text)) << text;
    for (const char* const bytes :
         {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80",
          "\xf4\x90\x80\x80", "\xff", "a\xe2\x82", "\xc3\x28"})
        EXPECT_FALSE(is_utf8(bytes));
}

TEST(Utf8, CanBeMadeFromAnyBytesAndCutBetweenCharacters) {
    EXPECT_EQ(clean_utf8("a\xff"
                         "b\xe2\x82",
                         10),
              "a?b??");
    EXPECT_EQ(clean_utf8("a\xe2\x82\xac", 3), "a");
    EXPECT_EQ(clean_utf8("a\xe2\x82\xac", 4), "a\xe2\x82\xac");
    EXPECT_EQ(clean_utf8("", 4), "");
}

TEST(Utf8, IsCountedInCharactersAndCutBetweenThem) {
    EXPECT_EQ(count_characters("a\xe2\x82\xac\xf0\x9f\x98\x80"), 3u);
    EXPECT_EQ(beginning_of("a\xe2\x82\xac", 4), "a\xe2\x82\xac");
    for (const std::size_t limit : {1u, 2u, 3u})
        EXPECT_EQ(beginning_of("a\xe2\x82\xac", limit), "a");
    EXPECT_EQ(beginning_of("\xe2\x82\xac", 2), "");
    EXPECT_EQ(beginning_of("\x80\x80\x80\x80\x80", 4), "\x80\x80\x80\x80");
}

}  // namespace
