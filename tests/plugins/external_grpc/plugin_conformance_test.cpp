#include <gmock/gmock.h>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "fake_server.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::external_grpc {
namespace {

void ready_server(testing::FakeHost& host, std::string_view) {
    FakeServer server(host);
    wire::NodeGroupsResponse groups;
    groups.add_nodegroups()->set_id("web");
    groups.mutable_nodegroups(0)->set_maxsize(5);
    wire::NodeGroupTargetSizeResponse size;
    size.set_targetsize(1);
    wire::NodeGroupNodesResponse nodes;
    nodes.add_instances()->set_id("m-1");
    server.always("Refresh", wire::RefreshResponse())
        .always("NodeGroups", groups)
        .always("NodeGroupTargetSize", size)
        .always("NodeGroupNodes", nodes);
    for (const char* call :
         {"NodeGroupTemplateNodeInfo", "NodeGroupGetOptions", "PricingNodePrice"})
        server.refuse(call, 12);
}

std::vector<std::string> failures_of(const testing::ConformanceOptions& options) {
    std::vector<std::string> out;
    for (const auto& r : run_checks(testing::conformance_checks(capstan_entry_1, options))) {
        if (r.outcome.verdict == testing::Outcome::Verdict::failed)
            out.push_back(r.name + ": " + r.outcome.sentence);
    }
    return out;
}

testing::ConformanceOptions configured() {
    testing::ConformanceOptions out;
    out.settings["external_grpc"] = {{"address", server_url}};
    return out;
}

TEST(ExternalGrpcConformance, PassesWithoutAServer) {
    EXPECT_THAT(failures_of(configured()), ::testing::IsEmpty());
}

TEST(ExternalGrpcConformance, PassesWithAServerThatNeverChanges) {
    testing::ConformanceOptions options = configured();
    options.prepare = ready_server;
    EXPECT_THAT(failures_of(options), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::external_grpc
