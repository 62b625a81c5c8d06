// The expander with servers that share only the protocol with it.
#include <gmock/gmock.h>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/run_task.hpp>

#include "grpc_expander.hpp"
#include "real_http_host.hpp"
#include "running_server.hpp"

namespace capstan::external_grpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::option;
using testing::run;

struct ServedExpander {
    RunningServer server;
    RealHttpHost host{};
    GrpcExpander expander;

    /// The default timeout is long enough for a server that shares its processors with other tests.
    explicit ServedExpander(Server kind, const char* generation = "new",
                            Duration timeout = std::chrono::seconds(30))
        : server(kind, {generation}), expander(host.host(), config(server.url(), timeout)) {}
    static ExpanderConfig config(const std::string& url, Duration timeout) {
        return {.server = {.url = url, .timeout = timeout}};
    }
    Result<KeptOptions> filter(const std::vector<testing::OptionBuilder>& options,
                               std::vector<PodEquivalenceGroup> pods) {
        AsyncExpanderRequest request;
        for (const auto& each : options) request.options.push_back(each.value(pods));
        request.pods = std::move(pods);
        return run(host.fake(), expander.filter(std::move(request)));
    }
    Result<KeptOptions> filter(const std::vector<testing::OptionBuilder>& options) {
        return filter(options, {testing::pods("web-1", 3)});
    }
};

class ExpanderOnGrpcServers : public GrpcServers {};
INSTANTIATE_TEST_SUITE_P(On, ExpanderOnGrpcServers, both_servers, name_of_server);

TEST_P(ExpanderOnGrpcServers, KeepsWhatTheServerKeeps) {
    ServedExpander p(GetParam());
    const auto kept = p.filter(
        {option("a").nodes(2).pods(3), option("b").nodes(5).pods(3), option("c").nodes(2).pods(1)});
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_EQ(*kept, (KeptOptions{.kept = {{0}, {2}}}));
}

TEST_P(ExpanderOnGrpcServers, SendsTheSameToBothGenerations) {
    const PodEquivalenceGroup pods{
        .ns = "shop",
        .example = "web-1",
        .owner_kind = "ReplicaSet",
        .owner_name = "web",
        .scheduler = "batch",
        .requests = {{"cpu", 500}, {"memory", 2_GiB}},
        .labels = {{"app", "web"}},
        .annotations = {{"note", "b"}},
        .node_selector = {{"disk", "ssd"}},
        .affinity_required = {{.labels = {{"zone", Operator::in, {"a", "b"}}},
                               .fields = {{"metadata.name", Operator::not_in, {"n-1"}}}}},
        .affinity_preferred = {{.labels = {{"spot", Operator::exists, {}}}, .weight = 50}},
        .tolerations = {{.key = "gpu", .value = "yes", .effect = Effect::no_execute}},
        .priority = 7,
        .count = 2};
    NodeTemplate node{.name = "template-1",
                      .labels = {{"disk", "ssd"}, {"zone", "a"}},
                      .annotations = {{"note", "a"}},
                      .taints = {{.key = "gpu", .value = "yes", .effect = Effect::no_execute}},
                      .capacity = {{"cpu", 4_cpu}, {"memory", 16_GiB}},
                      .allocatable = {{"cpu", 3900}, {"memory", 15_GiB}}};
    const auto request_of = [&](const char* generation) {
        ServedExpander p(GetParam(), generation);
        const auto kept = p.filter({option("a").nodes(1).pods(2).node(node)}, {pods});
        EXPECT_TRUE(kept) << kept.error();
        return p.server.last_request();
    };
    const std::string like =
        " | ReplicaSet/web | app=web | note=b | cpu=500m memory=2Gi | "
        "disk=ssd | zone In a,b and metadata.name NotIn n-1 or 50 spot Exists "
        " | gpu Equal yes NoExecute | batch 7";
    const auto request = request_of("new");
    EXPECT_THAT(request,
                ElementsAre("option a | 1 | a (0:1000): 1 node for 2 pods", "pod shop/web-1" + like,
                            "pod shop/web-1.2" + like,
                            "node a template-1 | disk=ssd zone=a | note=a | "
                            "gpu=yes:NoExecute | cpu=4 memory=16Gi | cpu=3900m memory=15Gi"));
    EXPECT_EQ(request_of("old"), request);
}

TEST_P(ExpanderOnGrpcServers, IgnoresUnknownGroupsAndChangedCounts) {
    ServedExpander p(GetParam());
    const auto kept = p.filter({option("changed").nodes(2), option("fewer").nodes(1)});
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_EQ(kept->kept, (std::vector<KeptOptions::Kept>{{0}, {1}}));
    EXPECT_THAT(kept->sentences, ElementsAre(HasSubstr("\"elsewhere\""), HasSubstr("not 99")));
}

TEST_P(ExpanderOnGrpcServers, FailsOnServerErrorsAndTimeouts) {
    ServedExpander p(GetParam(), "new", std::chrono::seconds(3));
    const auto broken = p.filter({option("broken")});
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message, HasSubstr("BestOptions: INTERNAL \"no prices\""));
    const auto silent = p.filter({option("slow")});
    ASSERT_FALSE(silent);
    EXPECT_EQ(silent.error().code, ErrorCode::deadline);
    EXPECT_TRUE(p.filter({option("a")})) << "the next request succeeds";
}

/// Neither server has a health service. The response of the Python server to such a call may be
/// lost, as for the cloud's optional calls.
TEST_P(ExpanderOnGrpcServers, PassesTheSelfCheck) {
    ServedExpander p(GetParam());
    const auto checked = [&] { return run(p.host.fake(), p.expander.self_check()).has_value(); };
    EXPECT_TRUE(checked() || checked() || checked() || checked());
}

TEST_P(ExpanderOnGrpcServers, SendsTheLongestAcceptedRequest) {
    ServedExpander p(GetParam());
    const auto kept = p.filter({option("a").pods(20'000)}, {testing::pods("web-1", 20'000)});
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_THAT(kept->sentences, ElementsAre(HasSubstr("all would exceed 4Mi")));
}

}  // namespace
}  // namespace capstan::external_grpc
