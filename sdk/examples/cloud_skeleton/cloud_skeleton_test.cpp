#include "cloud_skeleton.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/fake_settings.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using capstan::ErrorCode;
using capstan::MachineId;
using capstan::MachineState;
using capstan::NodeGroupId;
using capstan::testing::FakeHost;
using capstan::testing::FakeSettings;
using capstan::testing::reply;
using capstan::testing::run;
using capstan::testing::settings_of;

constexpr const char* groups_url = "https://api.example/v1/groups";

struct Skeleton {
    FakeHost host;
    FakeSettings settings = settings_of<CloudSkeleton>();
    CloudSkeleton cloud;

    Skeleton() : cloud(host.host(), configured()) { host.secrets()["cloud-token"] = "hush"; }
    capstan::Settings configured() {
        return settings.set("endpoint", "https://api.example").set("token", "cloud-token").view();
    }
};

TEST(CloudSkeleton, ReadsGroupsAndMachinesAsOnePicture) {
    Skeleton s;
    s.host.http()
        .on("GET", groups_url, reply(200, "web\t1\t10\t2\tmedium\n"))
        .on("GET", "https://api.example/v1/machines",
            reply(200, "m-1\tweb\tactive\tz1\nm-2\tweb\tqueued\tz2\n"));
    const auto view = run(s.host, s.cloud.refresh());
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups, (std::vector<capstan::NodeGroup>{{.id = NodeGroupId("web"),
                                                              .min = 1,
                                                              .max = 10,
                                                              .target = 2,
                                                              .template_fingerprint = "medium"}}));
    ASSERT_EQ(view->machines.size(), 2u);
    EXPECT_EQ(view->machines[1].state, MachineState::requested);
}

TEST(CloudSkeleton, AuthorizesWithTheSecretItWasGranted) {
    Skeleton s;
    s.host.http().on("GET", groups_url, reply(200));
    EXPECT_TRUE(run(s.host, s.cloud.self_check()));
    EXPECT_THAT(s.host.http().requests().at(0).headers,
                ::testing::Contains(::testing::Pair("authorization", "Bearer hush")));
}

TEST(CloudSkeleton, FailsTheRefreshRatherThanReportHalfAList) {
    Skeleton s;
    s.host.http().on("GET", groups_url, reply(200, "web\t1\t10"));
    EXPECT_EQ(run(s.host, s.cloud.refresh()).error().code, ErrorCode::unavailable);
}

TEST(CloudSkeleton, RaisesTheTargetOnlyIfItIsStillTheExpectedOne) {
    Skeleton s;
    s.host.http().on({.method = "PUT",
                      .url = "https://api.example/v1/groups/web%20a/target",
                      .request_body = "5",
                      .reply = reply(200, "5")});
    const auto grown = run(s.host, s.cloud.increase({.group = NodeGroupId("web a"),
                                                     .delta = 3,
                                                     .expected_target = 2,
                                                     .idempotency_key = "k"}));
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(grown->target, 5);
    const capstan::HttpHeaders& headers = s.host.http().requests().at(0).headers;
    EXPECT_THAT(headers, ::testing::Contains(::testing::Pair("if-match", "2")));
    EXPECT_THAT(headers, ::testing::Contains(::testing::Pair("idempotency-key", "k")));
}

TEST(CloudSkeleton, SaysWhatTheHostShouldDoAboutARefusal) {
    const std::pair<int, ErrorCode> cases[] = {
        {401, ErrorCode::unauthenticated}, {403, ErrorCode::permission},
        {412, ErrorCode::conflict},        {429, ErrorCode::throttled},
        {507, ErrorCode::out_of_capacity}, {503, ErrorCode::unavailable},
        {402, ErrorCode::quota},           {418, ErrorCode::internal}};
    for (const auto& [status, code] : cases) {
        Skeleton s;
        s.host.http().always("PUT", "https://api.example/v1/groups/web/target",
                             reply(status, "no", {{"retry-after", "7"}}));
        const auto refused =
            run(s.host,
                s.cloud.increase({.group = NodeGroupId("web"), .delta = 1, .expected_target = 1}));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, code) << status;
        EXPECT_EQ(refused.error().retry_after, std::chrono::seconds(7));
    }
}

TEST(CloudSkeleton, TriesAgainWhatTheCloudWasTooBusyFor) {
    Skeleton s;
    s.host.http()
        .on("GET", groups_url, reply(429, "", {{"retry-after", "7"}}))
        .on("GET", groups_url, reply(503))
        .on("GET", groups_url, reply(200, "web\t1\t10\t2\tmedium\n"));
    EXPECT_TRUE(run(s.host, s.cloud.self_check()));
}

TEST(CloudSkeleton, RemovesTheOtherMachinesWhenOneCannotGo) {
    Skeleton s;
    s.host.http()
        .on("DELETE", "https://api.example/v1/machines/m-1", reply(404, "gone"))
        .on("DELETE", "https://api.example/v1/machines/m-2", reply(204));
    const auto removed =
        run(s.host, s.cloud.remove({.group = NodeGroupId("web"),
                                    .machines = {MachineId("m-1"), MachineId("m-2")}}));
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_EQ(removed->failed.size(), 1u);
    EXPECT_EQ(removed->failed[0].subject, "m-1");
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
}

TEST(CloudSkeleton, DescribesWhatAMachineTypeOffers) {
    Skeleton s;
    s.host.http()
        .on("GET", groups_url, reply(200, "web\t1\t10\t2\tmedium\n"))
        .on("GET", "https://api.example/v1/types/medium",
            reply(200, "cpu\t4\nmemory\t16Gi\npods\t110\n"));
    const auto node = run(s.host, s.cloud.describe(NodeGroupId("web")));
    ASSERT_TRUE(node) << node.error();
    EXPECT_EQ(node->capacity.amount("cpu"), 4000);
    EXPECT_EQ(node->machine_type, "medium");
    s.host.http().on("GET", groups_url, reply(200));
    EXPECT_EQ(run(s.host, s.cloud.describe(NodeGroupId("db"))).error().code, ErrorCode::not_found);
}

}  // namespace
