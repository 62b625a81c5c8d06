#include "external_cloud.hpp"

#include <gmock/gmock.h>

#include <core_v1.pb.h>
#include <capstan/testing/run_task.hpp>

#include "fake_server.hpp"

namespace capstan::external_grpc {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;
using ::testing::SizeIs;

constexpr int not_found = 5, unimplemented = 12, unavailable = 14;

template <class Request>
Request request_for(const std::string& group) {
    Request out;
    out.set_id(group);
    return out;
}

/// A server with groups and arranged responses.
struct Server {
    FakeHost host{};
    FakeServer server{host};
    CloudConfig config{.server = {.url = server_url}};
    std::optional<ExternalCloud> made{};
    wire::NodeGroupsResponse groups{};

    Server() { server.always("Refresh", wire::RefreshResponse()); }

    Server& group(const std::string& id, int target, std::vector<std::string> machines = {}) {
        add(id);
        wire::NodeGroupTargetSizeResponse size;
        size.set_targetsize(target);
        server.on("NodeGroupTargetSize", request_for<wire::NodeGroupTargetSizeRequest>(id), size);
        wire::NodeGroupNodesResponse nodes;
        for (const std::string& machine : machines) {
            wire::Instance& instance = *nodes.add_instances();
            instance.set_id(machine);
            instance.mutable_status()->set_instancestate(wire::InstanceStatus::instanceRunning);
        }
        server.on("NodeGroupNodes", request_for<wire::NodeGroupNodesRequest>(id), nodes);
        return *this;
    }
    void add(const std::string& id) {
        wire::NodeGroup& group = *groups.add_nodegroups();
        group.set_id(id);
        group.set_minsize(1);
        group.set_maxsize(5);
        group.set_debug(id + " (1:5)");
    }
    Server& without_optional_calls() {
        for (const char* call :
             {"NodeGroupTemplateNodeInfo", "NodeGroupGetOptions", "PricingNodePrice"})
            server.refuse(call, unimplemented);
        return *this;
    }
    Server& with_template(const std::string& cpus) {
        namespace core = k8s::io::api::core::v1;
        core::Node node;
        (*node.mutable_metadata()->mutable_labels())["pool"] = "web";
        (*node.mutable_status()->mutable_capacity())["cpu"].set_string(cpus);
        wire::NodeGroupTemplateNodeInfoResponse response;
        response.set_nodebytes(node.SerializeAsString());
        server.always("NodeGroupTemplateNodeInfo", response);
        return *this;
    }
    ExternalCloud& cloud() {
        if (made) return *made;
        server.always("NodeGroups", groups);
        return made.emplace(host.host(), config);
    }
    Result<CloudView> refresh() {
        auto view = run(host, cloud().refresh());
        if (!view) return fail(view.error());
        return **view;
    }
    std::size_t calls(const std::string& method) {
        return server.requests<wire::RefreshRequest>(method).size();
    }
};

TEST(ExternalCloud, ReadsGroupsTargetsAndMachines) {
    Server s;
    s.group("web", 2, {"m-1"}).group("db", 0).without_optional_calls();
    const auto view = s.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_TRUE(view->complete);
    EXPECT_EQ(view->target_lag, std::chrono::minutes(2));
    ASSERT_THAT(view->groups, SizeIs(2));
    EXPECT_EQ(view->groups[0], (NodeGroup{.id = NodeGroupId("web"),
                                          .min = 1,
                                          .max = 5,
                                          .target = 2,
                                          .debug = "web (1:5)",
                                          .price = Price{},
                                          .options = GroupOptions{}}));
    EXPECT_EQ(view->groups[1].target, 0) << "a target of 0 is known";
    EXPECT_EQ(view->machines,
              (std::vector<Machine>{{.id = MachineId("m-1"), .group = NodeGroupId("web")}}));
}

TEST(ExternalCloud, ReadsOtherGroupsIfOneCannotBeRead) {
    Server s;
    s.group("web", 2, {"m-1"}).without_optional_calls();
    s.add("db");
    s.server.refuse("NodeGroupTargetSize", request_for<wire::NodeGroupTargetSizeRequest>("db"),
                    unavailable);
    const auto view = s.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_FALSE(view->complete);
    EXPECT_EQ(view->groups[0].target, 2);
    EXPECT_EQ(view->groups[1].target, std::nullopt);
    ASSERT_THAT(view->unreadable, SizeIs(1));
    EXPECT_EQ(view->unreadable[0].subject, "db");
    EXPECT_THAT(view->unreadable[0].message,
                HasSubstr("group \"db\": clusterautoscaler.cloudprovider.v1.externalgrpc."
                          "CloudProvider/NodeGroupTargetSize: UNAVAILABLE"));
}

TEST(ExternalCloud, ReadsOtherGroupsIfOneHangs) {
    Server s;
    s.group("web", 2).without_optional_calls();
    for (const char* id : {"db", "queue"}) {
        s.add(id);
        s.server.hang("NodeGroupTargetSize", request_for<wire::NodeGroupTargetSizeRequest>(id));
    }
    const Duration before = s.host.monotonic();
    const auto view = s.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_THAT(view->unreadable, SizeIs(2));
    EXPECT_EQ(view->groups[0].target, 2);
    EXPECT_EQ(s.host.monotonic() - before, s.config.server.timeout) << "the calls run in parallel";
}

TEST(ExternalCloud, FailsTheRefreshForGroupsWithoutAUniqueId) {
    const auto read = [](const wire::NodeGroupsResponse& response) {
        Server s;
        s.groups = response;
        return s.refresh();
    };
    wire::NodeGroupsResponse unnamed, twice;
    unnamed.add_nodegroups();
    twice.add_nodegroups()->set_id("web");
    twice.add_nodegroups()->set_id("web");
    EXPECT_THAT(read(unnamed).error().message, HasSubstr("has no id"));
    EXPECT_THAT(read(twice).error().message, HasSubstr("two groups have the id \"web\""));
    EXPECT_THAT(read({})->groups, IsEmpty()) << "a server without groups is valid";
}

TEST(ExternalCloud, RefreshesTheViewAtTheConfiguredInterval) {
    Server s;
    s.config.refresh_every = seconds(30);
    s.group("web", 2).without_optional_calls();
    s.server.always("NodeGroupIncreaseSize", wire::NodeGroupIncreaseSizeResponse());
    ASSERT_TRUE(s.refresh());
    s.host.advance(seconds(29));
    ASSERT_TRUE(s.refresh());
    EXPECT_EQ(s.calls("NodeGroups"), 1u);
    s.host.advance(seconds(1));
    ASSERT_TRUE(s.refresh());
    EXPECT_EQ(s.calls("NodeGroups"), 2u) << "the view is too old";
    const Resize one{
        .group = NodeGroupId("web"), .delta = 1, .expected_target = 2, .listed_target = 2};
    ASSERT_TRUE(run(s.host, s.cloud().increase(one)));
    ASSERT_TRUE(s.refresh());
    EXPECT_EQ(s.calls("NodeGroups"), 3u) << "a group was changed";
}

struct Grown : Server {
    explicit Grown(std::vector<std::string> machines = {"m-1"}) {
        group("web", 2, std::move(machines)).without_optional_calls();
        server.always("NodeGroupIncreaseSize", wire::NodeGroupIncreaseSizeResponse());
        server.always("NodeGroupDecreaseTargetSize", wire::NodeGroupDecreaseTargetSizeResponse());
        EXPECT_TRUE(refresh());
    }
    /// The list shows a target of 2.
    Result<Resized> increase(int delta, int expected, std::string key = {}) {
        const Resize request{.group = NodeGroupId("web"),
                             .delta = delta,
                             .expected_target = expected,
                             .idempotency_key = std::move(key),
                             .listed_target = 2};
        return run(host, cloud().increase(request));
    }
    Result<Resized> decrease(int delta, int expected) {
        const Resize request{.group = NodeGroupId("web"),
                             .delta = delta,
                             .expected_target = expected,
                             .listed_target = expected};
        return run(host, cloud().decrease_target(request));
    }
};

TEST(ExternalCloud, IncreasesAndReturnsTheNewTarget) {
    Grown s;
    const auto grown = s.increase(3, 2);
    ASSERT_TRUE(grown) << grown.error();
    EXPECT_EQ(grown->target, 5);
    const auto requests =
        s.server.requests<wire::NodeGroupIncreaseSizeRequest>("NodeGroupIncreaseSize");
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_EQ(requests[0].id(), "web");
    EXPECT_EQ(requests[0].delta(), 3);
}

TEST(ExternalCloud, DecreasesWithANegativeDelta) {
    Grown s;
    const auto shrunk = s.decrease(1, 2);
    ASSERT_TRUE(shrunk) << shrunk.error();
    EXPECT_EQ(shrunk->target, 1);
    const auto requests =
        s.server.requests<wire::NodeGroupDecreaseTargetSizeRequest>("NodeGroupDecreaseTargetSize");
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_EQ(requests[0].delta(), -1);
}

TEST(ExternalCloud, ReportsATargetSetByAnotherClientAsAConflict) {
    Grown s;
    for (const int expected : {1, 3}) {
        const Resize request{.group = NodeGroupId("web"),
                             .delta = 1,
                             .expected_target = expected,
                             .listed_target = expected};
        EXPECT_EQ(run(s.host, s.cloud().increase(request)).error().code, ErrorCode::conflict);
        EXPECT_EQ(run(s.host, s.cloud().decrease_target(request)).error().code,
                  ErrorCode::conflict);
    }
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 0u);
    EXPECT_EQ(s.calls("NodeGroupDecreaseTargetSize"), 0u);
}

TEST(ExternalCloud, DoesNotDecreaseBelowTheListedMachines) {
    Grown s({"m-1", "m-2"});
    EXPECT_EQ(s.decrease(1, 2).error().code, ErrorCode::conflict);
    EXPECT_EQ(s.calls("NodeGroupDecreaseTargetSize"), 0u);
}

TEST(ExternalCloud, NeverExceedsTheMaximum) {
    Grown s;
    const auto refused = s.increase(4, 2);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(refused.error().message, HasSubstr("a target of 6 is above its maximum of 5"));
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 0u);
}

TEST(ExternalCloud, IncreasesFromTheExpectedTargetWhileTheListLags) {
    Grown s;
    ASSERT_TRUE(s.increase(1, 2));
    EXPECT_EQ(s.increase(1, 3)->target, 4) << "the list still shows 2";
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 2u);
}

/// The error code of an increase of a group of 2, with responses set by `arrange`.
ErrorCode code_after(const std::function<void(Server&)>& arrange) {
    Server s;
    s.group("web", 2).without_optional_calls();
    arrange(s);
    const Resize request{
        .group = NodeGroupId("web"), .delta = 1, .expected_target = 2, .listed_target = 2};
    const auto grown = run(s.host, s.cloud().increase(request));
    EXPECT_FALSE(grown);
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 1u) << "it is never repeated";
    return grown ? ErrorCode::internal : grown.error().code;
}

TEST(ExternalCloud, ReportsARefusedIncreaseAsUnavailable) {
    EXPECT_EQ(code_after([](Server& s) { s.server.refuse("NodeGroupIncreaseSize", unavailable); }),
              ErrorCode::unavailable);
}

TEST(ExternalCloud, ReportsALostConnectionAsAnUnknownResult) {
    EXPECT_EQ(code_after([](Server& s) {
                  s.host.http().on({.method = "POST",
                                    .url = s.server.url("NodeGroupIncreaseSize"),
                                    .error = Error{.code = ErrorCode::unavailable,
                                                   .message = "it is gone",
                                                   .provider_code = "connection_lost"}});
              }),
              ErrorCode::deadline);
}

TEST(ExternalCloud, AppliesARepeatedKeyOnce) {
    Grown s;
    EXPECT_EQ(s.increase(1, 2, "k")->target, 3);
    EXPECT_EQ(s.increase(1, 2, "k")->target, 3);
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 1u);
    EXPECT_EQ(s.increase(1, 3, "l")->target, 4);
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 2u);
}

TEST(ExternalCloud, FindsALostIncreaseInTheList) {
    Server s;
    s.add("web");
    wire::NodeGroupTargetSizeResponse before, after;
    before.set_targetsize(2);
    after.set_targetsize(3);
    const auto set_answer = [&](const wire::NodeGroupTargetSizeResponse& size) {
        s.host.http().on("POST", s.server.url("NodeGroupTargetSize"),
                         grpc_reply(size.SerializeAsString()));
    };
    set_answer(before);
    set_answer(after);
    s.server.refuse("NodeGroupIncreaseSize", unavailable);
    const Resize request{.group = NodeGroupId("web"),
                         .delta = 1,
                         .expected_target = 2,
                         .idempotency_key = "k",
                         .listed_target = 2};
    EXPECT_EQ(run(s.host, s.cloud().increase(request)).error().code, ErrorCode::unavailable);
    EXPECT_EQ(run(s.host, s.cloud().increase(request))->target, 3);
    EXPECT_EQ(s.calls("NodeGroupIncreaseSize"), 1u);
}

Removal removal_of(std::vector<std::string> machines, bool force = false) {
    Removal out{.group = NodeGroupId("web"), .force = force};
    for (const std::string& machine : machines) out.machines.emplace_back(machine);
    return out;
}

TEST(ExternalCloud, RemovesMachinesOneByOneAndReportsFailures) {
    Server s;
    s.group("web", 3, {"m-1", "m-2"}).without_optional_calls();
    auto first = request_for<wire::NodeGroupDeleteNodesRequest>("web");
    first.add_nodes()->set_providerid("m-1");
    s.server.refuse("NodeGroupDeleteNodes", first, not_found);
    s.server.always("NodeGroupDeleteNodes", wire::NodeGroupDeleteNodesResponse());
    ASSERT_TRUE(s.refresh());
    const auto removed = run(s.host, s.cloud().remove(removal_of({"m-1", "m-2"})));
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_THAT(removed->failed, SizeIs(1));
    EXPECT_EQ(removed->failed[0].subject, "m-1");
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
    EXPECT_EQ(s.calls("NodeGroupDeleteNodes"), 2u);
}

TEST(ExternalCloud, StaysAboveTheMinimumUnlessForced) {
    Server s;
    s.group("web", 2, {"m-1", "m-2"}).without_optional_calls();
    s.server.always("NodeGroupDeleteNodes", wire::NodeGroupDeleteNodesResponse());
    ASSERT_TRUE(s.refresh());
    const auto refused = run(s.host, s.cloud().remove(removal_of({"m-1", "m-2"})));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_TRUE(run(s.host, s.cloud().remove(removal_of({"m-1", "m-2"}, true))));
    EXPECT_EQ(s.calls("NodeGroupDeleteNodes"), 2u);
}

TEST(ExternalCloud, AllowsARemovalAfterARaiseByAnotherClient) {
    Server s;
    s.group("web", 4, {"m-1", "m-2", "m-3", "m-4"}).without_optional_calls();
    s.server.always("NodeGroupDeleteNodes", wire::NodeGroupDeleteNodesResponse());
    ASSERT_TRUE(s.refresh());
    ASSERT_THAT(run(s.host, s.cloud().remove(removal_of({"m-1", "m-2", "m-3"})))->failed,
                IsEmpty());
    ASSERT_TRUE(s.refresh()) << "it shows 4 again: another client raised the target";
    const auto removed = run(s.host, s.cloud().remove(removal_of({"m-5", "m-6", "m-7"})));
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
}

TEST(ExternalCloud, ReplacesNoMachine) {
    Grown s;
    Removal request = removal_of({"m-1"});
    request.keep_target = true;
    EXPECT_EQ(run(s.host, s.cloud().remove(request)).error().code, ErrorCode::unsupported);
    EXPECT_EQ(s.calls("NodeGroupDeleteNodes"), 0u);
}

TEST(ExternalCloud, EmptiesAnAllOrNothingGroupWithOneCall) {
    Server s;
    s.group("web", 3, {"m-1", "m-2"}).with_template("4");
    s.server.refuse("PricingNodePrice", unimplemented);
    wire::NodeGroupAutoscalingOptionsResponse options;
    *options.mutable_nodegroupautoscalingoptions() = message_of(s.config.defaults);
    options.mutable_nodegroupautoscalingoptions()->set_zeroormaxnodescaling(true);
    s.server.always("NodeGroupGetOptions", options);
    s.server.always("NodeGroupDeleteNodes", wire::NodeGroupDeleteNodesResponse());
    ASSERT_TRUE(s.refresh());
    ASSERT_TRUE(run(s.host, s.cloud().remove(removal_of({"m-1", "m-2"}))));
    const auto requests =
        s.server.requests<wire::NodeGroupDeleteNodesRequest>("NodeGroupDeleteNodes");
    ASSERT_THAT(requests, SizeIs(1));
    EXPECT_EQ(requests[0].nodes_size(), 2);
}

TEST(ExternalCloud, SendsTheNodeIfNodesAreWatched) {
    Server s;
    s.group("web", 2, {"m-1"}).without_optional_calls();
    s.server.always("NodeGroupDeleteNodes", wire::NodeGroupDeleteNodesResponse());
    s.host.kube().put_text(KubeResource("", "v1", "nodes", "Node"),
                           R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1",
        "labels":{"pool":"web"},"annotations":{"note":"a"}},"spec":{"providerID":"m-1"}})");
    ASSERT_TRUE(run(s.host, s.cloud().start()));
    ASSERT_TRUE(s.refresh());
    ASSERT_TRUE(run(s.host, s.cloud().remove(removal_of({"m-1"}))));
    const auto requests =
        s.server.requests<wire::NodeGroupDeleteNodesRequest>("NodeGroupDeleteNodes");
    ASSERT_THAT(requests, SizeIs(1));
    const wire::ExternalGrpcNode& node = requests[0].nodes(0);
    EXPECT_EQ(node.providerid(), "m-1");
    EXPECT_EQ(node.name(), "node-1");
    EXPECT_EQ(node.labels().at("pool"), "web");
    EXPECT_EQ(node.annotations().at("note"), "a");
}

TEST(ExternalCloud, DoesNotRepeatUnimplementedCalls) {
    Server s;
    s.config.details_every = Duration::zero();
    s.group("web", 2).group("db", 2).without_optional_calls();
    s.config.parallel_calls = 1;
    for (int pass = 0; pass < 3; ++pass) ASSERT_TRUE(s.refresh());
    EXPECT_EQ(s.calls("NodeGroupTemplateNodeInfo"), 1u);
    EXPECT_EQ(s.calls("NodeGroupGetOptions"), 1u);
    EXPECT_EQ(run(s.host, s.cloud().describe(NodeGroupId("web"))).error().code,
              ErrorCode::unsupported);
}

TEST(ExternalCloud, ChangesTheFingerprintWithTheTemplate) {
    const auto fingerprint = [](const std::string& cpus) {
        Server s;
        s.group("web", 2).with_template(cpus);
        s.server.refuse("NodeGroupGetOptions", unimplemented);
        s.server.refuse("PricingNodePrice", unimplemented);
        const auto view = s.refresh();
        const auto node = run(s.host, s.cloud().describe(NodeGroupId("web")));
        EXPECT_EQ(view->groups[0].template_fingerprint, node->fingerprint);
        return node->fingerprint;
    };
    EXPECT_EQ(fingerprint("4"), fingerprint("4000m"));
    EXPECT_NE(fingerprint("4"), fingerprint("8"));
}

TEST(ExternalCloud, ReadsDetailsAgainOnlyAfterTheirInterval) {
    Server s;
    s.group("web", 2).with_template("4");
    s.server.refuse("NodeGroupGetOptions", unavailable);
    s.server.refuse("PricingNodePrice", unimplemented);
    for (const int seconds_later : {0, 30, 31}) {
        s.host.advance(seconds(seconds_later));
        const auto view = s.refresh();
        EXPECT_TRUE(view->complete) << "unreadable options are not an error of the group";
    }
    EXPECT_EQ(s.calls("NodeGroupTemplateNodeInfo"), 2u);
    EXPECT_EQ(s.calls("NodeGroupGetOptions"), 2u);
}

TEST(ExternalCloud, ReportsAnUnreadableTemplateIfItIsDescribed) {
    Server s;
    s.group("web", 2).without_optional_calls();
    Server broken;
    broken.group("web", 2);
    broken.server.refuse("NodeGroupTemplateNodeInfo", unavailable);
    broken.server.refuse("NodeGroupGetOptions", unimplemented);
    const auto view = broken.refresh();
    EXPECT_TRUE(view->complete);
    EXPECT_EQ(view->groups[0].template_fingerprint, "");
    EXPECT_EQ(run(broken.host, broken.cloud().describe(NodeGroupId("web"))).error().code,
              ErrorCode::unavailable);
}

TEST(ExternalCloud, ReadsAPricePerHourIncludingZero) {
    for (const double price : {0.25, 0.0}) {
        Server s;
        s.config.currency = "EUR";
        s.group("web", 2).with_template("4");
        s.server.refuse("NodeGroupGetOptions", unimplemented);
        wire::PricingNodePriceResponse response;
        response.set_price(price);
        s.server.always("PricingNodePrice", response);
        const auto view = s.refresh();
        ASSERT_TRUE(view) << view.error();
        EXPECT_EQ(view->groups.at(0).price, (Price{.per_hour = price, .currency = "EUR"}));
        const auto request =
            s.server.requests<wire::PricingNodePriceRequest>("PricingNodePrice").at(0);
        EXPECT_EQ(request.endtimestamp().seconds() - request.starttimestamp().seconds(), 3600);
        EXPECT_EQ(request.node().labels().at("pool"), "web");
    }
}

TEST(ExternalCloud, HasNoPriceIfTheServerHasNone) {
    Server s;
    s.group("web", 2).with_template("4");
    s.server.refuse("NodeGroupGetOptions", unimplemented);
    s.server.refuse("PricingNodePrice", unimplemented);
    const auto view = s.refresh();
    ASSERT_TRUE(view) << view.error();
    EXPECT_EQ(view->groups.at(0).price, (Price{.per_hour = std::nullopt}));
}

}  // namespace
}  // namespace capstan::external_grpc
