#include "kubernetes/client/api_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ApiRequest request(std::string method, std::string path = "/api/v1/nodes") {
    return {.method = std::move(method), .path = std::move(path)};
}

TEST(ApiRules, DistinguishReadsFromChanges) {
    EXPECT_TRUE(is_question(request("GET")));
    EXPECT_TRUE(is_question(request("HEAD")));
    EXPECT_TRUE(
        is_question(request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")));
    EXPECT_TRUE(
        is_question(request("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews")));
    EXPECT_TRUE(is_question(request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews")));
    EXPECT_FALSE(
        is_question(request("DELETE", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")));
    EXPECT_FALSE(is_question(request("POST", "/apis/evil.io/v1/selfsubjectaccessreviews")));
    EXPECT_FALSE(is_question(request("POST", "/apis/authorization.k8s.io/v1/nodes")));
    for (const char* const method : {"POST", "PUT", "PATCH", "DELETE", "get", ""})
        EXPECT_FALSE(is_question(request(method))) << method;
}

TEST(ApiRules, RecognizeWatches) {
    ApiRequest sent = request("GET");
    EXPECT_FALSE(is_watch(sent));
    sent.query = {{"limit", "5"}, {"watch", "true"}};
    EXPECT_TRUE(is_watch(sent));
    sent.query = {{"watch", "false"}};
    EXPECT_FALSE(is_watch(sent));
}

TEST(ApiRules, RetryIfTheServerAllowsIt) {
    const HttpHeaders soon{{"retry-after", "2"}};
    EXPECT_EQ(find_resend_delay(request("POST"), {429, soon, ""}), Duration(2s));
    EXPECT_EQ(find_resend_delay(request("PATCH"), {503, soon, ""}), Duration(2s));
    EXPECT_FALSE(find_resend_delay(request("GET"), {429, {}, ""}));
    EXPECT_FALSE(find_resend_delay(request("GET"), {500, {}, ""}));
    EXPECT_FALSE(find_resend_delay(request("GET"), {409, soon, ""}));
    EXPECT_FALSE(find_resend_delay(request("POST", "/api/v1/namespaces/a/pods/b/eviction"),
                                   {429, soon, ""}));
}

TEST(ApiRules, RetryLostReads) {
    EXPECT_EQ(find_resend_delay(request("GET"), 1), Duration(100ms));
    EXPECT_EQ(find_resend_delay(request("GET"), 3), Duration(400ms));
    EXPECT_EQ(find_resend_delay(request("GET"), 50), Duration(5s));
    EXPECT_FALSE(find_resend_delay(request("PUT"), 1));
}

TEST(ApiRules, BuildUrlsWithAPrefix) {
    ApiRequest sent = request("GET");
    EXPECT_EQ(url_of("https://a:6443", sent), "https://a:6443/api/v1/nodes");
    EXPECT_EQ(url_of("https://a/k8s/c-1/", sent), "https://a/k8s/c-1/api/v1/nodes");
    sent.query = {{"fieldSelector", "status.phase!=Failed,x=y z"}, {"limit", "5"}};
    EXPECT_EQ(url_of("https://a", sent),
              "https://a/api/v1/nodes?fieldSelector=status.phase%21%3DFailed%2Cx%3Dy%20z&limit=5");
}

TEST(ApiRules, DoNotLimitTheRateOfWatchesAndLeases) {
    ApiRequest sent = request("GET");
    EXPECT_FALSE(is_unlimited(sent));
    for (const std::string_view purpose : {std::string_view("lease"), version_check_purpose}) {
        sent.purpose = purpose;
        EXPECT_TRUE(is_unlimited(sent)) << purpose;
    }
}

TEST(ApiRules, LimitTheSizeOfReplies) {
    ApiRequest sent = request("GET");
    EXPECT_EQ(max_reply_bytes_of(sent), 8u << 20);
    sent.purpose = node_look_purpose;
    EXPECT_EQ(max_reply_bytes_of(sent), 128u << 20);
    sent.path = "/version";
    EXPECT_EQ(max_reply_bytes_of(sent), 1u << 20);
    sent.max_reply_bytes = 5;
    EXPECT_EQ(max_reply_bytes_of(sent), 5u);
}

TEST(ApiRules, ParseWarnings) {
    EXPECT_THAT(warnings_of({{"warning", R"(299 - "policy/v1beta1 is deprecated")"}}),
                ElementsAre("policy/v1beta1 is deprecated"));
    EXPECT_THAT(warnings_of({{"warning", R"(299 - "a, \"b\"", 299 - "c")"},
                             {"date", "x"},
                             {"warning", R"(299 host "d" "Wed, 21 Oct 2026")"}}),
                ElementsAre("a, \"b\"", "c", "d"));
    EXPECT_THAT(warnings_of({{"warning", R"(199 - "other")"},
                             {"warning", "299"},
                             {"warning", "299 - \"open"},
                             {"warning", ",,,"}}),
                ElementsAre("open"));
    EXPECT_THAT(warnings_of({}), IsEmpty());
}

}  // namespace
}  // namespace capstan::kubernetes::client
