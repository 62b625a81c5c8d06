#include "engine/scale_up/similar_groups.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <gmock/gmock.h>

namespace capstan::engine::scale_up {
namespace {

using testing::ElementsAre;

using Answer = std::function<Result<Similarity>(const std::string& a, const std::string& b)>;

/// A check whose result depends on the names of the templates.
class TestCheck : public SimilarityCheck {
public:
    explicit TestCheck(Answer answer, bool may_decide = false)
        : answer_(std::move(answer)), may_decide_(may_decide) {}
    Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                               const CallContext&) override {
        ++compared;
        return answer_(a.name, b.name);
    }
    bool may_decide() const override { return may_decide_; }
    Result<std::uint64_t> bucket(const NodeTemplate& node, const CallContext&) override {
        if (!buckets) return fail(ErrorCode::unsupported, "no buckets");
        return static_cast<std::uint64_t>(node.name.front());
    }
    Result<std::uint64_t> equivalence(const NodeTemplate& node, const CallContext&) override {
        if (!classes) return fail(ErrorCode::unsupported, "no equivalence");
        return static_cast<std::uint64_t>(node.name.front());
    }
    bool buckets = false, classes = false;
    int compared = 0;

private:
    Answer answer_;
    bool may_decide_;
};

TestCheck always(Similarity s, bool may_decide = false) {
    return TestCheck([s](const std::string&, const std::string&) { return s; }, may_decide);
}

std::vector<NodeTemplate> templates(std::initializer_list<const char*> names) {
    std::vector<NodeTemplate> out;
    for (const char* name : names) {
        out.emplace_back();
        out.back().name = name;
    }
    return out;
}

TEST(SimilarGroups, RequireAllChecksToAgree) {
    TestCheck yes = always(agrees("same capacity"));
    TestCheck no = always(differs("label team: a and b"));
    const auto t = templates({"a", "b"});
    EXPECT_EQ(compare({{"resources", &yes}, {"labels", &yes}}, t[0], t[1], {}),
              agrees("all checks agree"));
    EXPECT_EQ(compare({{"resources", &yes}, {"labels", &no}}, t[0], t[1], {}),
              differs("labels: label team: a and b"));
}

TEST(SimilarGroups, AllowOneCheckToOverrideAnEarlierOne) {
    TestCheck no = always(differs("memory 8Gi and 16Gi"));
    TestCheck agent_pool = always(decided("both in agent pool p1"), true);
    const auto t = templates({"a", "b"});
    EXPECT_EQ(compare({{"resources", &no}, {"labels", &agent_pool}}, t[0], t[1], {}),
              decided("labels: both in agent pool p1"));
}

TEST(SimilarGroups, SkipChecksThatCannotOverrideADifference) {
    TestCheck no = always(differs("memory"));
    TestCheck later = always(agrees("fine"));
    const auto t = templates({"a", "b"});
    compare({{"resources", &no}, {"labels", &later}}, t[0], t[1], {});
    EXPECT_EQ(later.compared, 0);
}

TEST(SimilarGroups, DifferIfACheckFails) {
    TestCheck broken(
        [](const std::string&, const std::string&) { return fail(ErrorCode::internal, "boom"); });
    const auto t = templates({"a", "b"});
    EXPECT_EQ(compare({{"acme", &broken}}, t[0], t[1], {}), differs("acme: failed: boom"));
}

TEST(SimilarGroups, AreEmptyWithoutChecks) {
    const auto t = templates({"a", "a"});
    EXPECT_EQ(compare({}, t[0], t[1], {}).verdict, SimilarityVerdict::differs);
}

TEST(SimilarGroups, AreNotTransitive) {
    // a and b are similar, b and c are similar, a and c are not
    TestCheck near([](const std::string& a, const std::string& b) {
        return std::abs(a.front() - b.front()) <= 1 ? agrees("near") : differs("far");
    });
    const auto lists = similar_groups({{"near", &near}}, templates({"a", "b", "c"}), {});
    EXPECT_THAT(lists, ElementsAre(ElementsAre(1), ElementsAre(0, 2), ElementsAre(1)));
}

TEST(SimilarGroups, AreNotComparedAcrossBuckets) {
    TestCheck same = always(agrees("same"));
    same.buckets = true;
    const auto lists = similar_groups({{"same", &same}}, templates({"a1", "b1", "a2", "b2"}), {});
    EXPECT_EQ(same.compared, 2);
    EXPECT_THAT(lists, ElementsAre(ElementsAre(2), ElementsAre(3), ElementsAre(0), ElementsAre(1)));
}

TEST(SimilarGroups, AreComparedOnceForEachPairOfEquivalenceClasses) {
    TestCheck check([](const std::string& a, const std::string& b) {
        return a[0] != 'c' && b[0] != 'c' ? agrees("near") : differs("far");
    });
    check.classes = true;
    const auto lists =
        similar_groups({{"near", &check}}, templates({"a1", "b1", "a2", "c1", "b2", "c2"}), {});
    EXPECT_EQ(check.compared, 6) << "a, b, c with each other and with themselves";
    EXPECT_THAT(lists, ElementsAre(ElementsAre(1, 2, 4), ElementsAre(0, 2, 4), ElementsAre(0, 1, 4),
                                   ElementsAre(), ElementsAre(0, 1, 2), ElementsAre()));
}

TEST(SimilarGroups, AreComparedPairByPairIfACheckTellsNoEquivalence) {
    TestCheck telling = always(agrees("same")), silent = always(agrees("same"));
    telling.classes = true;
    similar_groups({{"a", &telling}, {"b", &silent}}, templates({"a1", "a2", "a3"}), {});
    EXPECT_EQ(silent.compared, 3);
}

TEST(SimilarGroups, UseOnlyOverridingChecksAcrossBuckets) {
    TestCheck bucketed = always(agrees("same"));
    bucketed.buckets = true;
    TestCheck decider(
        [](const std::string& a, const std::string& b) {
            return a == "a1" && b == "b1" ? decided("same pool") : agrees("nothing to say");
        },
        true);
    const auto lists = similar_groups({{"r", &bucketed}, {"l", &decider}},
                                      templates({"a1", "b1", "a2", "b2"}), {});
    EXPECT_EQ(bucketed.compared, 2);
    EXPECT_EQ(decider.compared, 6);
    EXPECT_THAT(lists,
                ElementsAre(ElementsAre(1, 2), ElementsAre(0, 3), ElementsAre(0), ElementsAre(1)));
}

TEST(SimilarGroups, AreComparedOnceAndOnDemand) {
    TestCheck same = always(agrees("same"));
    const CallContext now{};
    SimilarGroups groups({{"same", &same}}, templates({"a", "b", "c", "d"}), now);
    EXPECT_EQ(same.compared, 0);
    const std::vector<std::size_t> some{0, 1, 3};
    EXPECT_THAT(groups.find(1, some), ElementsAre(0, 3));
    EXPECT_EQ(same.compared, 2);
    EXPECT_THAT(groups.find(3, some), ElementsAre(0, 1));
    EXPECT_EQ(same.compared, 3);
}

/// A pseudo-random number from 0 to 99 that does not depend on the order of the pair.
std::size_t any(const std::string& a, const std::string& b, std::size_t seed) {
    return std::hash<std::string>()(std::min(a, b) + std::max(a, b) + std::to_string(seed)) % 100;
}

TEST(SimilarGroups, EqualTheResultOfComparingEachPair) {
    const auto nodes = templates({"a1", "a2", "a3", "a4", "b1", "b2", "b3", "c1", "c2"});
    for (std::size_t seed = 0; seed < 200; ++seed) {
        TestCheck bucketed([&](const std::string& a, const std::string& b) {
            return a[0] == b[0] && any(a, b, seed) < 60 ? agrees("") : differs("");
        });
        bucketed.buckets = true;
        TestCheck decider(
            [&](const std::string& a, const std::string& b) {
                const std::size_t chance = any(a, b, seed + 1000);
                return chance < 20 ? decided("") : chance < 80 ? agrees("") : differs("");
            },
            true);
        const std::vector<NamedCheck> checks{{"r", &bucketed}, {"l", &decider}};
        const auto lists = similar_groups(checks, nodes, {});
        for (std::size_t a = 0; a < nodes.size(); ++a) {
            for (std::size_t b = 0; b < nodes.size(); ++b) {
                const Similarity pair = compare(checks, nodes[a], nodes[b], {});
                const bool expected = a != b && pair.verdict != SimilarityVerdict::differs;
                EXPECT_EQ(std::ranges::binary_search(lists[a], b), expected) << seed;
            }
        }
    }
}

TEST(SimilarGroups, ReportEachFailedCheckOnce) {
    TestCheck broken(
        [](const std::string& a, const std::string&) { return fail(ErrorCode::internal, a); });
    TestCheck fine = always(agrees("fine"));
    std::vector<std::string> failures;
    similar_groups({{"fine", &fine}, {"acme", &broken}}, templates({"a", "b", "c"}), {}, &failures);
    EXPECT_THAT(failures, ElementsAre("similarity check acme failed: a"));
}

TEST(SimilarGroups, CanJoinTwoBuckets) {
    TestCheck bucketed = always(differs("other"));
    bucketed.buckets = true;
    TestCheck decider = always(decided("same pool"), true);
    const auto lists =
        similar_groups({{"r", &bucketed}, {"l", &decider}}, templates({"a", "b"}), {});
    EXPECT_THAT(lists, ElementsAre(ElementsAre(1), ElementsAre(0)));
}

}  // namespace
}  // namespace capstan::engine::scale_up
