#include "api/queue.hpp"

#include <gmock/gmock.h>

#include <capstan/json.hpp>
#include <capstan/time_text.hpp>

#include "scripted_aws.hpp"

namespace capstan::aws {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* queue_url = "https://sqs.eu-central-1.amazonaws.com/123456789012/leaving";
constexpr const char* receive = "AmazonSQS.ReceiveMessage";
constexpr const char* remove_batch = "AmazonSQS.DeleteMessageBatch";

std::string message(const std::string& body, const std::string& receipt = "r") {
    Json out = Json::object();
    out.set("MessageId", "m").set("ReceiptHandle", receipt).set("Body", body);
    return to_string(out);
}

std::string notice_body(const std::string& id,
                        const std::string& kind = "EC2 Spot Instance Interruption Warning") {
    return R"({"detail-type":")" + kind +
           R"(","time":"2026-01-01T00:00:00Z","detail":{"instance-id":")" + id + R"("}})";
}

std::string messages(const std::vector<std::string>& all) {
    std::string out;
    for (const std::string& one : all) out += (out.empty() ? "" : ",") + one;
    return R"({"Messages":[)" + out + "]}";
}

/// A queue that is empty unless the test arranges messages.
struct NoticeQueueTest : ::testing::Test {
    ScriptedAws aws{};
    NoticeQueue queue{aws.host().host(), aws.client(), {.url = queue_url, .notices_max = 3}};

    /// Arranges this response and then empty ones, and starts the queue.
    void deliver(const std::string& response) {
        aws.on(receive, response)
            .on(receive, "{}")
            .on(remove_batch, R"({"Successful":[],"Failed":[]})");
        queue.start();
        aws.host().run();
    }
    std::vector<AwsRequest> requests_of(const char* action) const {
        std::vector<AwsRequest> out;
        for (const AwsRequest& one : aws.requests()) {
            if (one.action == action) out.push_back(one);
        }
        return out;
    }
    LeaveReason reason_of(const char* id) const { return queue.find(id)->reason; }
};

TEST_F(NoticeQueueTest, RecordsTerminatingInstancesAndWakesAPass) {
    deliver(response_file("messages.json"));
    const auto spot = queue.find("i-00000000000000001");
    ASSERT_TRUE(spot);
    EXPECT_EQ(*spot,
              (Leaving{LeaveReason::spot_interruption, *parse_rfc3339("2026-11-26T04:02:00Z")}));
    EXPECT_EQ(queue.find("i-00000000000000002"), (Leaving{LeaveReason::rebalance, {}}));
    EXPECT_FALSE(queue.find("i-00000000000000003"));
    EXPECT_THAT(aws.host().take_wakes(), ElementsAre("spot notice for i-00000000000000001",
                                                     "rebalance for i-00000000000000002"));
}

TEST_F(NoticeQueueTest, LongPollsForTenMessages) {
    deliver("{}");
    const Json request = *parse_json(requests_of(receive).at(0).request.body);
    EXPECT_EQ(to_string(request),
              R"({"QueueUrl":")" + std::string(queue_url) +
                  R"(","MaxNumberOfMessages":10,"VisibilityTimeout":30,"WaitTimeSeconds":20})");
    EXPECT_THAT(requests_of(remove_batch), IsEmpty());
}

TEST_F(NoticeQueueTest, DeletesReadMessagesInOneRequest) {
    deliver(response_file("messages.json"));
    ASSERT_THAT(requests_of(remove_batch), SizeIs(1));
    EXPECT_EQ(requests_of(remove_batch)[0].request.body,
              R"({"QueueUrl":")" + std::string(queue_url) +
                  R"(","Entries":[{"Id":"0","ReceiptHandle":"AQEB1"},)"
                  R"({"Id":"1","ReceiptHandle":"AQEB2"}]})");
}

TEST_F(NoticeQueueTest, DeletesIrrelevantAndUnreadableMessages) {
    deliver(
        messages({message("no JSON", "a"), message(R"({"detail-type":"Other","detail":{}})", "b"),
                  message("no JSON", "c"), R"({"Body":"{}"})", "7"}));
    EXPECT_THAT(
        requests_of(remove_batch).at(0).request.body,
        ::testing::AllOf(HasSubstr(R"("ReceiptHandle":"a")"), HasSubstr(R"("ReceiptHandle":"b")"),
                         HasSubstr(R"("ReceiptHandle":"c")")));
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_THAT(aws.host().take_wakes(), IsEmpty());
    // Equal problems are logged once.
    int deleted = 0;
    for (const auto& line : aws.host().log_lines()) {
        if (line.message.find("unreadable SQS message deleted") != std::string::npos) ++deleted;
    }
    EXPECT_EQ(deleted, 3);
}

TEST_F(NoticeQueueTest, IgnoresAMessageThatIsDeliveredTwice) {
    deliver(messages({message(notice_body("i-1")), message(notice_body("i-1"))}));
    EXPECT_THAT(aws.host().take_wakes(), SizeIs(1));
    EXPECT_EQ(queue.size(), 1U);
}

TEST_F(NoticeQueueTest, KeepsTheMoreCertainNotice) {
    const std::string rebalance = "EC2 Instance Rebalance Recommendation";
    deliver(messages({message(notice_body("i-1", rebalance)), message(notice_body("i-1")),
                      message(notice_body("i-1", rebalance))}));
    EXPECT_EQ(reason_of("i-1"), LeaveReason::spot_interruption);
    EXPECT_THAT(aws.host().take_wakes(), SizeIs(2));
}

TEST_F(NoticeQueueTest, ForgetsCancelledMaintenance) {
    const auto health = [](const std::string& status) {
        return R"({"detail-type":"AWS Health Event","detail":{"service":"EC2",
                   "eventTypeCategory":"scheduledChange","statusCode":")" +
               status + R"(","affectedEntities":[{"entityValue":"i-1"},{"entityValue":"i-2"}]}})";
    };
    deliver(messages(
        {message(health("upcoming")), message(notice_body("i-2")), message(health("closed"))}));
    EXPECT_FALSE(queue.find("i-1"));
    EXPECT_EQ(reason_of("i-2"), LeaveReason::spot_interruption);
}

TEST_F(NoticeQueueTest, ForgetsANoticeWhenTheInstanceLeavesAWarmPool) {
    const auto state = [](const char* id, const char* name, const char* time) {
        return message(R"({"detail-type":"EC2 Instance State-change Notification","time":")" +
                       std::string(time) + R"(","detail":{"instance-id":")" + id +
                       R"(","state":")" + name + R"("}})");
    };
    deliver(messages({state("i-1", "stopped", "2026-01-01T00:01:00Z"),
                      state("i-1", "running", "2026-01-01T00:02:00Z"),
                      state("i-2", "shutting-down", "2026-01-01T00:02:00Z"),
                      state("i-2", "running", "2026-01-01T00:01:00Z")}));
    EXPECT_FALSE(queue.find("i-1"));
    EXPECT_TRUE(queue.find("i-2")) << "messages arrive in any order";
}

TEST_F(NoticeQueueTest, ForgetsTheOldestNoticesAboveItsLimit) {
    deliver(messages({message(notice_body("i-4")), message(notice_body("i-3")),
                      message(notice_body("i-2")), message(notice_body("i-1"))}));
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_FALSE(queue.find("i-4"));
    EXPECT_TRUE(queue.find("i-3"));
}

TEST_F(NoticeQueueTest, ForgetsNoticesOfUnlistedInstancesAfterTenMinutes) {
    deliver(messages({message(notice_body("i-1")), message(notice_body("i-2"))}));
    queue.follow({"i-1"});
    EXPECT_EQ(queue.size(), 2U);
    aws.host().advance(minutes(10));
    queue.follow({"i-1"});
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_TRUE(queue.find("i-1"));
}

TEST_F(NoticeQueueTest, WakesNoPassForUnknownInstances) {
    queue.follow({"i-1"});
    deliver(messages({message(notice_body("i-1")), message(notice_body("i-2"))}));
    EXPECT_THAT(aws.host().take_wakes(), ElementsAre("spot notice for i-1"));
    // It may be an instance that is not listed yet.
    EXPECT_TRUE(queue.find("i-2"));
    EXPECT_THAT(aws.log(), Not(HasSubstr("i-2")));
}

TEST_F(NoticeQueueTest, RestoresNoticesAfterARestart) {
    queue.follow({"i-1", "i-2"});
    deliver(messages(
        {message(notice_body("i-1")), message(notice_body("i-2")), message(notice_body("i-3"))}));
    NoticeQueue next(aws.host().host(), aws.client(), {.url = queue_url});
    EXPECT_FALSE(next.find("i-1"));
    next.follow({"i-1", "i-2"});
    EXPECT_EQ(next.find("i-1"), queue.find("i-1"));
    EXPECT_EQ(next.size(), 2U) << "i-3 is unknown";
    next.follow({"i-2"});
    EXPECT_THAT(aws.host().state("notices")->value, Not(HasSubstr("i-1")));
    EXPECT_THAT(aws.host().state("notices")->value, HasSubstr("i-2"));
}

TEST_F(NoticeQueueTest, WorksWithoutPermissionToKeepState) {
    ScriptedAws bare;
    bare.host().withhold("capstan.state/1");
    NoticeQueue stateless(bare.host().host(), bare.client(), {.url = queue_url});
    stateless.follow({"i-1"});
    bare.on(receive, messages({message(notice_body("i-1"))})).on(receive, "{}");
    bare.on(remove_batch, R"({"Successful":[],"Failed":[]})");
    stateless.start();
    bare.host().run();
    EXPECT_TRUE(stateless.find("i-1"));
    EXPECT_THAT(bare.log(), Not(HasSubstr("restart")));
}

TEST_F(NoticeQueueTest, ReceivesMessagesOnlyInTheActiveHost) {
    NoticeQueue idle(aws.host().host(), aws.client(),
                     {.url = queue_url, .follow_time = seconds(90)});
    aws.on(receive, "{}");
    idle.start();
    aws.host().advance(minutes(5));
    EXPECT_THAT(requests_of(receive), IsEmpty()) << "a standby receives no messages";
    idle.follow({"i-1"});
    aws.host().advance(minutes(1));
    EXPECT_THAT(requests_of(receive), IsEmpty())
        << "a command, which lists the cloud once, receives no messages";
    idle.follow({"i-1"});
    aws.host().advance(minutes(1));
    EXPECT_THAT(requests_of(receive), Not(IsEmpty()));
    aws.host().advance(minutes(2));
    std::size_t before = requests_of(receive).size();
    aws.host().advance(minutes(10));
    EXPECT_THAT(requests_of(receive), SizeIs(before)) << "another host is active now";
    for (int n = 0; n < 3; ++n) {
        idle.follow({"i-1"});
        before = requests_of(receive).size();
        aws.host().advance(minutes(4));
        EXPECT_GT(requests_of(receive).size(), before) << "passes may be four minutes apart";
    }
}

TEST_F(NoticeQueueTest, PollsAgainAfterAnEmptyResponse) {
    deliver("{}");
    EXPECT_THAT(requests_of(receive), SizeIs(1));
    // A server without long polling is polled at intervals.
    aws.host().advance(seconds(10));
    EXPECT_THAT(requests_of(receive), SizeIs(11));
}

TEST_F(NoticeQueueTest, LogsAnErrorOnceAndItsEnd) {
    const std::string no_queue =
        R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."})";
    for (int i = 0; i < 5; ++i) aws.on(receive, no_queue, 400);
    deliver(messages({message(notice_body("i-1"))}));
    ASSERT_TRUE(queue.last_error());
    EXPECT_EQ(queue.last_error()->code, ErrorCode::not_found);
    aws.host().advance(minutes(5));
    EXPECT_FALSE(queue.last_error());
    EXPECT_TRUE(queue.find("i-1"));
    std::size_t warnings = 0;
    for (const auto& line : aws.host().log_lines()) warnings += line.level == CAPSTAN_LOG_WARN;
    EXPECT_EQ(warnings, 1U);
    EXPECT_THAT(aws.log(), HasSubstr("are readable again"));
}

TEST_F(NoticeQueueTest, PollsOnceOrTwiceAMinuteDuringAnError) {
    aws.on(receive, R"({"__type":"AccessDenied","message":"no"})", 403);
    queue.start();
    aws.host().advance(minutes(5));
    const std::size_t before = requests_of(receive).size();
    aws.host().advance(minutes(60));
    const std::size_t after = requests_of(receive).size();
    EXPECT_GE(after - before, 60U);
    EXPECT_LE(after - before, 120U);
}

TEST_F(NoticeQueueTest, KeepsNoticesIfMessagesCannotBeDeleted) {
    aws.on(receive, messages({message(notice_body("i-1"))})).on(receive, "{}");
    aws.on(remove_batch, R"({"Successful":[],"Failed":[{"Id":"0","SenderFault":true,
                             "Code":"ReceiptHandleIsInvalid","Message":"expired"}]})");
    queue.start();
    aws.host().run();
    EXPECT_TRUE(queue.find("i-1"));
    EXPECT_THAT(aws.log(), HasSubstr("ReceiptHandleIsInvalid"));
}

TEST_F(NoticeQueueTest, StopsWithThePluginInstance) {
    deliver("{}");
    EXPECT_TRUE(aws.host().stop());
    const std::size_t before = aws.requests().size();
    aws.host().advance(minutes(5));
    EXPECT_EQ(aws.requests().size(), before);
}

}  // namespace
}  // namespace capstan::aws
