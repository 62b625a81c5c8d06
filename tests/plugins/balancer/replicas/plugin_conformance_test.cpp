#include <gmock/gmock.h>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "shop.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::replicas {
namespace {

using testing::ConformanceOptions;
using testing::Outcome;

std::vector<std::string> failures(const ConformanceOptions& options) {
    std::vector<std::string> out;
    for (const auto& r : run_checks(testing::conformance_checks(capstan_entry_1, options))) {
        if (r.outcome.verdict == Outcome::Verdict::failed)
            out.push_back(r.name + ": " + r.outcome.sentence);
    }
    return out;
}

TEST(ReplicasConformance, PassesConformanceAsAController) {
    EXPECT_THAT(failures({}), ::testing::IsEmpty());
}

TEST(ReplicasConformance, PassesConformanceWithABalancer) {
    ConformanceOptions options;
    options.prepare = [](testing::FakeHost& host, std::string_view) {
        host.kube().serve(balancer_resource());
        host.kube().put_text(deployments, R"({"metadata":{"namespace":"shop","name":"a"},
            "spec":{"replicas":0,"selector":{"matchLabels":{"of":"a"}}}})");
        host.kube().put_text(balancer_resource(),
                             R"({"metadata":{"namespace":"shop","name":"web"},"spec":{"replicas":4,
            "selector":{"matchLabels":{"app":"web"}},"targets":[
              {"name":"a","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}},
              {"name":"b","scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"gone"}}],
            "policy":{"policyName":"priority","priorities":{"targetOrder":["a","b"]}}}})");
    };
    EXPECT_THAT(failures(options), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::replicas
