#include <gmock/gmock.h>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "told.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::simulated {
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

TEST(Simulated, KeepsThePromisesOfACloud) { EXPECT_THAT(failures({}), ::testing::IsEmpty()); }

TEST(Simulated, KeepsThemInTroubleToo) {
    ConformanceOptions options;
    options.settings["simulated"] = {
        {"latency", "3s"},
        {"groups", testing::list(web({{"size", 2}, {"max", 9}, {"capacity", 2}}))}};
    EXPECT_THAT(failures(options), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::simulated
