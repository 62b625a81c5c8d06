#include "wire/aws_error.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_http.hpp>

namespace capstan::aws {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::reply;

constexpr const char* scaling_action = "autoscaling:SetDesiredCapacity";

std::string query_error(const std::string& code, const std::string& message) {
    return "<ErrorResponse xmlns=\"http://autoscaling.amazonaws.com/doc/2011-01-01/\"><Error>"
           "<Type>Sender</Type><Code>" +
           code + "</Code><Message>" + message +
           "</Message></Error><RequestId>req-1</RequestId></ErrorResponse>";
}

std::string ec2_error(const std::string& code, const std::string& message) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>" + code +
           "</Code><Message>" + message +
           "</Message></Error></Errors><RequestID>req-2</RequestID></Response>";
}

TEST(AwsError, IsReadInAllForms) {
    struct Case {
        HttpReply reply;
        AwsErrorText text;
    };
    const Case cases[] = {
        {reply(400, query_error("ValidationError", "Group web not found")),
         {"ValidationError", "Group web not found", "req-1"}},
        {reply(403, ec2_error("AuthFailure", "credentials")),
         {"AuthFailure", "credentials", "req-2"}},
        {reply(404, R"({"message":"No node group found"})",
               {{"x-amzn-errortype", "ResourceNotFoundException"}, {"x-amzn-requestid", "req-3"}}),
         {"ResourceNotFoundException", "No node group found", "req-3"}},
        {reply(400, R"({"Message":"m"})",
               {{"x-amzn-errortype", "InvalidParameterException:http://internal.amazon.com/"}}),
         {"InvalidParameterException", "m", ""}},
        {reply(400, R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"gone"})"),
         {"QueueDoesNotExist", "gone", ""}},
        {reply(404, "<UnknownOperationException/>\n"), {"UnknownOperationException", "", ""}},
        {reply(503, "<Error><Code>SlowDown</Code><Message>less</Message></Error>"),
         {"SlowDown", "less", ""}},
    };
    for (const Case& c : cases) EXPECT_EQ(read_aws_error(c.reply), c.text) << c.reply.body;
}

TEST(AwsError, ContainsTheTitleOfAnHtmlPage) {
    const HttpReply page = reply(502,
                                 "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n"
                                 "<body><hr><center>awselb/2.0</center></body></html>");
    const Error error = make_aws_error(scaling_action, page, {});
    EXPECT_EQ(error.message, "autoscaling:SetDesiredCapacity: status 502: 502 Bad Gateway");
    EXPECT_EQ(error.code, ErrorCode::unavailable);
    EXPECT_EQ(error.provider_code, "");
}

TEST(AwsError, ContainsTheBeginningOfAnUnknownBody) {
    EXPECT_EQ(make_aws_error(scaling_action, reply(500), {}).message,
              "autoscaling:SetDesiredCapacity: status 500");
    EXPECT_EQ(make_aws_error(scaling_action, reply(500, "upstream\nconnect error"), {}).message,
              "autoscaling:SetDesiredCapacity: status 500: \"upstream?connect error\"");
    EXPECT_THAT(
        make_aws_error(scaling_action, reply(500, "<ErrorResponse><Error><Code>Thro"), {}).message,
        HasSubstr("status 500"));
}

TEST(AwsError, ContainsActionCodeMessageAndRequestId) {
    const Error error =
        make_aws_error(scaling_action, reply(400, query_error("ValidationError", "bad")), {});
    EXPECT_EQ(error.message,
              "autoscaling:SetDesiredCapacity: ValidationError: bad (request id req-1)");
    EXPECT_EQ(error.provider_code, "ValidationError");
    EXPECT_EQ(error.code, ErrorCode::invalid_argument);
}

TEST(AwsError, NamesTheActionThatAPolicyMustAllow) {
    const Error error = make_aws_error(
        scaling_action,
        reply(403, query_error("AccessDenied",
                               "User: arn:aws:iam::1:user/a is not authorized to perform: "
                               "autoscaling:SetDesiredCapacity on resource: "
                               "arn:aws:autoscaling:eu-central-1:1:autoScalingGroup:x because no "
                               "identity-based policy allows it")),
        {});
    EXPECT_EQ(error.code, ErrorCode::permission);
    EXPECT_THAT(error.message,
                HasSubstr("; add an IAM policy that allows autoscaling:SetDesiredCapacity on "
                          "arn:aws:autoscaling:eu-central-1:1:autoScalingGroup:x (request id"));
}

TEST(AwsError, FindsTheRefusedActionAndItsResource) {
    const MissingRight right = find_missing_right(
        "User: a is not authorized to perform: iam:PassRole on resource: arn:aws:iam::1:role/n.");
    EXPECT_EQ(right, (MissingRight{"iam:PassRole", "arn:aws:iam::1:role/n"}));
    EXPECT_EQ(find_missing_right("You are not authorized to perform this operation."),
              (MissingRight{}));
    EXPECT_EQ(find_missing_right(""), (MissingRight{}));
}

TEST(AwsError, NamesTheCalledActionIfTheRefusalNamesNone) {
    const Error error = make_aws_error(
        "ec2:DescribeImages",
        reply(403, ec2_error("UnauthorizedOperation",
                             "You are not authorized to perform this operation. Encoded "
                             "authorization failure message: 4nHx" +
                                 std::string(900, 'x'))),
        {});
    EXPECT_EQ(error.code, ErrorCode::permission);
    EXPECT_EQ(error.message,
              "ec2:DescribeImages: UnauthorizedOperation: You are not authorized to perform this "
              "operation. (encoded message omitted); add an IAM policy that allows "
              "ec2:DescribeImages (request id req-2)");
}

TEST(AwsError, DoesNotSuggestAPolicyForAnExplicitDeny) {
    const Error error = make_aws_error(
        scaling_action,
        reply(403, query_error("AccessDenied",
                               "User: a is not authorized to perform: "
                               "autoscaling:SetDesiredCapacity on resource: arn:b with an explicit "
                               "deny in a service control policy")),
        {});
    EXPECT_THAT(
        error.message,
        HasSubstr("; an IAM policy denies autoscaling:SetDesiredCapacity on arn:b (request id"));
}

TEST(AwsError, DoesNotSuggestAPolicyForAProxyRefusal) {
    const Error error = make_aws_error(
        scaling_action, reply(403, "<html><title>Blocked by the proxy</title></html>"), {});
    EXPECT_EQ(error.code, ErrorCode::permission);
    EXPECT_EQ(error.message, "autoscaling:SetDesiredCapacity: status 403: Blocked by the proxy");
}

TEST(AwsError, OmitsOnlyTheEncodedMessage) {
    EXPECT_EQ(without_encoded_part("No. Encoded authorization failure message: abc Launching "
                                   "EC2 instance failed."),
              "No. (encoded message omitted) Launching EC2 instance failed.");
    EXPECT_EQ(without_encoded_part("plain"), "plain");
    EXPECT_EQ(without_encoded_part("Encoded authorization failure message:"),
              "(encoded message omitted)");
}

TEST(AwsError, IgnoresACodeThatIsNotAWord) {
    const HttpReply odd = reply(400, query_error("a b\nc", "m"));
    EXPECT_EQ(read_aws_error(odd).code, "");
    EXPECT_EQ(read_aws_error(reply(400, query_error(std::string(200, 'x'), "m"))).code, "");
}

TEST(AwsError, IsOneLineOfLimitedLength) {
    const Error error = make_aws_error(
        scaling_action,
        reply(400, query_error("ValidationError", "a\nb\xff" + std::string(9000, 'x'))), {});
    EXPECT_THAT(error.message, Not(HasSubstr("\n")));
    EXPECT_LT(error.message.size(), 2000U);
}

TEST(AwsError, KeepsRetryAfter) {
    EXPECT_EQ(
        make_aws_error(scaling_action, reply(503, "", {{"retry-after", "7"}}), {}).retry_after,
        std::chrono::seconds(7));
}

TEST(AwsRefusal, DistinguishesTemporaryRefusalsByTheirCode) {
    struct Case {
        int status;
        std::string code;
        RepeatWhen again;
    };
    const Case cases[] = {{400, "Throttling", RepeatWhen::always},
                          {503, "RequestLimitExceeded", RepeatWhen::always},
                          {500, "ResourceContention", RepeatWhen::always},
                          {500, "InternalFailure", RepeatWhen::if_safe},
                          {502, "", RepeatWhen::if_safe},
                          {503, "", RepeatWhen::if_safe},
                          {400, "ValidationError", RepeatWhen::never},
                          {403, "AccessDenied", RepeatWhen::never},
                          {500, "InsufficientInstanceCapacity", RepeatWhen::never}};
    for (const Case& c : cases) {
        const HttpReply refused = reply(c.status, query_error(c.code, "m"));
        const FailedAttempt failed = judge_refusal(scaling_action, refused, {});
        EXPECT_EQ(failed.again, c.again) << c.status << " " << c.code;
        EXPECT_EQ(failed.error, make_aws_error(scaling_action, refused, {}));
        EXPECT_FALSE(failed.timed_out);
    }
}

}  // namespace
}  // namespace capstan::aws
