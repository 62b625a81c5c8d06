// Passes with an expander that calls a service, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "autoscaler/pass_cycle.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "io/http_client.hpp"
#include "virtual_assembly.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using namespace std::string_literals;

std::string with_service(const std::string& stage) {
    return "[pipeline]\nclouds = [\"east\"]\n[pipeline.scale_up]\nsimilarity = []\nexpanders = [" +
           stage +
           "]\n[plugin.chooser]\nclass = \"grpc_expander\"\ngrants = { http = "
           "[\"expander.example\"] }\nsettings = { address = \"https://expander.example:7000\" "
           "}\n" +
           simulated("east",
                     "groups = [" + simulated_group("a") + ", " + simulated_group("b") + "]");
}

/// A server of the gRPC expander protocol.
class FakeExpanderService final : public io::HttpClient {
public:
    enum class Answer { keeps_b, keeps_none, unavailable };
    explicit FakeExpanderService(Answer answer) : answer_(answer) {}

    RequestId send(HttpRequest, Done done) override {
        ++requests;
        done(reply());
        return static_cast<RequestId>(requests);
    }
    RequestId stream(HttpRequest, Listener, Done done) override {
        return send({}, std::move(done));
    }
    void cancel(RequestId) override {}

    int requests = 0;

private:
    /// BestOptionsResponse{options = [Option{nodeGroupId = "b"}]} in a frame, or an empty one.
    Result<HttpReply> reply() const {
        if (answer_ == Answer::unavailable)
            return fail(ErrorCode::unavailable, "connection refused");
        HttpReply reply;
        reply.status = 200;
        reply.headers = {{"content-type", "application/grpc"}};
        reply.body = "\0\0\0\0\0"s;
        if (answer_ == Answer::keeps_b)
            reply.body =
                "\0\0\0\0\x05\x0a\x03\x0a\x01"
                "b"s;
        reply.trailers = {{"grpc-status", "0"}};
        return reply;
    }
    const Answer answer_;
};

struct PassCycleWithService : ::testing::Test {
    void open(FakeExpanderService::Answer answer, const std::string& stage = "\"chooser\"") {
        service = std::make_shared<FakeExpanderService>(answer);
        assembly = std::make_unique<VirtualAssembly>(
            with_service(stage), [this](const std::string&) { return service; });
    }
    PassInput input() const {
        const Time now = assembly->host().loop().clock()->now();
        engine::snapshot::ClusterBuilder builder;
        engine::snapshot::PodObject pod{.name = "web-0"};
        pod.spec.requests = {{"cpu", 3000}};
        pod.unscheduled_reason = "Unschedulable";
        pod.created = now - 1h;
        builder.set(pod);
        return {.snapshot = {.cluster = builder.build(),
                             .groups = assembly->clouds().refresh_now(assembly->host()).groups},
                .wiring = wire(assembly->config().pipeline, assembly->host()).value(),
                .clouds = assembly->clouds().instances(),
                .call_context = {.seed = 1, .now = now, .simulation = true},
                .host = &assembly->host()};
    }
    std::shared_ptr<FakeExpanderService> service;
    std::unique_ptr<VirtualAssembly> assembly;
};

TEST_F(PassCycleWithService, ScalesUpTheGroupThatTheServiceKeeps) {
    open(FakeExpanderService::Answer::keeps_b);
    const auto result = decide(input());
    ASSERT_TRUE(result) << result.error();
    ASSERT_THAT(result->outcome.decision.increases, SizeIs(1));
    EXPECT_EQ(result->outcome.decision.increases[0].group, NodeGroupId("b"));
    EXPECT_THAT(result->expander_answers, SizeIs(1));
    EXPECT_EQ(service->requests, 1);
}

TEST_F(PassCycleWithService, DecidesTheSameFromRecordedResponses) {
    open(FakeExpanderService::Answer::keeps_b);
    PassInput again = input();
    const auto first = decide(again);
    ASSERT_TRUE(first) << first.error();
    again.host = nullptr;
    again.expander_answers = first->expander_answers;
    const auto second = decide(again);
    ASSERT_TRUE(second) << second.error();
    EXPECT_EQ(second->outcome.decision.increases, first->outcome.decision.increases);
    EXPECT_EQ(second->outcome.memory, first->outcome.memory);
    EXPECT_EQ(second->expander_answers, first->expander_answers);
    EXPECT_EQ(service->requests, 1);
}

TEST_F(PassCycleWithService, ContinuesWithoutAnUnavailableService) {
    open(FakeExpanderService::Answer::unavailable);
    const auto result = decide(input());
    ASSERT_TRUE(result) << result.error();
    ASSERT_THAT(result->outcome.decision.increases, SizeIs(1));
    EXPECT_EQ(result->outcome.decision.increases[0].group, NodeGroupId("a")) << "the lowest id";
    const engine::ChosenOption& chosen = result->outcome.decision.options.at(0);
    ASSERT_THAT(chosen.stages, SizeIs(1));
    EXPECT_THAT(chosen.stages[0].summary, HasSubstr("chooser: failed"));
    EXPECT_THAT(result->skipped_hooks, IsEmpty());
}

TEST_F(PassCycleWithService, PlansNoScaleUpIfTheServiceKeepsNone) {
    open(FakeExpanderService::Answer::keeps_none);
    const auto result = decide(input());
    ASSERT_TRUE(result) << result.error();
    EXPECT_THAT(result->outcome.decision.increases, IsEmpty());
    EXPECT_EQ(service->requests, 1);
}

TEST_F(PassCycleWithService, SkipsAStageThatKeepsNoneIfConfigured) {
    open(FakeExpanderService::Answer::keeps_none, R"({ use = "chooser", on_empty = "skip" })");
    const auto result = decide(input());
    ASSERT_TRUE(result) << result.error();
    ASSERT_THAT(result->outcome.decision.increases, SizeIs(1));
    EXPECT_EQ(result->outcome.decision.increases[0].group, NodeGroupId("a")) << "the lowest id";
}

}  // namespace
}  // namespace capstan::autoscaler
