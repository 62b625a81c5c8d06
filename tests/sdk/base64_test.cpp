#include <capstan/base64.hpp>

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::Base64;
using capstan::base64_decode;
using capstan::base64_decode_lenient;
using capstan::base64_encode;
using capstan::ErrorCode;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Base64Text, IsWrittenInFourForms) {
    const struct {
        const char* bytes;
        const char* standard;
        const char* url_unpadded;
    } cases[] = {
        {"", "", ""},
        {"f", "Zg==", "Zg"},
        {"fo", "Zm8=", "Zm8"},
        {"foo", "Zm9v", "Zm9v"},
        {"foob", "Zm9vYg==", "Zm9vYg"},
        {"\xfb\xff", "+/8=", "-_8"},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(base64_encode(c.bytes), c.standard);
        EXPECT_EQ(base64_encode(c.bytes, Base64::url_unpadded), c.url_unpadded);
    }
    EXPECT_EQ(base64_encode("\xfb", Base64::url), "-w==");
    EXPECT_EQ(base64_encode("\xfb", Base64::standard_unpadded), "+w");
}

TEST(Base64Text, ReadsBackWhatItWrote) {
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
        for (const Base64 form :
             {Base64::standard, Base64::standard_unpadded, Base64::url, Base64::url_unpadded})
            ASSERT_EQ(base64_decode(base64_encode(bytes, form), form), bytes) << i;
        bytes += static_cast<char>(i * 37);
    }
}

TEST(Base64Text, RejectsEveryOtherForm) {
    const struct {
        const char* text;
        Base64 form;
    } cases[] = {
        {"Zg", Base64::standard},     {"Zg=", Base64::standard},      {"Zg===", Base64::standard},
        {"Zm9v\n", Base64::standard}, {"Zm 9v", Base64::standard},    {"-_8=", Base64::standard},
        {"+/8=", Base64::url},        {"Zg==", Base64::url_unpadded}, {"Z", Base64::url_unpadded},
        {"Zh==", Base64::standard},   {"Zm9=", Base64::standard},     {"Zh", Base64::url_unpadded},
        {"=g==", Base64::standard},   {"Z===", Base64::standard},     {"====", Base64::standard},
    };
    for (const auto& c : cases) {
        const auto bytes = base64_decode(c.text, c.form);
        ASSERT_FALSE(bytes) << c.text;
        EXPECT_EQ(bytes.error().code, ErrorCode::invalid_argument);
    }
}

TEST(Base64Text, ReadsTheFormOfKubeconfigs) {
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},        {"Zg==", "f"},   {"Zm8=", "fo"},
        {"Zm9v", "foo"}, {"Zh==", "f"},   {"Zm9v\r\nYmFy\n", "foobar"},
        {"Zm9=", "fo"},  {"Zg=\n=", "f"},
    };
    for (const auto& [text, bytes] : cases) EXPECT_EQ(base64_decode_lenient(text), bytes) << text;
    for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "Zm9v=", "Zg==Zg==", "Zm 9v", "Zm9-"})
        EXPECT_FALSE(base64_decode_lenient(text)) << text;
}

TEST(Base64Text, ShowsNoContentInErrors) {
    EXPECT_THAT(base64_decode("hunter2!").error().message, Not(HasSubstr("hunter")));
}

}  // namespace
