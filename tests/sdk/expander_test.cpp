#include <capstan/expander.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/similarity.hpp>
#include <capstan/splitter.hpp>
#include <capstan/testing/builders.hpp>

namespace {

using capstan::Call;
using capstan::ErrorCode;
using capstan::ExpanderRequest;
using capstan::GroupList;
using capstan::OptionView;
using capstan::Result;
using capstan::Selection;
using capstan::TemplateView;
using capstan::testing::FakeCall;
using capstan::testing::kept;
using capstan::testing::node_template;
using capstan::testing::option;
using capstan::testing::Question;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct FewestNodes {
    void filter(const Call& call, const ExpanderRequest& request, const Selection& keep) const {
        int fewest = request.options()[0].nodes();
        for (const OptionView o : request.options()) fewest = std::min(fewest, o.nodes());
        for (const OptionView o : request.options()) {
            if (o.nodes() == fewest) keep(o, o.nodes());
        }
        call.explain("fewest is " + std::to_string(fewest));
    }
};
struct Counting {
    int calls = 0;
    Result<void> filter(const Call&, const ExpanderRequest&, const Selection&) {
        ++calls;
        return capstan::fail(ErrorCode::throttled, "too many requests");
    }
};
struct Throwing {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {
        throw std::out_of_range("vector::at");
    }
};
struct ThrowsAnything {
    void filter(const Call&, const ExpanderRequest&, const Selection&) const { throw 7; }
};

template <class T>
FakeCall& asked(T& expander, FakeCall& call, capstan_status expected) {
    const capstan::detail::ExpanderTable<T> table(expander);
    const Question request{{option("a")}};
    EXPECT_EQ(ask(table.table, request.raw(), call).status, expected);
    return call;
}

TEST(Expander, KeepsOptionsAndExplainsWhy) {
    FakeCall call;
    EXPECT_THAT(
        kept(FewestNodes(),
             Question{{option("a").nodes(2), option("b").nodes(1), option("c").nodes(1)}}, call),
        ElementsAre("b", "c"));
    EXPECT_THAT(call.explanations(), ElementsAre("fewest is 1"));
    EXPECT_FALSE(call.failure());
}

TEST(Expander, ReportsAFailedResult) {
    FakeCall call;
    Counting counting;
    EXPECT_EQ(asked(counting, call, CAPSTAN_E_THROTTLED).failure()->message, "too many requests");
    EXPECT_EQ(counting.calls, 1);
}

TEST(Expander, LetsNoExceptionThroughTheAbi) {
    FakeCall first, second;
    Throwing throwing;
    ThrowsAnything anything;
    EXPECT_EQ(asked(throwing, first, CAPSTAN_E_INTERNAL).failure()->message, "vector::at");
    EXPECT_EQ(asked(anything, second, CAPSTAN_E_INTERNAL).failure()->code, ErrorCode::internal);
}

TEST(Expander, IsThreadSafeIfItsFilterIsConst) {
    EXPECT_TRUE(capstan::detail::ExpanderTable<FewestNodes>::is_parallel);
    EXPECT_FALSE(capstan::detail::ExpanderTable<Counting>::is_parallel);
}

TEST(Expander, ReadsOptionsOfANewerHostByTheirStride) {
    struct Longer {
        capstan_option option;
        char tail[24];
    };
    const Question request{{option("a").nodes(2), option("b").nodes(1)}};
    std::vector<Longer> longer;
    for (const capstan_option& o : capstan::View<capstan_option>(request.raw().options))
        longer.push_back({o, "newer"});
    capstan_expander_request in = request.raw();
    in.options = capstan::array_of(longer);
    FewestNodes fewest;
    const capstan::detail::ExpanderTable<FewestNodes> table(fewest);
    EXPECT_THAT(ask(table.table, in, FakeCall()).kept, ElementsAre(1));
}

struct Decides {
    capstan::Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const {
        return a.name() == b.name() ? capstan::decided("one pool") : capstan::differs("two pools");
    }
    std::uint64_t bucket(const Call&, const TemplateView& node) const { return node.name().size(); }
    bool may_decide() const { return true; }
};
struct Plain {
    capstan::Similarity similar(const Call&, const TemplateView&, const TemplateView&) {
        return capstan::agrees("always");
    }
};

TEST(Similarity, DeclaresItsCapabilities) {
    Decides decides;
    Plain plain;
    const capstan::detail::SimilarityTable<Decides> first(decides);
    const capstan::detail::SimilarityTable<Plain> second(plain);
    EXPECT_EQ(first.table.flags, static_cast<std::uint32_t>(CAPSTAN_SIMILARITY_MAY_DECIDE));
    EXPECT_NE(first.table.bucket, nullptr);
    EXPECT_TRUE(first.is_parallel);
    EXPECT_EQ(second.table.flags, 0u);
    EXPECT_EQ(second.table.bucket, nullptr);
    EXPECT_FALSE(second.is_parallel);
}

TEST(Similarity, ReturnsVerdictAndReason) {
    EXPECT_EQ(capstan::testing::similar(Decides(), node_template("a"), node_template("a")),
              capstan::decided("one pool"));
    EXPECT_EQ(capstan::testing::similar(Decides(), node_template("a"), node_template("b")),
              capstan::differs("two pools"));
}

TEST(Similarity, ReturnsItsBucket) {
    Decides decides;
    const capstan::detail::SimilarityTable<Decides> table(decides);
    capstan::AbiArena arena;
    const capstan::NodeTemplate node = node_template("four");
    EXPECT_EQ(ask_bucket(table.table, arena.to_abi(node), FakeCall()).hash, 4u);
}

struct OneEach {
    void split(const Call&, int nodes, const GroupList& groups,
               const capstan::GroupIncreases& grow) const {
        for (std::uint32_t i = 0; i < groups.size() && nodes > 0; ++i, --nodes) grow(i, 1);
    }
};

TEST(Splitter, GrowsGroupsByIndex) {
    using capstan::testing::group;
    EXPECT_THAT(capstan::testing::split(OneEach(), 2, {group("a"), group("b"), group("c")}),
                ElementsAre(1, 1, 0));
    EXPECT_THAT(capstan::testing::split(OneEach(), 0, {}), IsEmpty());
}

}  // namespace
