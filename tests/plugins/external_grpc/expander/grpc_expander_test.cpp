#include "grpc_expander.hpp"

#include <gmock/gmock.h>

#include <capstan/testing/run_task.hpp>

#include "fake_server.hpp"
#include "questions.hpp"

namespace capstan::external_grpc {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::option;
using ::testing::Pair;
using testing::run;
using ::testing::SizeIs;

struct FakeExpanderServer {
    testing::FakeHost host{};
    FakeServer server{host, "grpcplugin.Expander"};
    ExpanderConfig config{.server = {.url = server_url, .timeout = std::chrono::seconds(5)}};

    Result<KeptOptions> filter(AsyncExpanderRequest request) {
        GrpcExpander expander(host.host(), config);
        return run(host, expander.filter(std::move(request)));
    }
};

grpcplugin::BestOptionsResponse response_with(std::initializer_list<const char*> groups) {
    grpcplugin::BestOptionsResponse out;
    for (const char* group : groups) out.add_options()->set_nodegroupid(group);
    return out;
}

TEST(GrpcExpander, KeepsWhatTheServerKeeps) {
    FakeExpanderServer p;
    p.server.always("BestOptions", response_with({"b", "c"}));
    const auto kept = p.filter(question({option("a"), option("b").pods(2), option("c")}));
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_EQ(*kept, (KeptOptions{.kept = {{1}, {2}}}));
    const auto requests = p.server.requests<grpcplugin::BestOptionsRequest>("BestOptions");
    ASSERT_THAT(requests, SizeIs(1)) << "one call";
    EXPECT_EQ(requests[0].options_size(), 3);
    EXPECT_EQ(requests[0].options(1).podbytes_size(), 2);
    EXPECT_EQ(requests[0].nodebytesmap().size(), 3u);
    EXPECT_THAT(p.host.http().requests()[0].headers, Contains(Pair("grpc-timeout", "5000m")));
}

TEST(GrpcExpander, ReportsPodsOmittedFromTheRequest) {
    FakeExpanderServer p;
    p.config.request_size_max = 10'000;
    p.server.always("BestOptions", response_with({"a", "x"}));
    const auto kept = p.filter(question({option("a").pods(100)}, {testing::pods("web-1", 100)}));
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_THAT(kept->sentences, ElementsAre(HasSubstr("of 100 pods"), HasSubstr("\"x\"")));
}

TEST(GrpcExpander, FailsIfTheServerReturnsAnError) {
    FakeExpanderServer p;
    p.server.refuse("BestOptions", 13, "no prices");
    const auto kept = p.filter(question({option("a")}));
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, ErrorCode::unavailable);
    EXPECT_EQ(kept.error().message, "grpcplugin.Expander/BestOptions: INTERNAL \"no prices\"");
}

TEST(GrpcExpander, FailsAfterTheTimeoutIfTheServerHangs) {
    FakeExpanderServer p;
    p.host.http().on({.method = "POST", .url = p.server.url("BestOptions")});
    const Duration before = p.host.monotonic();
    const auto kept = p.filter(question({option("a")}));
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, ErrorCode::deadline);
    EXPECT_EQ(p.host.monotonic() - before, p.config.server.timeout);
    EXPECT_THAT(p.host.http().requests(), SizeIs(1));
}

TEST(GrpcExpander, DoesNotSendARequestAboveTheSizeLimit) {
    FakeExpanderServer p;
    NodeTemplate huge;
    huge.annotations["note"] = std::string(longest_message, 'x');
    const auto kept = p.filter(question({option("a").node(huge)}));
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(p.host.http().requests(), SizeIs(0));
}

TEST(GrpcExpander, AcceptsAServerWithoutAHealthService) {
    for (const auto& [code, is_there] :
         {std::pair(0, true), {12, true}, {14, false}, {16, false}}) {
        FakeExpanderServer p;
        FakeServer health(p.host, "grpc.health.v1.Health");
        if (code == 0) {
            health.always("Check", grpcplugin::BestOptionsResponse());
        } else {
            health.refuse("Check", code);
        }
        GrpcExpander expander(p.host.host(), p.config);
        EXPECT_EQ(run(p.host, expander.self_check()).has_value(), is_there) << code;
    }
}

}  // namespace
}  // namespace capstan::external_grpc
