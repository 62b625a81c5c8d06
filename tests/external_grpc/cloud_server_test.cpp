// The cloud with servers that share only the protocol with it.
#include <gmock/gmock.h>

#include <algorithm>
#include <capstan/testing/run_task.hpp>

#include "external_cloud.hpp"
#include "real_http_host.hpp"
#include "running_server.hpp"

namespace capstan::external_grpc {
namespace {

using ::testing::HasSubstr;
using testing::run;

/// The timeout of each call. A call to the slow group takes this long; for all other calls it is
/// long enough on a busy machine.
constexpr Duration call_timeout = std::chrono::seconds(3);

struct ServedCloud {
    RunningServer server;
    RealHttpHost host{};
    ExternalCloud cloud;

    explicit ServedCloud(Server kind, std::vector<std::string> arguments = {"new"})
        : server(kind, arguments), cloud(host.host(), config(server.url())) {}
    static CloudConfig config(const std::string& url) {
        CloudConfig out{.server = {.url = url}};
        out.server.timeout = call_timeout;
        return out;
    }
    CloudView refresh() {
        auto view = run(host.fake(), cloud.refresh());
        EXPECT_TRUE(view) << view.error();
        return view ? **view : CloudView{};
    }
    Result<Resized> increase(const char* group, int delta, int expected) {
        const Resize request{
            .group = NodeGroupId(group), .delta = delta, .expected_target = expected};
        return run(host.fake(), cloud.increase(request));
    }
};

class CloudOnGrpcServers : public GrpcServers {};
INSTANTIATE_TEST_SUITE_P(On, CloudOnGrpcServers, both_servers, name_of_server);

TEST_P(CloudOnGrpcServers, ReadsGroupsAndReportsUnreadableOnes) {
    ServedCloud p(GetParam(), {"new", "--slow"});
    const CloudView view = p.refresh();
    ASSERT_EQ(view.groups.size(), 4u);
    EXPECT_EQ(view.groups[0].id, NodeGroupId("web"));
    EXPECT_EQ(view.groups[0].min, 0);
    EXPECT_EQ(view.groups[0].max, 10);
    EXPECT_EQ(view.groups[0].target, 2);
    EXPECT_FALSE(view.complete);
    ASSERT_EQ(view.unreadable.size(), 2u);
    EXPECT_EQ(view.unreadable[0].subject, "broken");
    EXPECT_THAT(view.unreadable[0].message, HasSubstr("INTERNAL \"100% broken: \u20ac"));
    EXPECT_EQ(view.unreadable[1].subject, "slow");
    EXPECT_EQ(view.unreadable[1].code, ErrorCode::deadline);
}

TEST_P(CloudOnGrpcServers, ReadsMachinesWithTheirErrors) {
    ServedCloud p(GetParam());
    const CloudView view = p.refresh();
    ASSERT_EQ(view.machines.size(), 3u);
    EXPECT_EQ(view.machines[0].id, MachineId("m-1"));
    EXPECT_EQ(view.machines[0].state, MachineState::running);
    EXPECT_EQ(view.machines[2].state, MachineState::failed);
    ASSERT_TRUE(view.machines[2].error);
    EXPECT_EQ(view.machines[2].error->code, ErrorCode::out_of_capacity);
    EXPECT_EQ(view.machines[2].error->provider_code, "STOCKOUT");
    EXPECT_EQ(view.machines[2].error->message, "none left in zone a");
}

TEST_P(CloudOnGrpcServers, GrowsAndShrinksTargets) {
    ServedCloud p(GetParam());
    p.refresh();
    EXPECT_EQ(p.increase("web", 3, 2)->target, 5);
    EXPECT_EQ(p.refresh().groups[0].target, 5);
    const Resize back{.group = NodeGroupId("web"), .delta = 2, .expected_target = 5};
    EXPECT_EQ(run(p.host.fake(), p.cloud.decrease_target(back))->target, 3);
    const Resize too_far{.group = NodeGroupId("web"), .delta = 2, .expected_target = 3};
    EXPECT_EQ(run(p.host.fake(), p.cloud.decrease_target(too_far)).error().code,
              ErrorCode::conflict);
    EXPECT_EQ(p.refresh().groups[0].target, 3);
}

TEST_P(CloudOnGrpcServers, RemovesMachinesAndReportsAnUnknownOne) {
    ServedCloud p(GetParam());
    p.refresh();
    const Removal removal{.group = NodeGroupId("web"),
                          .machines = {MachineId("m-9"), MachineId("m-2")}};
    const auto removed = run(p.host.fake(), p.cloud.remove(removal));
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_EQ(removed->failed.size(), 1u);
    EXPECT_EQ(removed->failed[0].subject, "m-9");
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
    EXPECT_EQ(p.refresh().groups[0].target, 1);
}

TEST_P(CloudOnGrpcServers, ReadsEqualTemplatesFromBothGenerations) {
    const auto described = [](const char* generation) {
        ServedCloud p(GetParam(), {generation});
        p.refresh();
        const auto node = run(p.host.fake(), p.cloud.describe(NodeGroupId("web")));
        EXPECT_TRUE(node) << node.error();
        return node.value_or(NodeTemplate{});
    };
    const NodeTemplate node = described("new");
    EXPECT_EQ(node, described("old"));
    EXPECT_EQ(node.labels, (Labels{{"pool", "web"}}));
    EXPECT_EQ(node.taints, (std::vector<Taint>{{.key = "dedicated", .value = "web"}}));
    EXPECT_EQ(node.capacity, (Resources{{"cpu", 4_cpu}, {"memory", 16_GiB}}));
    EXPECT_EQ(node.allocatable, (Resources{{"cpu", 3900}, {"memory", 16_GiB}}));
}

TEST_P(CloudOnGrpcServers, ReadsOptionsAndPrices) {
    ServedCloud p(GetParam());
    const CloudView view = p.refresh();
    const auto group = [&](std::string_view id) {
        return *std::ranges::find(view.groups, id,
                                  [](const NodeGroup& each) { return each.id.value(); });
    };
    EXPECT_EQ(group("web").options, (GroupOptions{.utilization_threshold = 0.0,
                                                  .unneeded_time = std::chrono::seconds(90)}));
    EXPECT_EQ(group("sold-out").options, GroupOptions{}) << "the message is missing";
    EXPECT_EQ(group("web").price, (Price{.per_hour = 0.25}));
}

/// gRPC's C library responds to an unknown call before it has read the request, and resets the
/// stream. libcurl 7.88 then loses one response in three, so several attempts may be needed.
TEST_P(CloudOnGrpcServers, AcceptsAServerWithoutOptionalCalls) {
    ServedCloud p(GetParam(), {"new", "--bare"});
    std::optional<Error> error;
    for (int round = 0; round < 12; ++round) {
        EXPECT_EQ(p.refresh().groups[0].target, 2);
        const auto node = run(p.host.fake(), p.cloud.describe(NodeGroupId("web")));
        ASSERT_FALSE(node);
        error = node.error();
        if (error->code == ErrorCode::unsupported) return;
        p.host.fake().advance(std::chrono::minutes(1));
    }
    FAIL() << *error;
}

}  // namespace
}  // namespace capstan::external_grpc
