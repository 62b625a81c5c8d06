#include "io/known_secrets.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::io {
namespace {

const std::string token =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzL3NlcnZpY2VhY2NvdW50In0.c2lnbmF0dXJl";

TEST(KnownSecrets, AreRedacted) {
    KnownSecrets secrets;
    EXPECT_EQ(secrets.redacted("Bearer " + token), "Bearer " + token);
    secrets.add(token);
    secrets.add("hunter22");
    EXPECT_EQ(secrets.redacted("401: Authorization: Bearer " + token + " is not known"),
              "401: Authorization: Bearer [redacted] is not known");
    EXPECT_EQ(secrets.redacted("hunter22"), "[redacted]");
    EXPECT_EQ(secrets.redacted("hunter22hunter22 and hunter2"), "[redacted][redacted] and hunter2");
    EXPECT_EQ(secrets.redacted(""), "");
}

TEST(KnownSecrets, AreRedactedIfTruncated) {
    KnownSecrets secrets;
    secrets.add(token);
    for (const std::size_t length : {16u, 17u, 40u, 70u})
        EXPECT_EQ(secrets.redacted("sent \"" + token.substr(0, length) + "\""),
                  "sent \"[redacted]\"")
            << length;
    EXPECT_EQ(secrets.redacted("sent " + token.substr(0, 12)), "sent " + token.substr(0, 12));
}

TEST(KnownSecrets, IgnoreShortWords) {
    KnownSecrets secrets;
    secrets.add("a");
    secrets.add("admin");
    secrets.add("");
    EXPECT_EQ(secrets.redacted("a pod of admin"), "a pod of admin");
}

TEST(KnownSecrets, CoverEachLineOfAKey) {
    KnownSecrets secrets;
    const std::string first(64, 'A'), second = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA";
    secrets.add("-----BEGIN PRIVATE KEY-----\n" + first + "\n" + second +
                "\n-----END PRIVATE KEY-----\n");
    EXPECT_EQ(secrets.redacted("key " + second + "\\n" + first), "key [redacted]\\n[redacted]");
    EXPECT_EQ(secrets.redacted("-----BEGIN PRIVATE KEY-----"), "-----BEGIN PRIVATE KEY-----");
}

TEST(KnownSecrets, ForgetTheLeastRecentlyUsed) {
    KnownSecrets secrets;
    const auto nth = [](std::size_t i) { return "secret number " + std::to_string(i) + "!"; };
    for (std::size_t i = 0; i <= KnownSecrets::most; ++i) {
        secrets.add(nth(i));
        secrets.add(nth(1));  // used again, so never the oldest
    }
    EXPECT_EQ(secrets.redacted(nth(1)), "[redacted]");
    EXPECT_EQ(secrets.redacted(nth(KnownSecrets::most)), "[redacted]");
    EXPECT_EQ(secrets.redacted(nth(0)), nth(0));
}

}  // namespace
}  // namespace capstan::io
