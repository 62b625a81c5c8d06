// Random objects of the schema of the CustomResourceDefinition: the controller survives all of
// them, and the schema admits what it writes.
#include "schema.hpp"
#include "shop.hpp"

namespace capstan::replicas {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

const Schema& definition() {
    static const Schema schema = Schema::of_definition(CAPSTAN_BALANCER_CRD);
    return schema;
}

Json balancer_of(std::uint32_t seed) {
    Json out = definition().example(seed);
    out.at("metadata") = Json::object({{"namespace", "shop"},
                                       {"name", "web"},
                                       {"uid", "u" + std::to_string(seed % 7)},
                                       {"generation", static_cast<int>(seed) + 1}});
    return out;
}

TEST(SchemaExamples, SatisfyTheSchema) {
    for (std::uint32_t seed = 0; seed < 200; ++seed)
        EXPECT_EQ(definition().complaint(definition().example(seed)), "") << seed;
}

TEST(SchemaExamples, CoverFallbacksBothPoliciesAndProblems) {
    int fall_back = 0, by_priority = 0, in_proportion = 0, with_problems = 0, fine = 0;
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Balancer balancer = read_balancer(balancer_of(seed));
        fall_back += balancer.startup_timeout ? 1 : 0;
        by_priority += balancer.policy == Policy::priority ? 1 : 0;
        in_proportion += balancer.policy == Policy::proportional ? 1 : 0;
        ++(balancer.problems.empty() ? fine : with_problems);
    }
    for (const int count : {fall_back, by_priority, in_proportion, with_problems})
        EXPECT_GT(count, 50);
}

TEST(SchemaComplaints, NameTheViolation) {
    const Schema status = definition().member("status");
    EXPECT_EQ(status.complaint(*parse_json(R"({"replicas":1,"selector":"a=b"})")), "");
    EXPECT_THAT(status.complaint(*parse_json(R"({"replicas":1})")), HasSubstr("lacks selector"));
    EXPECT_THAT(status.complaint(*parse_json(R"({"replicas":9999999999,"selector":""})")),
                HasSubstr(".replicas is no such number"));
    EXPECT_THAT(status.complaint(*parse_json(R"({"replicas":1,"selector":"","more":1})")),
                HasSubstr("has more, which nobody knows"));
}

class SchemaFuzz : public Shop {
protected:
    /// Checks that each placed target is within its bounds. A minimum above the maximum applies.
    void expect_bounds(const Balancer& balancer, const Json& now) {
        for (const Json& target : now.find("targets")->items()) {
            const Json* desired = target.find("desired");
            const auto at =
                std::ranges::find(balancer.targets, target.text_at({"name"}), &Target::name);
            if (desired == nullptr || at == balancer.targets.end()) continue;
            EXPECT_GE(desired->integer().value(), at->min);
            EXPECT_LE(desired->integer().value(), std::max(at->min, at->max));
        }
    }
};

TEST_F(SchemaFuzz, NoAdmittedObjectStopsTheControllerOrKeepsItBusy) {
    for (const char* name : {"a", "b", "c"}) put_deployment(name, 2);
    put_pods("a", 1, 2);
    put_pods("b", 3);
    const Schema status_schema = definition().member("status");
    for (std::uint32_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(seed);
        const Json object = balancer_of(seed);
        host.kube().put(balancer_resource(), object);
        settle();
        const Json now = status();
        EXPECT_EQ(status_schema.complaint(now), "") << to_string(now);
        expect_bounds(read_balancer(object), now);
        EXPECT_THAT(condition().reason,
                    AnyOf("Completed", "SpecChecking", "ScaleSubresourcePolling", "PodListing",
                          "PodLabelsChecking", "ApplyingBalancerPolicy", "ReplicaCountSetting"));
        if (HasFatalFailure() || HasNonfatalFailure()) return;
        host.advance(std::chrono::seconds(seed % 200));
    }
}

}  // namespace
}  // namespace capstan::replicas
