#include <chrono>

#include <gmock/gmock.h>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::provisioning {
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

/// The default deadline, or a longer one under a sanitizer.
constexpr Duration call_deadline = std::chrono::seconds(CALL_DEADLINE_SECONDS);

TEST(ProvisioningConformance, PassesAsAGroupSource) {
    EXPECT_THAT(failures({.call_deadline = call_deadline}), ::testing::IsEmpty());
}

TEST(ProvisioningConformance, PassesWithOtherSettings) {
    ConformanceOptions options{.call_deadline = call_deadline};
    options.settings["provisioning"] = {{"popularity", "cpu"},
                                        {"dedicated", "toleration"},
                                        {"alpha", true},
                                        {"spot", "only"},
                                        {"prefix", "nap"}};
    EXPECT_THAT(failures(options), ::testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::provisioning
