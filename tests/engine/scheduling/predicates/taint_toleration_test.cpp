// Predicates about the cordon and the taints of a node, and the refusal of resource claims.
#include <gmock/gmock.h>

#include "engine/scheduling/predicates/dynamic_resources.hpp"
#include "engine/scheduling/predicates/node_unschedulable.hpp"
#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"

namespace capstan::engine::scheduling {
namespace {

using namespace std::string_literals;
using ::testing::Optional;

const Labels no_labels;

snapshot::PodSpec tolerating(std::vector<Toleration> tolerations) {
    return {.tolerations = std::move(tolerations)};
}

TEST(NodeUnschedulable, ExcludesACordonedNode) {
    const NodeFacts cordoned{.labels = no_labels, .unschedulable = true};
    EXPECT_EQ(check_node_unschedulable({}, {.labels = no_labels}), std::nullopt);
    EXPECT_THAT(check_node_unschedulable({}, cordoned), Optional("node(s) were unschedulable"s));
}

TEST(NodeUnschedulable, AllowsPodsThatTolerateTheCordon) {
    using enum Toleration::Op;
    const std::string key = "node.kubernetes.io/unschedulable";
    struct Case {
        Toleration toleration;
        bool tolerated;
    };
    const Case cases[] = {
        {{.key = key, .op = exists}, true},
        {{.key = key, .op = equal}, true},
        {{.op = exists}, true},
        {{.key = key, .op = exists, .effect = Effect::no_schedule}, true},
        {{.key = key, .op = exists, .effect = Effect::no_execute}, false},
        {{.key = key, .op = equal, .value = "x"}, false},
        {{.key = "other", .op = exists}, false},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(tolerates_unschedulable(tolerating({c.toleration})), c.tolerated)
            << c.toleration.key << " " << c.toleration.value;
    }
}

TEST(TaintToleration, ReportsTheFirstUntoleratedTaint) {
    const std::vector<Taint> taints{{"soft", "x", Effect::prefer_no_schedule},
                                    {"dedicated", "gpu", Effect::no_schedule},
                                    {"broken", "", Effect::no_execute}};
    const NodeFacts node{.labels = no_labels, .taints = taints};
    EXPECT_THAT(check_taint_toleration({}, node),
                Optional("node(s) had untolerated taint {dedicated: gpu}"s));
    EXPECT_THAT(check_taint_toleration(tolerating({{.key = "dedicated", .value = "gpu"}}), node),
                Optional("node(s) had untolerated taint {broken: }"s));
    EXPECT_EQ(check_taint_toleration(tolerating({{.op = Toleration::Op::exists}}), node),
              std::nullopt);
    EXPECT_EQ(check_taint_toleration({}, {.labels = no_labels}), std::nullopt);
}

TEST(TaintToleration, MatchesKeyValueAndEffect) {
    using enum Toleration::Op;
    const std::vector<Taint> taints{{"k", "v", Effect::no_execute}};
    struct Case {
        Toleration toleration;
        bool tolerated;
    };
    const Case cases[] = {
        {{.key = "k", .value = "v"}, true},
        {{.key = "k", .value = "v", .effect = Effect::no_execute}, true},
        {{.key = "k", .value = "v", .effect = Effect::no_schedule}, false},
        {{.key = "k", .value = ""}, false},
        {{.key = "k", .op = exists}, true},
        {{.key = "other", .op = exists}, false},
        {{.op = exists, .effect = Effect::no_execute}, true},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(find_untolerated_taint(tolerating({c.toleration}), taints) == nullptr,
                  c.tolerated)
            << c.toleration.key << " " << c.toleration.value;
    }
}

TEST(DynamicResources, ReportsThatResourceClaimsAreNotSupported) {
    EXPECT_EQ(check_dynamic_resources({}), std::nullopt);
    EXPECT_THAT(check_dynamic_resources({.uses_resource_claims = true}),
                Optional(::testing::StartsWith("not supported: ")));
}

TEST(Predicate, HasTheNameOfTheSchedulerPlugin) {
    EXPECT_EQ(name_of(Predicate::none), "none");
    EXPECT_EQ(name_of(Predicate::node_unschedulable), "NodeUnschedulable");
    EXPECT_EQ(name_of(Predicate::node_resources_fit), "NodeResourcesFit");
    EXPECT_EQ(name_of(Predicate::dynamic_resources), "DynamicResources");
}

}  // namespace
}  // namespace capstan::engine::scheduling
