#include <gmock/gmock.h>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "fake_server.hpp"
#include "grpc_expander.pb.h"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::external_grpc {
namespace {

std::vector<std::string> failures_of(testing::ConformanceOptions options) {
    options.settings["grpc_expander"] = {{"address", server_url}};
    std::vector<std::string> out;
    for (const auto& r : run_checks(testing::conformance_checks(capstan_entry_1, options))) {
        if (r.outcome.verdict == testing::Outcome::Verdict::failed)
            out.push_back(r.name + ": " + r.outcome.sentence);
    }
    return out;
}

TEST(GrpcExpanderConformance, PassesWithoutAServer) {
    EXPECT_THAT(failures_of({}), ::testing::IsEmpty());
}

TEST(GrpcExpanderConformance, PassesWithAServerThatKeepsNothing) {
    testing::ConformanceOptions options;
    options.prepare = [](testing::FakeHost& host, std::string_view) {
        FakeServer(host, "grpcplugin.Expander")
            .always("BestOptions", grpcplugin::BestOptionsResponse());
    };
    EXPECT_THAT(failures_of(options), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::external_grpc
