#include "wire/signature.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "signature_case.hpp"

namespace capstan::aws {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Json signature_table() {
    std::ostringstream text;
    text << std::ifstream("tests/cases/aws/signatures.json").rdbuf();
    const Result<Json> table = parse_json(text.str());
    EXPECT_TRUE(table) << table.error().message;
    return *table;
}

/// A request of the published test suite of AWS.
SignatureCase published(std::string method, std::string url) {
    SignatureCase out;
    out.request = HttpRequest(std::move(method), std::move(url));
    out.credentials.access_key_id = "AKIDEXAMPLE";
    out.credentials.secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    out.scope = {"us-east-1", "service"};
    out.now = Time(std::chrono::sys_days(std::chrono::year(2015) / 8 / 30)) +
              std::chrono::hours(12) + std::chrono::minutes(36);
    return out;
}

TEST(Signature, MatchesThePublishedAwsTestSuite) {
    EXPECT_EQ(authorization_of(published("GET", "https://example.amazonaws.com/")),
              "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
              "SignedHeaders=host;x-amz-date, "
              "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    EXPECT_THAT(authorization_of(published("POST", "https://example.amazonaws.com/")),
                EndsWith("5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"));
}

TEST(Signature, MatchesTheExampleInTheDocumentation) {
    SignatureCase one =
        published("GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08");
    one.request.header("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
    one.scope.service = "iam";
    EXPECT_THAT(authorization_of(one),
                EndsWith("5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"));
}

TEST(Signature, MatchesBotocoreForEachRequestOfTheTable) {
    const Json table = signature_table();
    ASSERT_GE(table.items().size(), 70U);
    for (const Json& row : table.items())
        EXPECT_EQ(authorization_of(read_signature_case(row)), row.text_at({"authorization"}))
            << to_string(row);
}

TEST(Signature, AddsOnlyTheDateAndTheAuthorization) {
    SignatureCase one = published("GET", "https://example.amazonaws.com/");
    sign(one.request, one.credentials, one.scope, one.now);
    EXPECT_THAT(one.request.headers,
                ::testing::ElementsAre(
                    ::testing::Pair("x-amz-date", "20150830T123600Z"),
                    ::testing::Pair("authorization", ::testing::StartsWith("AWS4-HMAC-SHA256 "))));
}

TEST(Signature, CoversTheSessionToken) {
    SignatureCase one = published("GET", "https://example.amazonaws.com/");
    one.credentials.session_token = "the token";
    sign(one.request, one.credentials, one.scope, one.now);
    EXPECT_EQ(find_header(one.request, "x-amz-security-token"), "the token");
    EXPECT_THAT(find_header(one.request, "authorization"),
                HasSubstr("SignedHeaders=host;x-amz-date;x-amz-security-token,"));
}

TEST(Signature, EncodesThePathTwiceExceptForS3) {
    SignatureCase one = published("GET", "https://example.amazonaws.com/a%20b//c/../d");
    EXPECT_THAT(canonical_request(one.request, one.scope), HasSubstr("GET\n/a%2520b/d\n"));
    one.scope.service = "s3";
    EXPECT_THAT(canonical_request(one.request, one.scope), HasSubstr("GET\n/a%20b//c/../d\n"));
}

TEST(Signature, IncludesTheBodyDigestForS3) {
    SignatureCase one = published("PUT", "https://example.amazonaws.com/a");
    one.scope.service = "s3";
    sign(one.request, one.credentials, one.scope, one.now);
    EXPECT_EQ(find_header(one.request, "x-amz-content-sha256"), sha256_hex(""));
}

TEST(Signature, SortsTheQueryByBytes) {
    const SignatureCase one = published("GET", "https://e.example/?b=2&a=2&a=1&B&a%2Fb=&=x");
    EXPECT_THAT(canonical_request(one.request, one.scope),
                HasSubstr("GET\n/\n=x&B=&a=1&a=2&a%2Fb=&b=2\n"));
}

TEST(Signature, ExcludesHeadersThatProxiesChange) {
    SignatureCase one = published("GET", "https://e.example/");
    for (const char* name : {"User-Agent", "Expect", "Transfer-Encoding", "X-Amzn-Trace-Id"})
        one.request.header(name, "x");
    EXPECT_THAT(canonical_request(one.request, one.scope), EndsWith("\n\nhost\n" + sha256_hex("")));
}

TEST(Signature, CoversTheHostAsItIsSent) {
    const std::pair<const char*, const char*> cases[] = {
        {"https://E.Example:443/a", "host:e.example\n"},
        {"https://e.example:80/a", "host:e.example:80\n"},
        {"http://e.example:80", "host:e.example\n"},
        {"http://127.0.0.1:5000?a", "host:127.0.0.1:5000\n"},
        {"http://[::1]:8080/", "host:[::1]:8080\n"},
    };
    for (const auto& [url, header] : cases)
        EXPECT_THAT(canonical_request(HttpRequest("GET", url), {"r", "s"}), HasSubstr(header))
            << url;
}

TEST(Signature, ContainsNoSecret) {
    SignatureCase one = published("GET", "https://e.example/");
    sign(one.request, one.credentials, one.scope, one.now);
    for (const auto& [name, value] : one.request.headers)
        EXPECT_THAT(value, Not(HasSubstr(one.credentials.secret_access_key))) << name;
}

TEST(Signature, UsesAHexadecimalDigest) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace capstan::aws
