#include <gmock/gmock.h>

#include <memory>

#include <capstan/abi/plugin.h>
#include <capstan/testing/conformance.hpp>

#include "groups/fake_aws.hpp"

extern "C" const capstan_entry capstan_entry_1;

namespace capstan::aws {
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
    out.settings["aws"] = {
        {"discovery", testing::list("cluster=prod")},
        {"region", "eu-central-1"},
        {"credentials",
         testing::table({{"access_key_id", "AKIA"},
                         {"secret_access_key", testing::table({{"secret", "key"}})}})}};
    return out;
}

TEST(AwsConformance, PassesWhileAwsDoesNotRespond) {
    int skipped = 0;
    EXPECT_THAT(failures_of(configured(), skipped), ::testing::IsEmpty());
}

TEST(AwsConformance, PassesWithGroups) {
    testing::ConformanceOptions options = configured();
    std::vector<std::unique_ptr<FakeAws>> accounts;
    options.prepare = [&](testing::FakeHost& host, std::string_view) {
        FakeAws& aws = *accounts.emplace_back(std::make_unique<FakeAws>(host));
        for (const char* name : {"web", "db"}) {
            FakeGroup& group = aws.groups[name];
            group.tags["cluster"] = "prod";
            group.desired = 2;
            aws.launch(name);
        }
    };
    int skipped = 0;
    EXPECT_THAT(failures_of(options, skipped), ::testing::IsEmpty());
    EXPECT_EQ(skipped, 0);
}

}  // namespace
}  // namespace capstan::aws
