#include "engine/scheduling/predicates/node_affinity.hpp"

#include <gmock/gmock.h>

namespace capstan::engine::scheduling {
namespace {

using namespace std::string_literals;
using enum Operator;
using ::testing::Optional;

const Labels web_labels{{"zone", "a"}, {"cores", "8"}, {"disk", "hdd"}, {"empty", ""}};
const NodeFacts web{.name = "web-1", .labels = web_labels};

snapshot::PodSpec wanting(std::vector<Requirement> labels, std::vector<Requirement> fields = {}) {
    return {.affinity_required = {{.labels = std::move(labels), .fields = std::move(fields)}}};
}

struct Case {
    Requirement requirement;
    bool holds;
};

TEST(NodeAffinity, EvaluatesAllOperators) {
    const Case cases[] = {
        {{"zone", in, {"b", "a"}}, true},
        {{"zone", in, {"b"}}, false},
        {{"zone", in, {}}, false},
        {{"absent", in, {""}}, false},
        {{"empty", in, {""}}, true},
        {{"zone", not_in, {"b"}}, true},
        {{"zone", not_in, {"a"}}, false},
        {{"absent", not_in, {"a"}}, true},
        {{"zone", not_in, {}}, false},
        {{"empty", exists, {}}, true},
        {{"absent", exists, {}}, false},
        {{"zone", exists, {"a"}}, false},
        {{"absent", does_not_exist, {}}, true},
        {{"empty", does_not_exist, {}}, false},
        {{"cores", gt, {"7"}}, true},
        {{"cores", gt, {"8"}}, false},
        {{"cores", lt, {"9"}}, true},
        {{"cores", lt, {"8"}}, false},
        {{"cores", gt, {"-1"}}, true},
        {{"cores", gt, {"1.5"}}, false},
        {{"cores", gt, {"1", "2"}}, false},
        {{"cores", gt, {}}, false},
        {{"cores", lt, {"9223372036854775808"}}, false},
        {{"zone", gt, {"1"}}, false},
        {{"absent", lt, {"1"}}, false},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(selects(wanting({c.requirement}), web), c.holds)
            << c.requirement.key << " " << name_of(c.requirement.op);
    }
}

TEST(NodeAffinity, SupportsTheFieldMetadataName) {
    const Case cases[] = {
        {{"metadata.name", in, {"web-1"}}, true},
        {{"metadata.name", in, {"web-2"}}, false},
        {{"metadata.name", not_in, {"web-2"}}, true},
        {{"metadata.name", not_in, {"web-1"}}, false},
        {{"metadata.name", in, {"web-1", "web-2"}}, false},
        {{"metadata.name", exists, {}}, false},
        {{"metadata.uid", in, {"web-1"}}, false},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(selects(wanting({}, {c.requirement}), web), c.holds) << c.requirement.key;
    }
}

TEST(NodeAffinity, NeverMatchesTheNameOfATemplateNode) {
    const NodeFacts to_come{.labels = web_labels};
    EXPECT_FALSE(selects(wanting({}, {{"metadata.name", in, {"web-1"}}}), to_come));
    EXPECT_TRUE(selects(wanting({}, {{"metadata.name", not_in, {"web-1"}}}), to_come));
}

TEST(NodeAffinity, RequiresOneCompleteTermAndTheNodeSelector) {
    const NodeSelectorTerm holds{.labels = {{"zone", in, {"a"}}}}, empty{},
        half{.labels = {{"zone", in, {"a"}}, {"disk", in, {"ssd"}}}},
        malformed{.labels = {{"zone", in, {}}}};
    EXPECT_TRUE(selects({}, web));
    EXPECT_TRUE(selects({.affinity_required = {half, malformed, empty, holds}}, web));
    EXPECT_FALSE(selects({.affinity_required = {half}}, web));
    EXPECT_FALSE(selects({.affinity_required = {empty}}, web));
    EXPECT_FALSE(selects({.affinity_required = {malformed}}, web));
    EXPECT_TRUE(selects({.node_selector = {{"zone", "a"}}, .affinity_required = {holds}}, web));
    EXPECT_FALSE(selects({.node_selector = {{"zone", "b"}}, .affinity_required = {holds}}, web));
    EXPECT_FALSE(selects({.node_selector = {{"zone", "a"}}, .affinity_required = {half}}, web));
}

TEST(NodeAffinity, ReportsRequiredAndActualValues) {
    const std::string prefix = "node(s) didn't match Pod's node affinity/selector: ";
    EXPECT_EQ(check_node_affinity({}, web), std::nullopt);
    EXPECT_THAT(check_node_affinity({.node_selector = {{"disk", "ssd"}, {"zone", "a"}}}, web),
                Optional(prefix + "wants disk=ssd, the node has disk=hdd"));
    EXPECT_THAT(check_node_affinity({.node_selector = {{"gpu", "yes"}}}, web),
                Optional(prefix + "wants gpu=yes, the node has no gpu"));
    const snapshot::PodSpec terms{
        .affinity_required = {{.labels = {{"zone", in, {"b", "c"}}, {"cores", gt, {"8"}}}},
                              {.fields = {{"metadata.name", in, {"web-2"}}}},
                              {}}};
    EXPECT_THAT(
        check_node_affinity(terms, web),
        Optional(prefix + "wants zone in [b, c] and cores > 8, or metadata.name in [web-2], or "
                          "nothing, the node has zone=a, cores=8, name web-1"));
}

TEST(NodeAffinity, AbbreviatesManyTermsAndValues) {
    snapshot::PodSpec many;
    for (int i = 0; i < 6; ++i) many.affinity_required.push_back({.labels = {{"x", exists, {}}}});
    EXPECT_THAT(check_node_affinity(many, web),
                Optional("node(s) didn't match Pod's node affinity/selector: wants x exists, or x "
                         "exists, or x exists, or x exists, or 2 more, the node has no x"s));
    EXPECT_THAT(check_node_affinity(wanting({{"zone", in, {"b", "c", "d", "e", "f"}}}), web),
                Optional(::testing::HasSubstr("zone in [b, c, d, e and 1 more]")));
}

}  // namespace
}  // namespace capstan::engine::scheduling
