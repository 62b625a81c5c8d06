#include "kubernetes/client/api_status.hpp"

#include <gtest/gtest.h>

#include <string>

#include <boost/json/serialize.hpp>

namespace capstan::kubernetes::client {
namespace {

ApiReply reply_of(std::string body) { return {.status = 200, .body = std::move(body)}; }

TEST(ParseApiObject, AcceptsDeeplyNestedObjects) {
    std::string deep = "7";
    for (int i = 0; i < 200; ++i) deep = R"({"a":)" + deep + "}";
    const auto object = parse_object(reply_of(deep));
    ASSERT_TRUE(object) << object.error();
    EXPECT_EQ(boost::json::serialize(*object), deep);
}

TEST(ParseApiObject, KeepsNumbersOf64Bits) {
    const std::string numbers = R"({"min":-9223372036854775808,"max":18446744073709551615})";
    EXPECT_EQ(boost::json::serialize(*parse_object(reply_of(numbers))), numbers);
}

TEST(ParseApiObject, RejectsMalformedBodies) {
    for (const char* body : {"", "<html>", "[]", "null", R"({"a":)"}) {
        SCOPED_TRACE(body);
        EXPECT_EQ(parse_object(reply_of(body)).error().code, ErrorCode::unavailable);
    }
    EXPECT_EQ(parse_object(fail(ErrorCode::throttled, "later")).error().code, ErrorCode::throttled);
}

}  // namespace
}  // namespace capstan::kubernetes::client
