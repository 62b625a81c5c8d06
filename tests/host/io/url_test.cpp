#include "io/url.hpp"

#include <gtest/gtest.h>

namespace capstan::io {
namespace {

std::string host_of(const std::string& url) {
    const Result<Url> parsed = parse_url(url);
    return parsed ? parsed->host : "refused";
}

TEST(HttpUrl, HasALowerCaseHost) {
    EXPECT_EQ(host_of("https://API.Example.COM:8443/a?b#c"), "api.example.com");
    EXPECT_EQ(host_of("https://example.com./"), "example.com");
    EXPECT_EQ(host_of("http://[::1]:8080/"), "[::1]");
}

TEST(HttpUrl, IsParsedAsTheClientParsesIt) {
    EXPECT_EQ(host_of("http://0x7f000001/"), "127.0.0.1");
    EXPECT_EQ(host_of("http://good.test#@evil.test/"), "good.test");
}

TEST(HttpUrl, MustBeAbsoluteHttpWithoutCredentials) {
    for (const char* const url :
         {"", "example.com", "//example.com/", "/path", "ftp://example.com/", "file:///etc/passwd",
          "http://", "http://user:pw@example.com/", "http://:pw@example.com/", "http://a b/",
          "http://example.com/\n", "gopher://example.com/"}) {
        EXPECT_EQ(host_of(url), "refused") << url;
    }
    EXPECT_EQ(host_of(std::string("http://good.test\0.evil.test/", 28)), "refused");
}

TEST(HttpGrant, AllowsOneHostOrAllSubdomains) {
    const std::vector<std::string> grants{"api.test", "*.Cloud.test"};
    EXPECT_EQ(find_grant("api.test", grants), "api.test");
    EXPECT_EQ(find_grant("eu.cloud.test", grants), "*.Cloud.test");
    EXPECT_EQ(find_grant("a.b.cloud.test", grants), "*.Cloud.test");
    EXPECT_FALSE(find_grant("cloud.test", grants));
    EXPECT_FALSE(find_grant(".cloud.test", grants));
    EXPECT_FALSE(find_grant("evilcloud.test", grants));
    EXPECT_FALSE(find_grant("api.test.evil.test", grants));
    EXPECT_FALSE(find_grant("", grants));
}

}  // namespace
}  // namespace capstan::io
