#include <gmock/gmock.h>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "test_settings.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::simulated {
namespace {

using testing::ConformanceOptions;
using testing::Outcome;

/// The checks with this verdict.
std::vector<std::string> checks_that(Outcome::Verdict verdict, const ConformanceOptions& options) {
    std::vector<std::string> out;
    for (const auto& r : run_checks(testing::conformance_checks(capstan_entry_1, options))) {
        if (r.outcome.verdict == verdict) out.push_back(r.name + ": " + r.outcome.sentence);
    }
    return out;
}
std::vector<std::string> failures(const ConformanceOptions& options) {
    return checks_that(Outcome::Verdict::failed, options);
}

/// The group "web" and machine types for new groups.
ConformanceOptions making_groups(const Members& more = {}) {
    Members type{
        {"machine", machine({{"type", "m"}})}, {"zones", testing::list("a")}, {"spot", true}};
    type.insert(type.end(), more.begin(), more.end());
    ConformanceOptions options;
    options.settings["simulated"] = {{"groups", testing::list(web())},
                                     {"machine_types", testing::list(type)}};
    return options;
}

TEST(SimulatedConformance, PassesAsACloud) { EXPECT_THAT(failures({}), ::testing::IsEmpty()); }

TEST(SimulatedConformance, PassesWithLatencyAndShortage) {
    ConformanceOptions options;
    options.settings["simulated"] = {
        {"latency", "3s"},
        {"groups", testing::list(web({{"size", 2}, {"max", 9}, {"capacity", 2}}))}};
    EXPECT_THAT(failures(options), ::testing::IsEmpty());
}

TEST(SimulatedConformance, PassesWithALaggingList) {
    ConformanceOptions options;
    options.settings["simulated"] = {{"list_lag", "6s"},
                                     {"groups", testing::list(web({{"size", 2}, {"max", 9}}))}};
    EXPECT_THAT(failures(options), ::testing::IsEmpty());
}

TEST(SimulatedConformance, PassesWithAutoprovisioning) {
    EXPECT_THAT(failures(making_groups()), ::testing::IsEmpty());
    EXPECT_THAT(checks_that(Outcome::Verdict::not_applicable, making_groups()),
                ::testing::Not(::testing::Contains(::testing::StartsWith("cloud/autoprovision/"))));
    EXPECT_THAT(failures(making_groups({{"boot", "1h"}, {"capacity", 0}})), ::testing::IsEmpty());
}

TEST(SimulatedConformance, PassesIfNoGroupCanBeCreated) {
    const auto refusal =
        testing::table({{"code", "quota"}, {"message", "no more groups of this type"}});
    EXPECT_THAT(failures(making_groups({{"fail_create", refusal}})), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::simulated
