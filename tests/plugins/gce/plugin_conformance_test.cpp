#include <gmock/gmock.h>

#include <memory>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "groups/fake_gce.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::gce {
namespace {

std::vector<std::string> failures_of(const testing::ConformanceOptions& options, int& skipped) {
    std::vector<std::string> out;
    for (const auto& r : run_checks(testing::conformance_checks(capstan_entry_1, options))) {
        if (r.outcome.verdict == testing::Outcome::Verdict::skipped) ++skipped;
        if (r.outcome.verdict == testing::Outcome::Verdict::failed)
            out.push_back(r.name + ": " + r.outcome.sentence);
    }
    return out;
}

testing::ConformanceOptions configured() {
    testing::ConformanceOptions out;
    out.settings["gce"] = {{"discovery", testing::list("namePrefix=[a-z],max=10")},
                           {"project", "p"},
                           {"credentials", testing::table({{"anonymous", true}})}};
    return out;
}

TEST(GceConformance, PassesWhileGoogleDoesNotRespond) {
    int skipped = 0;
    EXPECT_THAT(failures_of(configured(), skipped), ::testing::IsEmpty());
}

TEST(GceConformance, PassesWithGroups) {
    testing::ConformanceOptions options = configured();
    std::vector<std::unique_ptr<FakeGce>> projects;
    options.prepare = [&](testing::FakeHost& host, std::string_view) {
        FakeGce& gce = *projects.emplace_back(std::make_unique<FakeGce>(host));
        gce.records_requests = false;
        gce.add("us-central1-a/web", 2);
        gce.add("us-central1-b/db", 2);
    };
    int skipped = 0;
    EXPECT_THAT(failures_of(options, skipped), ::testing::IsEmpty());
    EXPECT_EQ(skipped, 0);
}

}  // namespace
}  // namespace capstan::gce
