#include "io/proxy.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace capstan::io {
namespace {

const ProxyEnvironment both{.http = "http://plain:3128", .https = "http://secure:3128"};

std::string chosen_proxy(const std::string& url, const std::string& no_proxy = "") {
    ProxyEnvironment environment = both;
    environment.no_proxy = no_proxy;
    return proxy_for(parse_url(url).value(), environment);
}

TEST(Proxy, IsChosenByTheSchemeOfTheUrl) {
    EXPECT_EQ(chosen_proxy("https://api.example.com"), "http://secure:3128");
    EXPECT_EQ(chosen_proxy("http://api.example.com"), "http://plain:3128");
    const ProxyEnvironment rest{.all = "socks5://all:1080"};
    EXPECT_EQ(proxy_for(parse_url("https://a.test").value(), rest), "socks5://all:1080");
    EXPECT_EQ(proxy_for(parse_url("https://a.test").value(), {}), "");
}

TEST(Proxy, IsNotUsedForLoopback) {
    EXPECT_EQ(chosen_proxy("https://localhost:6443"), "");
    EXPECT_EQ(chosen_proxy("https://127.0.0.2:6443"), "");
    EXPECT_EQ(chosen_proxy("https://[::1]:6443"), "");
}

TEST(Proxy, IsNotUsedForHostsInNoProxy) {
    const struct {
        const char* url;
        const char* no_proxy;
        bool is_direct;
    } cases[] = {
        {"https://api.example.com", "*", true},
        {"https://api.example.com", "example.com", true},
        {"https://example.com", "example.com", true},
        {"https://example.com", ".example.com", false},
        {"https://api.example.com", ".example.com", true},
        {"https://api.example.com", "*.example.com", true},
        {"https://API.example.com", "api.EXAMPLE.com", true},
        {"https://badexample.com", "example.com", false},
        {"https://api.example.com", "other.test, example.com", true},
        {"https://api.example.com", "other.test,,", false},
        {"https://api.example.com:6443", "api.example.com:6443", true},
        {"https://api.example.com", "api.example.com:443", true},
        {"https://api.example.com", "api.example.com:6443", false},
        {"https://10.1.2.3", "10.0.0.0/8", true},
        {"https://11.1.2.3", "10.0.0.0/8", false},
        {"https://10.1.2.3", "10.1.2.3", true},
        {"https://10.1.2.3:6443", "10.1.2.3:443", false},
        {"https://[fd00::1]:6443", "fd00::/8", true},
        {"https://[fd00::1]", "fd00::1", true},
        {"https://[fd00::1]:6443", "[fd00::1]:6443", true},
        {"https://[fd00::1]", "10.0.0.0/8", false},
        {"https://api.example.com", "10.0.0.0/8", false},
        {"https://10.1.2.3", "10.0.0.0/99", false},
    };
    for (const auto& each : cases)
        EXPECT_EQ(chosen_proxy(each.url, each.no_proxy).empty(), each.is_direct)
            << each.url << " with no_proxy " << each.no_proxy;
}

TEST(Proxy, IsParsedInCommonForms) {
    EXPECT_EQ(parse_proxy("proxy.test:3128").value(), "http://proxy.test:3128");
    EXPECT_EQ(parse_proxy("HTTPS://proxy.test").value(), "https://proxy.test");
    EXPECT_EQ(parse_proxy("socks5://proxy.test:1080").value(), "socks5h://proxy.test:1080");
    EXPECT_EQ(parse_proxy("http://user:pass@proxy.test").value(), "http://user:pass@proxy.test");
    EXPECT_EQ(parse_proxy("http://proxy.test:3128/?to=a@b").value(), "http://proxy.test:3128");
    for (const char* const wrong : {"ftp://proxy.test", "http://", "http://a b", ""}) {
        const auto parsed = parse_proxy(wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_EQ(parsed.error().code, ErrorCode::invalid_config);
    }
}

TEST(Proxy, MayHaveAnUnescapedPassword) {
    EXPECT_EQ(parse_proxy("http://user:p@ss w%C3\xc3\xa9@proxy.test:3128").value(),
              "http://user:p%40ss%20w%C3%C3%A9@proxy.test:3128");
    EXPECT_EQ(parse_proxy("socks5://a:[b]\n@10.0.0.1").value(), "socks5h://a:%5Bb%5D%0A@10.0.0.1");
}

TEST(Proxy, IsPrintedWithoutLogin) {
    const std::pair<const char*, const char*> cases[] = {
        {"proxy.test:3128", "http://proxy.test:3128"},
        {"https://user@proxy.test", "https://proxy.test"},
        {"socks5://user:p@ss@[fd00::1]:1080", "socks5h://[fd00::1]:1080"},
    };
    for (const auto& [written, named] : cases)
        EXPECT_EQ(without_login(parse_proxy(written).value()), named);
}

TEST(Proxy, KeepsItsPasswordOutOfErrors) {
    for (const char* const wrong :
         {"ftp://user:secret@proxy.test", "http://user:secret@a b", "http://user:secret@:99999",
          "http://user:secret/x@proxy.test", "http://user:secret#x@proxy.test",
          "http://user:secret?x@proxy.test"}) {
        const auto parsed = parse_proxy(wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos);
    }
}

}  // namespace
}  // namespace capstan::io
