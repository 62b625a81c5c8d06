#include "api/notice.hpp"

#include <gmock/gmock.h>

#include <capstan/time_text.hpp>

namespace capstan::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string event(const std::string& detail_type, const std::string& detail,
                  const std::string& time = "2026-11-26T04:00:00Z") {
    return R"({"version":"0","id":"1","detail-type":")" + detail_type +
           R"(","source":"aws.ec2","account":"1","time":")" + time +
           R"(","region":"eu-central-1","resources":[],"detail":)" + detail + "}";
}

std::string health(const std::string& more) {
    return event("AWS Health Event",
                 R"({"service":"EC2","eventTypeCategory":"scheduledChange",)" + more + "}");
}

std::optional<Time> at(const char* text) { return *parse_rfc3339(text); }

struct NoticeCase {
    const char* what;
    std::string body;
    std::vector<Notice> notices;
};

TEST(Notices, AreReadFromEventsAboutInstancesThatWillTerminate) {
    const std::vector<NoticeCase> cases{
        {"a spot notice comes two minutes before the interruption",
         event("EC2 Spot Instance Interruption Warning",
               R"({"instance-id":"i-1","instance-action":"terminate"})"),
         {{"i-1", LeaveReason::spot_interruption, at("2026-11-26T04:02:00Z")}}},
        {"a rebalance recommendation has no time",
         event("EC2 Instance Rebalance Recommendation", R"({"instance-id":"i-1"})"),
         {{"i-1", LeaveReason::rebalance, std::nullopt}}},
        {"an instance that terminates",
         event("EC2 Instance State-change Notification",
               R"({"instance-id":"i-1","state":"shutting-down"})"),
         {{"i-1", LeaveReason::other, at("2026-11-26T04:00:00Z")}}},
        {"an instance that runs again does not leave",
         event("EC2 Instance State-change Notification",
               R"({"instance-id":"i-1","state":"running"})"),
         {{"i-1", LeaveReason::other, at("2026-11-26T04:00:00Z"), true}}},
        {"a lifecycle hook",
         event(
             "EC2 Instance-terminate Lifecycle Action",
             R"({"EC2InstanceId":"i-1","LifecycleTransition":"autoscaling:EC2_INSTANCE_TERMINATING",
                   "AutoScalingGroupName":"web","LifecycleHookName":"drain"})"),
         {{"i-1", LeaveReason::other, at("2026-11-26T04:00:00Z")}}},
        {"maintenance of several instances",
         health(R"("startTime":"Sat, 05 Dec 2026 15:10:09 GMT","statusCode":"upcoming",
                   "affectedEntities":[{"entityValue":"i-1"},{"entityValue":"vol-1"},
                                       {"entityValue":"i-2","status":"PENDING"}])"),
         {{"i-1", LeaveReason::maintenance, at("2026-12-05T15:10:09Z")},
          {"i-2", LeaveReason::maintenance, at("2026-12-05T15:10:09Z")}}},
        {"maintenance that is over",
         health(R"("statusCode":"closed","affectedEntities":[{"entityValue":"i-1"}])"),
         {{"i-1", LeaveReason::maintenance, std::nullopt, true}}},
        {"a lifecycle hook that sends to the queue directly",
         R"({"LifecycleHookName":"drain","AccountId":"1","Service":"AWS Auto Scaling",
             "LifecycleTransition":"autoscaling:EC2_INSTANCE_TERMINATING","EC2InstanceId":"i-1",
             "AutoScalingGroupName":"web","Time":"2026-11-26T04:00:00.000Z"})",
         {{"i-1", LeaveReason::other, at("2026-11-26T04:00:00Z")}}},
        {"an invalid time is unknown",
         event("EC2 Spot Instance Interruption Warning", R"({"instance-id":"i-1"})", "soon"),
         {{"i-1", LeaveReason::spot_interruption, std::nullopt}}},
        {"two minutes after the latest possible time",
         event("EC2 Spot Instance Interruption Warning", R"({"instance-id":"i-1"})",
               "2262-04-11T23:47:16Z"),
         {{"i-1", LeaveReason::spot_interruption, std::nullopt}}},
    };
    for (const NoticeCase& one : cases) {
        SCOPED_TRACE(one.what);
        const auto notices = read_notices(one.body);
        ASSERT_TRUE(notices) << notices.error();
        EXPECT_EQ(*notices, one.notices);
    }
}

TEST(Notices, AreNotReadFromOtherEvents) {
    const std::vector<std::string> bodies{
        event("EC2 Instance State-change Notification",
              R"({"instance-id":"i-1","state":"pending"})"),
        event("EC2 Instance State-change Notification", R"({"instance-id":"i-1"})"),
        event("EC2 Instance-launch Lifecycle Action", R"({"EC2InstanceId":"i-1"})"),
        event("Scheduled Event", "{}"),
        event("AWS Health Event", R"({"service":"RDS","eventTypeCategory":"scheduledChange",
                                      "affectedEntities":[{"entityValue":"i-1"}]})"),
        event("AWS Health Event", R"({"service":"EC2","eventTypeCategory":"issue",
                                      "affectedEntities":[{"entityValue":"i-1"}]})"),
        health(R"("affectedEntities":[])"),
        health(R"("statusCode":"open")"),
        R"({"Event":"autoscaling:TEST_NOTIFICATION","Service":"AWS Auto Scaling"})",
        R"({"LifecycleTransition":"autoscaling:EC2_INSTANCE_LAUNCHING","EC2InstanceId":"i-1"})",
    };
    for (const std::string& body : bodies) {
        const auto notices = read_notices(body);
        ASSERT_TRUE(notices) << body << notices.error();
        EXPECT_THAT(*notices, IsEmpty()) << body;
    }
}

TEST(Notices, ReportAnInvalidMessage) {
    EXPECT_THAT(read_notices("").error().message, HasSubstr("invalid JSON"));
    EXPECT_THAT(read_notices("{\"detail-type\":").error().message, HasSubstr("invalid JSON"));
    EXPECT_THAT(read_notices("{}").error().message, HasSubstr("detail-type"));
    EXPECT_THAT(read_notices("[]").error().message, HasSubstr("detail-type"));
    const std::string warning = "EC2 Spot Instance Interruption Warning";
    for (const char* detail : {"{}", "null", R"({"instance-id":7})", R"({"instance-id":"i-"})",
                               R"({"instance-id":"../../etc"})", R"({"instance-id":"i-XYZ"})"}) {
        const auto notices = read_notices(event(warning, detail));
        ASSERT_FALSE(notices) << detail;
        EXPECT_THAT(notices.error().message, HasSubstr(warning));
    }
    EXPECT_FALSE(
        read_notices(event(warning, R"({"instance-id":"i-)" + std::string(99, '1') + "\"}")));
}

TEST(Notices, ReplaceLessCertainNotices) {
    const Notice spot{"i-1", LeaveReason::spot_interruption, {}},
        stops{"i-1", LeaveReason::other, {}}, maintenance{"i-1", LeaveReason::maintenance, {}},
        rebalance{"i-1", LeaveReason::rebalance, {}};
    const std::vector<Notice> by_certainty{rebalance, maintenance, stops, spot};
    for (std::size_t later = 0; later < by_certainty.size(); ++later) {
        for (std::size_t earlier = 0; earlier < by_certainty.size(); ++earlier)
            EXPECT_EQ(supersedes(by_certainty[later], by_certainty[earlier]), later >= earlier);
    }
}

}  // namespace
}  // namespace capstan::aws
