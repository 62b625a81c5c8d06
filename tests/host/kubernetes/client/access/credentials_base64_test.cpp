#include "kubernetes/client/access/credentials_base64.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <capstan/base64.hpp>

namespace capstan::kubernetes::client {
namespace {

TEST(Base64, ReadsTheSpecificationsExamples) {
    const std::pair<std::string, std::string> cases[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : cases) {
        EXPECT_EQ(find_base64_bytes(text), bytes);
    }
}

TEST(Base64, KeepsEveryByte) {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    EXPECT_EQ(find_base64_bytes(base64_encode(all)), all);
}

TEST(Base64, ReadsFoldedText) { EXPECT_EQ(find_base64_bytes("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64, RefusesWhatIsNone) {
    for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "Zm9v=", "Zg==Zg==", "Zm 9v", "Zm9-"})
        EXPECT_EQ(find_base64_bytes(text), std::nullopt) << text;
}

}  // namespace
}  // namespace capstan::kubernetes::client
