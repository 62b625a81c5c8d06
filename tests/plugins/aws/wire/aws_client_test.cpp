#include "wire/aws_client.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/run_task.hpp>

#include "fake_aws.hpp"
#include "wire/static_credentials.hpp"

namespace capstan::aws {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::reply;
using testing::run;

Credentials some_credentials(std::string id = "AKIA1") {
    Credentials out;
    out.access_key_id = std::move(id);
    out.secret_access_key = "secret";
    out.source = "the test";
    return out;
}

/// Returns other credentials at each renewal.
class RenewedCredentials : public CredentialsProvider {
public:
    Task<Credentials> get() override { co_return some_credentials("AKIA" + std::to_string(made)); }
    Task<Credentials> renew(std::string refused) override {
        refusals.push_back(refused);
        if (fails) co_return fail(ErrorCode::unavailable, "the metadata service is silent");
        if (!is_stuck) ++made;
        co_return some_credentials("AKIA" + std::to_string(made));
    }
    std::vector<std::string> refusals{};
    bool fails = false, is_stuck = false;
    int made = 1;
};

struct Client {
    FakeHost host{};
    FakeAws aws{host};
    RenewedCredentials credentials{};
    ClientConfig config{.region = "eu-central-1"};
    std::optional<AwsClient> made{};

    const Duration begin = host.monotonic();

    Duration took() const { return host.monotonic() - begin; }
    AwsClient& client() {
        if (!made) made.emplace(host.host(), config, credentials);
        return *made;
    }
    Result<XmlReply> call(Repeatable repeatable = Repeatable::yes, Duration allowed = 10min) {
        QueryRequest request(Service::auto_scaling, "SetDesiredCapacity");
        request.set("AutoScalingGroupName", "web");
        return run(host, client().call(request, repeatable), allowed);
    }
    Error error(Repeatable repeatable = Repeatable::yes, Duration allowed = 10min) {
        const auto response = call(repeatable, allowed);
        EXPECT_FALSE(response);
        return response ? Error{} : response.error();
    }
};

const HttpReply good = xml_response("SetDesiredCapacity");

TEST(AwsClient, SendsASignedQueryToTheEndpointOfTheService) {
    Client c;
    c.aws.then(good);
    ASSERT_TRUE(c.call());
    const HttpRequest& sent = c.aws.request(0);
    EXPECT_EQ(sent.method, "POST");
    EXPECT_EQ(sent.url, "https://autoscaling.eu-central-1.amazonaws.com/");
    EXPECT_EQ(sent.body, "Action=SetDesiredCapacity&Version=2011-01-01&AutoScalingGroupName=web");
    EXPECT_EQ(header_of(sent, "content-type"), "application/x-www-form-urlencoded; charset=utf-8");
    EXPECT_EQ(header_of(sent, "x-amz-date"), "20260101T000000Z");
    EXPECT_THAT(header_of(sent, "authorization"),
                HasSubstr("Credential=AKIA1/20260101/eu-central-1/autoscaling/aws4_request"));
}

TEST(AwsClient, SendsNoSignatureWithoutAKey) {
    FakeHost host;
    FakeAws aws(host);
    aws.then(good);
    StaticCredentials none;
    AwsClient client(host.host(), {.region = "eu-central-1"}, none);
    ASSERT_TRUE(
        run(host, client.call(QueryRequest(Service::sts, "SetDesiredCapacity"), Repeatable::yes)));
    EXPECT_EQ(header_of(aws.request(0), "authorization"), "");
    EXPECT_EQ(header_of(aws.request(0), "x-amz-date"), "");
}

TEST(AwsClient, ReadsRestJson) {
    Client c;
    c.aws.then(reply(200, R"({"nodegroup":{"nodegroupName":"a"}})"));
    const auto json = run(
        c.host, c.client().get(Service::eks, "DescribeNodegroup", "/clusters/a%20b/node-groups/n"));
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_EQ(json->text_at({"nodegroup", "nodegroupName"}), "a");
    EXPECT_EQ(c.aws.request(0).method, "GET");
    EXPECT_EQ(c.aws.request(0).url,
              "https://eks.eu-central-1.amazonaws.com/clusters/a%20b/node-groups/n");
}

TEST(AwsClient, NamesTheActionOfARefusalInJson) {
    Client c;
    c.aws.then(
        reply(404, R"({"message":"No node group found for name: n."})",
              {{"x-amzn-errortype", "ResourceNotFoundException"}, {"x-amzn-requestid", "r-9"}}));
    const auto json =
        run(c.host, c.client().get(Service::eks, "DescribeNodegroup", "/clusters/a/node-groups/n"));
    ASSERT_FALSE(json);
    EXPECT_EQ(json.error().code, ErrorCode::not_found);
    EXPECT_EQ(json.error().message,
              "eks:DescribeNodegroup: ResourceNotFoundException: No node group found for name: n. "
              "(request id r-9)");
}

TEST(AwsClient, SpeaksTheSqsJsonProtocol) {
    Client c;
    c.aws.then(reply(200, ""));
    const Json body = Json::object({{"QueueUrl", Json("https://q.example/1/q")}});
    const auto json = run(c.host, c.client().post_json(Service::sqs, "AmazonSQS.DeleteMessage",
                                                       body, Repeatable::yes));
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_TRUE(json->is_object());
    EXPECT_EQ(header_of(c.aws.request(0), "x-amz-target"), "AmazonSQS.DeleteMessage");
    EXPECT_EQ(header_of(c.aws.request(0), "content-type"), "application/x-amz-json-1.0");
    EXPECT_EQ(c.aws.request(0).body, R"({"QueueUrl":"https://q.example/1/q"})");
}

TEST(AwsClient, UsesOneIamEndpointForAllRegions) {
    Client c;
    c.aws.then(xml_response("SimulatePrincipalPolicy"));
    ASSERT_TRUE(run(c.host, c.client().call(QueryRequest(Service::iam, "SimulatePrincipalPolicy"),
                                            Repeatable::yes)));
    EXPECT_EQ(c.aws.request(0).url, "https://iam.amazonaws.com/");
    EXPECT_THAT(header_of(c.aws.request(0), "authorization"), HasSubstr("/us-east-1/iam/"));
}

/// Has no credentials.
class NoCredentials : public CredentialsProvider {
public:
    explicit NoCredentials(Error because) : because_(std::move(because)) {}
    Task<Credentials> get() override { co_return fail(because_); }
    Task<Credentials> renew(std::string) override { return get(); }

private:
    const Error because_;
};

Error error_without_credentials(Error because) {
    FakeHost host;
    NoCredentials none(std::move(because));
    AwsClient client(host.host(), {.region = "eu-central-1"}, none);
    const auto response =
        run(host, client.call(QueryRequest(Service::auto_scaling, "A"), Repeatable::no));
    EXPECT_TRUE(host.http().requests().empty());
    return response ? Error() : response.error();
}

TEST(AwsClient, ReportsAnUnsignedChangeAsUnavailable) {
    const Error error = error_without_credentials({ErrorCode::deadline, "the source is silent"});
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.message, "autoscaling:A: the source is silent");
}

TEST(AwsClient, ReportsMissingCredentialsAsUnauthenticated) {
    for (const ErrorCode code : {ErrorCode::not_found, ErrorCode::conflict, ErrorCode::permission,
                                 ErrorCode::invalid_config, ErrorCode::unauthenticated})
        EXPECT_EQ(error_without_credentials({code, "m"}).code, ErrorCode::unauthenticated);
}

TEST(AwsClient, RetriesAThrottledRequestWithANewSignature) {
    Client c;
    c.aws.then(xml_refusal(400, "Throttling")).then(xml_refusal(503, "RequestLimitExceeded"));
    c.aws.then(good);
    ASSERT_TRUE(c.call(Repeatable::no));
    ASSERT_EQ(c.aws.count(), 3U);
    EXPECT_GT(c.took(), 0s);
    EXPECT_LE(c.took(), 3s);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NE(header_of(c.aws.request(i), "authorization"), "") << i;
}

TEST(AwsClient, GivesUpAfterThreeAttempts) {
    Client c;
    c.aws.then(xml_refusal(400, "Throttling", "Rate exceeded"));
    const Error error = c.error();
    EXPECT_EQ(c.aws.count(), 3U);
    EXPECT_EQ(error.code, ErrorCode::throttled);
    EXPECT_EQ(error.provider_code, "Throttling");
    EXPECT_EQ(error.message,
              "autoscaling:SetDesiredCapacity: Throttling: Rate exceeded (request id r-1) (after 3 "
              "attempts; attempt limit reached)");
}

TEST(AwsClient, SharesTheRetryBudgetAmongRequests) {
    Client c;
    c.config.retry.budget = 15;
    c.aws.then(xml_refusal(400, "Throttling"));
    c.error();
    EXPECT_EQ(c.aws.count(), 3U);
    EXPECT_THAT(c.error().message, HasSubstr("retry budget used up"));
    EXPECT_EQ(c.aws.count(), 5U);
}

TEST(AwsClient, RefillsTheRetryBudgetAfterASuccess) {
    Client c;
    c.config.retry.budget = 5;
    for (int i = 0; i < 4; ++i) c.aws.then(xml_refusal(400, "Throttling")).then(good);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(c.call()) << i;
}

TEST(AwsClient, RetriesAReadWithoutAResponse) {
    Client c;
    c.aws.then(testing::dropped()).then(testing::unanswered()).then(good);
    EXPECT_TRUE(c.call());
    EXPECT_EQ(c.aws.count(), 3U);
}

TEST(AwsClient, DoesNotRetryAChangeWithoutAResponse) {
    for (const testing::HttpOutcome& silence : {testing::dropped(), testing::unanswered()}) {
        Client c;
        c.aws.then(silence).then(good);
        const Error error = c.error(Repeatable::no);
        EXPECT_EQ(c.aws.count(), 1U);
        EXPECT_EQ(error.code, ErrorCode::deadline);
        EXPECT_THAT(error.message, AllOf(HasSubstr("autoscaling:SetDesiredCapacity: "),
                                         HasSubstr("it may have taken effect")));
    }
}

TEST(AwsClient, RetriesAChangeThatWasNeverSent) {
    Client c;
    c.aws.then(testing::HttpOutcome(Error{ErrorCode::unavailable, "no connection"})).then(good);
    EXPECT_TRUE(c.call(Repeatable::no));
}

TEST(AwsClient, StopsAtTheDeadline) {
    Client c;
    c.aws.then(testing::unanswered());
    EXPECT_EQ(c.error(Repeatable::yes, 5s).code, ErrorCode::deadline);
    EXPECT_LE(c.took(), 5s);
}

TEST(AwsClient, RetriesATruncatedResponse) {
    Client c;
    c.aws.then(reply(200, good.body.substr(0, 40))).then(reply(200, "<html></html>")).then(good);
    EXPECT_TRUE(c.call());
    EXPECT_EQ(c.aws.count(), 3U);
}

TEST(AwsClient, ReportsAnUnreadableResponseToAChangeAsUnknown) {
    Client c;
    c.aws.then(reply(200, good.body.substr(0, 40)));
    const Error error = c.error(Repeatable::no);
    EXPECT_EQ(error.code, ErrorCode::deadline);
    EXPECT_THAT(error.message, HasSubstr("the response is not XML"));
    EXPECT_EQ(c.aws.count(), 1U);
}

TEST(AwsClient, RetriesAndReportsAProxyPage) {
    Client c;
    c.aws.then(reply(502, "<html><head><title>502 Bad Gateway</title></head></html>"));
    const Error error = c.error();
    EXPECT_EQ(c.aws.count(), 3U);
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_THAT(error.message, HasSubstr("status 502: 502 Bad Gateway"));
}

TEST(AwsClient, HonorsRetryAfter) {
    Client c;
    c.aws.then(xml_refusal(503, "ServiceUnavailable", "m", {{"retry-after", "9"}})).then(good);
    EXPECT_TRUE(c.call());
    EXPECT_GE(c.took(), 9s);
}

TEST(AwsClient, RenewsRefusedCredentialsOnce) {
    for (const char* code : {"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId",
                             "UnrecognizedClientException", "AuthFailure"}) {
        Client c;
        c.aws.then(xml_refusal(403, code)).then(good);
        EXPECT_TRUE(c.call(Repeatable::no)) << code;
        EXPECT_THAT(c.credentials.refusals, ::testing::ElementsAre("AKIA1"));
        EXPECT_THAT(header_of(c.aws.request(1), "authorization"), HasSubstr("Credential=AKIA2/"));
    }
}

TEST(AwsClient, ReportsCredentialsThatAreRefusedAgain) {
    Client c;
    c.aws.then(xml_refusal(403, "ExpiredToken",
                           "The security token included in the request is "
                           "expired"));
    const Error error = c.error();
    EXPECT_EQ(c.aws.count(), 2U);
    EXPECT_EQ(error.code, ErrorCode::unauthenticated);
    EXPECT_THAT(error.message, HasSubstr("signed with credentials of the test"));
}

TEST(AwsClient, DoesNotRetryWithUnchangedCredentials) {
    Client c;
    c.credentials.is_stuck = true;
    c.aws.then(xml_refusal(403, "InvalidClientTokenId"));
    EXPECT_EQ(c.error().code, ErrorCode::unauthenticated);
    EXPECT_EQ(c.aws.count(), 1U);
}

TEST(AwsClient, ReportsAFailedRenewalWithTheRefusal) {
    Client c;
    c.credentials.fails = true;
    c.aws.then(xml_refusal(403, "ExpiredToken"));
    const Error error = c.error();
    EXPECT_EQ(error.code, ErrorCode::unauthenticated);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr("ExpiredToken"), HasSubstr("the metadata service is silent")));
    EXPECT_EQ(c.aws.count(), 1U);
}

TEST(AwsClient, DoesNotRenewCredentialsAfterADeniedPermission) {
    Client c;
    c.aws.then(xml_refusal(403, "AccessDenied"));
    EXPECT_EQ(c.error().code, ErrorCode::permission);
    EXPECT_TRUE(c.credentials.refusals.empty());
}

HttpHeaders dated(const FakeHost& host, Duration ahead) {
    return {{"date", format_http_date(host.now() + ahead)}};
}

TEST(AwsClient, MeasuresTheClockSkewAndSignsAgain) {
    for (const char* code : {"RequestTimeTooSkewed", "SignatureDoesNotMatch",
                             "InvalidSignatureException", "RequestExpired", "AuthFailure"}) {
        Client c;
        c.aws.then(xml_refusal(403, code, "m", dated(c.host, 1h))).then(good);
        EXPECT_TRUE(c.call(Repeatable::no)) << code;
        EXPECT_EQ(header_of(c.aws.request(1), "x-amz-date"), "20260101T010000Z") << code;
        EXPECT_EQ(c.client().clock_skew(), 1h);
        EXPECT_TRUE(c.credentials.refusals.empty());
    }
}

TEST(AwsClient, KeepsTheClockSkewUntilTheClockIsSet) {
    Client c;
    c.aws.then(xml_refusal(403, "RequestExpired", "m", dated(c.host, -30min))).then(good);
    c.aws.then(good);
    EXPECT_TRUE(c.call());
    EXPECT_TRUE(c.call());
    EXPECT_EQ(header_of(c.aws.request(2), "x-amz-date"), "20251231T233000Z");
    c.host.step_wall(-30min);
    c.aws.then(xml_refusal(403, "RequestExpired", "m", dated(c.host, 0s))).then(good);
    EXPECT_TRUE(c.call());
    EXPECT_EQ(c.client().clock_skew(), 0s);
}

TEST(AwsClient, FailsAtOnceOnAWrongSignatureWithoutSkew) {
    Client c;
    c.aws.then(xml_refusal(403, "SignatureDoesNotMatch", "m", dated(c.host, 3s)));
    const Error error = c.error();
    EXPECT_EQ(error.code, ErrorCode::unauthenticated);
    EXPECT_EQ(c.aws.count(), 1U);
}

TEST(AwsClient, MeasuresTheClockSkewInAnyResponse) {
    Client c;
    HttpReply dated_reply = good;
    dated_reply.headers = dated(c.host, 40s);
    c.aws.then(dated_reply);
    ASSERT_TRUE(c.call());
    EXPECT_EQ(c.client().clock_skew(), 40s);
    dated_reply.headers = dated(c.host, 39s);
    c.aws.then(dated_reply);
    ASSERT_TRUE(c.call());
    EXPECT_EQ(c.client().clock_skew(), 40s) << "a date has whole seconds";
    EXPECT_EQ(header_of(c.aws.request(1), "x-amz-date"), "20260101T000000Z")
        << "the local clock is used while AWS accepts it";
}

TEST(AwsClient, IgnoresAnInvalidDate) {
    for (const char* date : {"", "yesterday", "Sun, 06 Nov 1700 08:49:37 GMT"}) {
        Client c;
        c.aws.then(xml_refusal(403, "RequestExpired", "m", {{"date", date}}));
        EXPECT_EQ(c.error().code, ErrorCode::unauthenticated);
        EXPECT_EQ(c.aws.count(), 1U) << date;
    }
}

TEST(AwsClient, CorrectsTheClockSkewOncePerRequest) {
    Client c;
    c.aws.then(xml_refusal(403, "RequestExpired", "m", dated(c.host, 1h)));
    c.aws.then(xml_refusal(403, "RequestExpired", "m", dated(c.host, 2h)));
    EXPECT_EQ(c.error().code, ErrorCode::unauthenticated);
    EXPECT_EQ(c.aws.count(), 2U);
}

TEST(AwsClient, CountsRequestsByActionAndOutcome) {
    Client c;
    c.aws.then(good).then(xml_refusal(400, "ValidationError")).then(reply(404, ""));
    EXPECT_TRUE(c.call());
    c.error();
    c.error();
    const char* name = "cluster_autoscaler_aws_request_duration_seconds";
    for (const char* status : {"success", "ValidationError", "error"})
        EXPECT_EQ(c.host.recorded(name, {"SetDesiredCapacity", status}).size(), 1U) << status;
}

TEST(AwsClient, SendsRequestsToAnOverriddenEndpoint) {
    Client c;
    c.config.endpoints.overrides[""] = "http://127.0.0.1:5000/";
    c.aws.then(good);
    ASSERT_TRUE(c.call());
    EXPECT_EQ(c.aws.request(0).url, "http://127.0.0.1:5000/");
    EXPECT_EQ(c.client().region(), "eu-central-1");
}

TEST(AwsClient, KeepsSecretsOutOfErrors) {
    Client c;
    c.aws.then(xml_refusal(403, "SignatureDoesNotMatch"));
    EXPECT_THAT(c.error().message, Not(HasSubstr("secret")));
    for (const auto& line : c.host.log_lines()) EXPECT_THAT(line.message, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace capstan::aws
