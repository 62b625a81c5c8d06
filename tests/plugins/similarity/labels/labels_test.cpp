#include "labels.hpp"

#include <gmock/gmock.h>

#include <random>

#include <capstan/testing/builders.hpp>
#include <capstan/testing/fake_settings.hpp>

namespace capstan::similarity {
namespace {

using testing::FakeCall;
using testing::FakeSettings;
using testing::list;
using testing::node_template;
using testing::similar;

LabelsCheck check_with(std::initializer_list<std::pair<std::string, testing::Value>> settings) {
    FakeSettings fake(labels_schema());
    for (const auto& [key, value] : settings) fake.set(key, value);
    return LabelsCheck(read_labels(fake.view()));
}

std::uint64_t bucket(const LabelsCheck& check, const NodeTemplate& node) {
    const FakeCall call;
    AbiArena arena;
    const capstan_template raw = arena.to_abi(node);
    return check.bucket(call.call(), TemplateView(raw));
}

TEST(LabelsCheck, MayDecideBySameLabelsUnlessOnlyIsSet) {
    EXPECT_FALSE(check_with({}).may_decide());
    EXPECT_FALSE(check_with({{"preset", "aws"}}).may_decide());
    EXPECT_TRUE(check_with({{"preset", "azure"}}).may_decide());
    EXPECT_TRUE(check_with({{"same", list("pool")}}).may_decide());
    EXPECT_FALSE(check_with({{"preset", "azure"}, {"only", list("team")}}).may_decide());
}

TEST(LabelsCheck, ReportsIgnoredLabels) {
    EXPECT_EQ(similar(check_with({}), node_template("a").zone("1a").label("team", "web"),
                      node_template("b").zone("1b").label("team", "web"))
                  .because,
              "1 label equal, ignored: topology.kubernetes.io/zone");
}

TEST(LabelsCheck, ReportsTheDifferingLabelAndItsValues) {
    const auto a = node_template("a").label("team", "web");
    EXPECT_EQ(similar(check_with({}), a, node_template("b").label("team", "db")).because,
              "label team differs: \"web\" and \"db\"");
    EXPECT_EQ(similar(check_with({}), a, node_template("b")).because,
              "label team is missing on b, a has \"web\"");
    EXPECT_EQ(similar(check_with({}), node_template("b"), a).because,
              "label team is missing on b, a has \"web\"");
}

TEST(LabelsCheck, AcceptsLabelsInAnyOrder) {
    const LabelsCheck check = check_with({});
    const std::vector<capstan_kv> forward{{str("a"), str("1")}, {str("b"), str("2")}};
    const std::vector<capstan_kv> backward{
        {str("b"), str("2")}, {str("a"), str("1")}, {str("b"), str("x")}};
    capstan_template one{}, two{};
    one.struct_size = two.struct_size = sizeof one;
    one.labels = array_of(forward);
    two.labels = array_of(backward);
    const FakeCall call;
    EXPECT_EQ(check.similar(call.call(), TemplateView(one), TemplateView(two)).verdict,
              SimilarityVerdict::agrees);
    EXPECT_EQ(check.bucket(call.call(), TemplateView(one)),
              check.bucket(call.call(), TemplateView(two)));
}

NodeTemplate any_node(std::mt19937& random) {
    auto out = node_template("n");
    for (const char* key : {"acme/x", "instance-id", "kubernetes.io/hostname", "team", "tier"}) {
        const unsigned choice = random() % 4;
        if (choice > 0) out.label(key, choice == 1 ? "1" : choice == 2 ? "2" : "");
    }
    return out;
}

LabelsCheck any_check(std::mt19937& random) {
    switch (random() % 5) {
        case 0: return check_with({});
        case 1: return check_with({{"ignore", list("team", "tier")}});
        case 2: return check_with({{"ignore_prefixes", list("acme/", "t")}});
        case 3: return check_with({{"ignore_regexes", list("-id$", "^t")}});
        default: return check_with({{"only", list("team", "tier")}});
    }
}

TEST(LabelsCheck, PutsSimilarNodesIntoOneBucket) {
    int agreed = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        const LabelsCheck check = any_check(random);
        const NodeTemplate a = any_node(random), b = any_node(random);
        const auto verdict = similar(check, a, b).verdict;
        EXPECT_EQ(similar(check, b, a).verdict, verdict) << "seed " << seed;
        if (verdict != SimilarityVerdict::agrees) continue;
        ++agreed;
        EXPECT_EQ(bucket(check, a), bucket(check, b)) << "seed " << seed;
    }
    EXPECT_GT(agreed, 100);
}

std::uint64_t equivalence(const LabelsCheck& check, const NodeTemplate& node) {
    const FakeCall call;
    AbiArena arena;
    const capstan_template raw = arena.to_abi(node);
    return check.equivalence(call.call(), TemplateView(raw));
}

TEST(LabelsCheck, GivesEquivalentNodesTheSameVerdicts) {
    int equivalent = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        const LabelsCheck check = any_check(random);
        const NodeTemplate a = any_node(random), b = any_node(random), c = any_node(random);
        if (equivalence(check, a) != equivalence(check, b)) continue;
        ++equivalent;
        for (const NodeTemplate& other : {a, b, c}) {
            EXPECT_EQ(similar(check, a, other).verdict, similar(check, b, other).verdict)
                << "seed " << seed;
        }
    }
    EXPECT_GT(equivalent, 100);
}

TEST(LabelsCheck, TellsNodesWithOtherValuesOfSameLabelsApart) {
    const LabelsCheck check = check_with({{"ignore", list("pool")}, {"same", list("pool")}});
    const NodeTemplate web = node_template("a").label("pool", "web"),
                       other = node_template("b").label("pool", "batch");
    EXPECT_EQ(bucket(check, web), bucket(check, other));
    EXPECT_NE(equivalence(check, web), equivalence(check, other));
}

TEST(LabelsCheck, PutsNodesWithOtherLabelsIntoOtherBuckets) {
    const LabelsCheck check = check_with({});
    const NodeTemplate plain = node_template("a"), web = node_template("b").label("team", "web"),
                       shifted = node_template("c").label("teamw", "eb"),
                       zoned = node_template("d").zone("1a");
    EXPECT_NE(bucket(check, plain), bucket(check, web));
    EXPECT_NE(bucket(check, web), bucket(check, shifted));
    EXPECT_EQ(bucket(check, plain), bucket(check, zoned));
}

}  // namespace
}  // namespace capstan::similarity
