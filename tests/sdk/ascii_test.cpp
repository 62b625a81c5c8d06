#include <capstan/ascii.hpp>

#include <cstdint>

#include <gtest/gtest.h>

namespace {

using capstan::ascii_lower;
using capstan::ascii_upper;
using capstan::hex_text;
using capstan::is_ascii_alnum;
using capstan::is_ascii_digit;
using capstan::is_ascii_lower;
using capstan::lower_case;

TEST(Ascii, LowersOnlyAsciiLetters) {
    EXPECT_EQ(lower_case("Content-TYPE 1"), "content-type 1");
    EXPECT_EQ(lower_case("\xc3\x84[@Z"), "\xc3\x84[@z");
}

TEST(Ascii, KeepsOtherCharacters) {
    for (int i = 0; i < 256; ++i) {
        const char c = static_cast<char>(i);
        EXPECT_EQ(ascii_upper(ascii_lower(c)), is_ascii_lower(c) ? ascii_upper(c) : c);
        EXPECT_EQ(is_ascii_alnum(c), is_ascii_digit(c) || ascii_lower(c) != ascii_upper(c));
    }
}

TEST(HexText, HasTwoDigitsPerByteAndSixteenPerNumber) {
    EXPECT_EQ(hex_text("\x1f\xab"), "1fab");
    EXPECT_EQ(hex_text(""), "");
    EXPECT_EQ(hex_text(std::uint64_t{31}), "000000000000001f");
    EXPECT_EQ(hex_text(UINT64_MAX - 1), "fffffffffffffffe");
}

}  // namespace
