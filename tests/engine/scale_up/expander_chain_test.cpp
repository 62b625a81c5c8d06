#include "engine/scale_up/expander_chain.hpp"

#include <functional>

#include <gmock/gmock.h>

namespace capstan::engine::scale_up {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Keeps the options whose group id satisfies a predicate.
class FilterExpander : public Expander {
public:
    explicit FilterExpander(std::function<bool(const std::string&)> keeps)
        : keeps_(std::move(keeps)) {}
    Result<FilterResult> filter(const ScaleUpQuestion& question,
                                std::span<const std::uint32_t> among, const CallContext&) override {
        ++calls;
        FilterResult out;
        for (const std::uint32_t i : among) {
            if (keeps_(question.options[i].group.id.value())) out.kept.push_back({i, 1.0});
        }
        out.sentences = {"kept by the test"};
        return out;
    }
    int calls = 0;

private:
    std::function<bool(const std::string&)> keeps_;
};

class FailingExpander : public Expander {
public:
    Result<FilterResult> filter(const ScaleUpQuestion&, std::span<const std::uint32_t>,
                                const CallContext&) override {
        return fail(ErrorCode::deadline, "took longer than 1s");
    }
};

ScaleUpQuestion question_of(std::initializer_list<const char*> groups) {
    ScaleUpQuestion question;
    for (const char* id : groups) {
        ScaleUpOption option;
        option.group.id = NodeGroupId(id);
        option.nodes = 1;
        question.options.push_back(std::move(option));
    }
    return question;
}

FilterExpander keep_all() {
    return FilterExpander([](const std::string&) { return true; });
}
FilterExpander keep_none() {
    return FilterExpander([](const std::string&) { return false; });
}
FilterExpander keep_all_but(std::string unwanted) {
    return FilterExpander([unwanted](const std::string& id) { return id != unwanted; });
}

TEST(ExpanderChain, EachStageFiltersTheOptionsOfThePreviousOne) {
    FilterExpander first = keep_all_but("a");
    FilterExpander second = keep_all_but("b");
    const Choice choice =
        choose({{"first", &first}, {"second", &second}}, question_of({"a", "b", "c"}), {});
    EXPECT_EQ(choice.option, 2u);
    EXPECT_EQ(choice.because, "c is the only option that second kept of 2");
    ASSERT_EQ(choice.stages.size(), 2u);
    EXPECT_EQ(choice.stages[0].summary, "first: keeps 2 of 3: b, c");
    EXPECT_THAT(choice.stages[0].sentences, ElementsAre("kept by the test"));
}

TEST(ExpanderChain, StopsWhenOneOptionIsLeft) {
    FilterExpander first = keep_all_but("a");
    FilterExpander second = keep_all();
    choose({{"first", &first}, {"second", &second}}, question_of({"a", "b"}), {});
    EXPECT_EQ(second.calls, 0);
}

TEST(ExpanderChain, BreaksTiesByTheLowestGroupId) {
    FilterExpander all = keep_all();
    ScaleUpQuestion question = question_of({"b", "c", "a"});
    const Choice choice = choose({{"all", &all}}, question, {});
    EXPECT_EQ(question.options[choice.option.value()].group.id, NodeGroupId("a"));
    EXPECT_EQ(choice.because, "a has the lowest id of 3 options still tied");
}

TEST(ExpanderChain, BreaksTiesByTheLowestPriceIfAllArePriced) {
    FilterExpander all = keep_all();
    ScaleUpQuestion question = question_of({"a", "b", "c"});
    const double prices[] = {3, 1, 2};
    for (std::size_t i = 0; i < 3; ++i) question.options[i].price_per_hour = prices[i];
    Choice choice = choose({{"all", &all}}, question, {});
    EXPECT_EQ(choice.option, 1u);
    EXPECT_EQ(choice.because, "b has the lowest price of 3 options still tied");
    question.options[1].nodes = 4;
    EXPECT_EQ(choose({{"all", &all}}, question, {}).option, 2u);
    question.options[0].price_per_hour.reset();
    EXPECT_EQ(choose({{"all", &all}}, question, {}).option, 0u);
}

TEST(ExpanderChain, DoesNotCallExpandersForASingleOption) {
    FilterExpander none = keep_none();
    const Choice choice =
        choose({{"none", &none, StageFallback::fail, StageFallback::fail}}, question_of({"a"}), {});
    EXPECT_EQ(choice.option, 0u);
    EXPECT_EQ(none.calls, 0);
    EXPECT_EQ(choice.because, "a is the only option");
}

TEST(ExpanderChain, ChoosesNothingWithoutOptions) {
    const Choice choice = choose({}, ScaleUpQuestion{}, {});
    EXPECT_FALSE(choice.option.has_value());
    EXPECT_EQ(choice.because, "no options to choose from");
}

TEST(ExpanderChain, ChoosesTheLowestGroupIdWithoutStages) {
    EXPECT_EQ(choose({}, question_of({"x", "y"}), {}).option, 0u);
}

TEST(ExpanderChain, SkipsAFailedStageAndKeepsItsError) {
    FailingExpander fails;
    FilterExpander second = keep_all_but("a");
    const Choice choice =
        choose({{"acme_score", &fails}, {"second", &second}}, question_of({"a", "b"}), {});
    EXPECT_EQ(choice.option, 1u);
    EXPECT_EQ(choice.stages[0].summary, "acme_score: failed: took longer than 1s; skipped");
    EXPECT_EQ(choice.stages[0].error->code, ErrorCode::deadline);
}

TEST(ExpanderChain, ChoosesNothingIfARequiredStageFails) {
    FailingExpander fails;
    FilterExpander second = keep_all();
    const Choice choice = choose({{"acme_score", &fails, StageFallback::fail}, {"second", &second}},
                                 question_of({"a", "b"}), {});
    EXPECT_FALSE(choice.option.has_value());
    EXPECT_EQ(choice.because, "acme_score: failed: took longer than 1s; no scale-up");
    EXPECT_EQ(second.calls, 0);
}

TEST(ExpanderChain, SkipsOrEndsOnAnEmptyResult) {
    FilterExpander none = keep_none();
    const Choice skipped = choose({{"none", &none}}, question_of({"a", "b"}), {});
    EXPECT_EQ(skipped.option, 0u);
    EXPECT_EQ(skipped.stages[0].summary, "none: keeps none of 2; skipped");

    const Choice ended = choose({{"none", &none, StageFallback::skip, StageFallback::fail}},
                                question_of({"a", "b"}), {});
    EXPECT_FALSE(ended.option.has_value());
    EXPECT_EQ(ended.because, "none: keeps none of 2; no scale-up");
}

TEST(ExpanderChain, NamesAFewGroupsAndCountsTheRest) {
    FilterExpander all = keep_all();
    const Choice choice = choose({{"all", &all}}, question_of({"a", "b", "c", "d", "e", "f"}), {});
    EXPECT_THAT(choice.stages[0].summary, HasSubstr("keeps 6 of 6: a, b, c, d, e and 1 more"));
}

}  // namespace
}  // namespace capstan::engine::scale_up
