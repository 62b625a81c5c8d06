#include <capstan/label_syntax.hpp>

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::check_label_key;
using capstan::check_label_value;
using capstan::is_dns_label;
using capstan::is_dns_subdomain;
using capstan::is_label_key;
using capstan::is_label_value;

const std::string letters_63(63, 'a'), letters_64(64, 'a');

TEST(LabelSyntax, AcceptsTheKeysThatKubernetesAccepts) {
    for (const std::string& key :
         {std::string("a"), std::string("A.b_c-D9"), std::string("topology.kubernetes.io/zone"),
          std::string("x/9"), letters_63, "a.b/" + letters_63}) {
        EXPECT_TRUE(is_label_key(key)) << key;
        EXPECT_TRUE(check_label_key(key)) << key;
    }
}

TEST(LabelSyntax, ReportsWhyAKeyIsInvalid) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "label key \"\": is empty"},
        {"-a", "label key \"-a\": does not begin with a letter or digit"},
        {"a.", "label key \"a.\": does not end with a letter or digit"},
        {"a b", "label key \"a b\": has characters other than letters, digits, '-', '_' and '.'"},
        {"a/", "label key \"a/\": the name after '/' is empty"},
        {"/a", "label key \"/a\": the prefix is not a DNS name in lower case"},
        {"A.b/c", "label key \"A.b/c\": the prefix is not a DNS name in lower case"},
        {"a..b/c", "label key \"a..b/c\": the prefix is not a DNS name in lower case"},
        {"a/b/c",
         "label key \"a/b/c\": the name after '/' has characters other than letters, "
         "digits, '-', '_' and '.'"},
    };
    for (const auto& [key, message] : cases) {
        EXPECT_FALSE(is_label_key(key)) << key;
        EXPECT_EQ(check_label_key(key),
                  capstan::fail(capstan::ErrorCode::invalid_argument, message));
    }
    EXPECT_FALSE(check_label_key(letters_64));
    EXPECT_FALSE(check_label_key(std::string(254, 'a') + "/b"));
}

TEST(LabelSyntax, AcceptsTheValuesThatKubernetesAccepts) {
    for (const std::string& value :
         {std::string(), std::string("a"), std::string("A.b_c-9"), letters_63})
        EXPECT_TRUE(is_label_value(value) && check_label_value(value)) << value;
    for (const std::string& value :
         {std::string("-a"), std::string("a_"), std::string("a/b"), std::string(" "), letters_64})
        EXPECT_FALSE(is_label_value(value) || check_label_value(value)) << value;
    EXPECT_EQ(check_label_value("a/b").error().message,
              "label value \"a/b\": has characters other than letters, digits, '-', '_' and '.'");
}

TEST(LabelSyntax, AcceptsTheNamesOfObjects) {
    for (const std::string& name : {std::string("a"), std::string("a-9"), letters_63})
        EXPECT_TRUE(is_dns_label(name) && is_dns_subdomain(name)) << name;
    for (const char* const name : {"", "-a", "a-", "A", "a_b", "a..b", ".a", "a."})
        EXPECT_FALSE(is_dns_label(name) || is_dns_subdomain(name)) << name;
    EXPECT_FALSE(is_dns_label("a.b"));
    EXPECT_TRUE(is_dns_subdomain("a.b"));
    EXPECT_FALSE(is_dns_label(letters_64));
    EXPECT_TRUE(is_dns_subdomain(letters_64));
    EXPECT_FALSE(is_dns_subdomain(std::string(254, 'a')));
}

}  // namespace
