#include <capstan/testing/builders.hpp>

#include <cstring>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::Call;
using capstan::ExpanderRequest;
using capstan::Failure;
using capstan::GroupList;
using capstan::OptionView;
using capstan::Selection;
using capstan::TemplateView;
using capstan::testing::FakeCall;
using capstan::testing::group;
using capstan::testing::kept;
using capstan::testing::node_template;
using capstan::testing::option;
using capstan::testing::Question;
using capstan::testing::similar;
using capstan::testing::split;
using ::testing::ElementsAre;

struct OneNode {
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        for (const OptionView o : question.options()) {
            if (o.nodes() == 1) keep(o);
        }
    }
};

struct Failing {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {
        throw Failure(capstan::ErrorCode::unavailable, "not now");
    }
};

struct SameZone {
    capstan::Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const {
        return a.zone() == b.zone() ? capstan::agrees("one zone") : capstan::differs("two zones");
    }
};

/// Gives all nodes to the first group, whatever its maximum.
struct AllToTheFirst {
    void split(const Call&, int nodes, const GroupList&,
               const capstan::GroupIncreases& grow) const {
        grow(0, nodes);
    }
};

TEST(Builders, AskAnExpanderAboutOptionsInTheOrderOfTheirGroups) {
    const Question question{{option("c").nodes(1), option("b").nodes(3), option("a").nodes(1)}};
    EXPECT_THAT(kept(OneNode(), question), ElementsAre("a", "c"));
}

TEST(Builders, ConvertEveryPropertyOfAnOption) {
    const Question question{
        {option("a").nodes(2).cpu("8").memory("1Gi").pods(10).price(0.5).similar({"b"})}};
    const OptionView o = question.view().options()[0];
    EXPECT_EQ(o.pod_count(), 10u);
    EXPECT_EQ(find(o.requested(), "cpu"), 10'000);
    EXPECT_EQ(find(o.node()->free(), "cpu"), 8'000);
    EXPECT_EQ(find(o.node()->capacity(), "memory"), 1 << 30);
    EXPECT_EQ(o.price_per_hour(), 0.5);
    EXPECT_EQ(capstan::text(o.similar()[0]), "b");
    EXPECT_EQ(question.view().pods()[0].count(), 10u);
}

TEST(Builders, CanOmitTheTemplate) {
    EXPECT_FALSE(Question{{option("a").without_template()}}.view().options()[0].node());
}

TEST(Builders, KeepResourcesSeparate) {
    const capstan::NodeTemplate node = node_template("n")
                                           .cpu("2")
                                           .allocatable("cpu", "1900m")
                                           .free("cpu", "1")
                                           .resource("pods", "");
    EXPECT_EQ(node.capacity.amount("cpu"), 2000);
    EXPECT_EQ(node.allocatable.amount("cpu"), 1900);
    EXPECT_EQ(node.free.amount("cpu"), 1000);
    EXPECT_EQ(node.capacity.find("pods"), std::nullopt);
    EXPECT_THROW(node_template().cpu("many"), std::invalid_argument);
}

TEST(Builders, ThrowTheErrorOfAHook) {
    try {
        kept(Failing(), Question{{option("a")}});
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error(), (capstan::Error{capstan::ErrorCode::unavailable, "not now"}));
    }
}

TEST(Builders, CallASimilarityCheck) {
    EXPECT_EQ(similar(SameZone(), node_template("a").zone("x"), node_template("b").zone("x")),
              capstan::agrees("one zone"));
    EXPECT_EQ(similar(SameZone(), node_template("a").zone("x"), node_template("b").zone("y")),
              capstan::differs("two zones"));
}

TEST(Builders, CallASplitterAndCheckItsSums) {
    EXPECT_THAT(split(AllToTheFirst(), 4, {group("a", {.target = 1}), group("b")}),
                ElementsAre(4, 0));
    EXPECT_THROW(split(AllToTheFirst(), 4, {group("a", {.target = 1, .max = 3})}), Failure);
    EXPECT_THROW(split(AllToTheFirst(), 0, {group("a")}), Failure);
    EXPECT_THROW(split(AllToTheFirst(), 2, {}), Failure);
}

TEST(Responses, RecordFaultsOfAnExpander) {
    struct Faulty {
        static capstan_status filter(void*, const capstan_call* call,
                                     const capstan_expander_request*,
                                     const capstan_expander_response* out) noexcept {
            out->keep(out, 7, 0);
            const capstan_error e{sizeof e, CAPSTAN_E_QUOTA, {}, {}, {}, -1, 0, 0};
            call->fail(call, &e);
            return CAPSTAN_OK;
        }
    };
    const capstan_expander faulty{sizeof faulty, 0, nullptr, &Faulty::filter};
    const Question question{{option("a"), option("b")}};
    EXPECT_THAT(ask(faulty, question.raw(), FakeCall()).faults, ElementsAre("kept option 7 of 2"));
}

TEST(Responses, RecordUnknownAndContradictingStatuses) {
    FakeCall call;
    EXPECT_THAT(capstan::testing::status_faults(99, call),
                ElementsAre("returned the status 99, which does not exist"));
    capstan::detail::report(call.raw(), {capstan::ErrorCode::quota, "full"});
    EXPECT_THAT(capstan::testing::status_faults(CAPSTAN_E_INTERNAL, call),
                ElementsAre("reported the failure 9 but returned 14"));
    EXPECT_THAT(capstan::testing::status_faults(CAPSTAN_E_QUOTA, call), ElementsAre());
}

}  // namespace
