#include "grpc_frame.hpp"

#include <gmock/gmock.h>

namespace capstan::external_grpc {
namespace {

using std::string_literals::operator""s;
using ::testing::HasSubstr;

TEST(GrpcFrame, PrependsAByteAndTheLength) {
    EXPECT_EQ(frame_message(""), "\0\0\0\0\0"s);
    EXPECT_EQ(frame_message("abc"), "\0\0\0\0\3abc"s);
    EXPECT_EQ(frame_message(std::string(0x010203, 'x'))->substr(0, 6), "\0\0\1\2\3x"s);
}

TEST(GrpcFrame, ReadsWhatItWrites) {
    for (const std::string& message : {""s, "abc"s, "\0\0"s, std::string(70'000, 'x')})
        EXPECT_EQ(unframe_message(*frame_message(message)), message);
}

TEST(GrpcFrame, RejectsMessagesAboveTheHostLimit) {
    EXPECT_TRUE(frame_message(std::string(longest_message, 'x')));
    const auto refused = frame_message(std::string(longest_message + 1, 'x'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
}

TEST(GrpcFrame, ReportsAnInvalidBody) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "no message"},
        {"\0"s, "ends inside the message length"},
        {"\0\0\0\0"s, "ends inside the message length"},
        {"\0\0\0\0\3ab"s, "after 2 of 3 bytes"},
        {"\0\xff\xff\xff\xff"s, "after 0 of 4294967295 bytes"},
        {"\1\0\0\0\1a"s, "compressed"},
        {"\0\0\0\0\1a\0\0\0\0\1b"s, "more than one message"},
        {"\0\0\0\0\0x"s, "more than one message"}};
    for (const auto& [body, why] : cases) {
        const auto read = unframe_message(body);
        ASSERT_FALSE(read) << why;
        EXPECT_THAT(read.error().message, HasSubstr(why));
        EXPECT_EQ(read.error().code, ErrorCode::unavailable);
    }
}

}  // namespace
}  // namespace capstan::external_grpc
