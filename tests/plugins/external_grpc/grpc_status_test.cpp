#include "grpc_status.hpp"

#include <gmock/gmock.h>

namespace capstan::external_grpc {
namespace {

TEST(GrpcStatus, MapsEachCodeToAnErrorCode) {
    struct Case {
        int code;
        std::string_view name;
        ErrorCode error;
    };
    const Case cases[] = {
        {1, "CANCELLED", ErrorCode::cancelled},
        {2, "UNKNOWN", ErrorCode::unavailable},
        {3, "INVALID_ARGUMENT", ErrorCode::invalid_argument},
        {4, "DEADLINE_EXCEEDED", ErrorCode::deadline},
        {5, "NOT_FOUND", ErrorCode::not_found},
        {6, "ALREADY_EXISTS", ErrorCode::conflict},
        {7, "PERMISSION_DENIED", ErrorCode::permission},
        {8, "RESOURCE_EXHAUSTED", ErrorCode::quota},
        {9, "FAILED_PRECONDITION", ErrorCode::conflict},
        {10, "ABORTED", ErrorCode::conflict},
        {11, "OUT_OF_RANGE", ErrorCode::invalid_argument},
        {12, "UNIMPLEMENTED", ErrorCode::unsupported},
        {13, "INTERNAL", ErrorCode::unavailable},
        {14, "UNAVAILABLE", ErrorCode::unavailable},
        {15, "DATA_LOSS", ErrorCode::unavailable},
        {16, "UNAUTHENTICATED", ErrorCode::unauthenticated},
    };
    EXPECT_EQ(name_of_grpc_code(grpc_ok), "OK");
    for (const Case& c : cases) {
        EXPECT_EQ(name_of_grpc_code(c.code), c.name);
        EXPECT_EQ(error_code_of(c.code), c.error) << c.name;
    }
}

TEST(GrpcStatus, MapsUnknownNumbersToUnknown) {
    for (const int code : {-1, 17, 999}) {
        EXPECT_EQ(name_of_grpc_code(code), "UNKNOWN");
        EXPECT_EQ(error_code_of(code), ErrorCode::unavailable);
    }
}

TEST(GrpcStatus, ParsesOnlyWholeNumbers) {
    EXPECT_EQ(find_grpc_code("0"), 0);
    EXPECT_EQ(find_grpc_code("16"), 16);
    for (const char* text : {"", " 0", "0 ", "-1", "1.0", "0x1", "99999999999", "OK"})
        EXPECT_EQ(find_grpc_code(text), std::nullopt) << text;
}

TEST(GrpcStatus, DecodesPercentEncodedMessages) {
    const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                         {"no such group", "no such group"},
                                                         {"a%20b", "a b"},
                                                         {"100%25", "100%"},
                                                         {"%E2%82%AC", "\xE2\x82\xAC"},
                                                         {"%e2%82%ac", "\xE2\x82\xAC"},
                                                         {"50%", "50%"},
                                                         {"50%2", "50%2"},
                                                         {"%zz%41", "%zzA"}};
    for (const auto& [encoded, text] : cases) EXPECT_EQ(decode_grpc_message(encoded), text);
}

}  // namespace
}  // namespace capstan::external_grpc
