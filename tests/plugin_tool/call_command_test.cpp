#include "plugin_tool/call_command.hpp"

#include <numeric>
#include <sstream>

#include <gmock/gmock.h>

namespace capstan::plugin_tool {
namespace {

using testing::HasSubstr;

/// Keeps groups whose id is at least "b", and explains the seed it received.
class KeepsFromB : public engine::Expander {
public:
    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion& question,
                                        std::span<const std::uint32_t> among,
                                        const engine::CallContext& call_context) override {
        engine::FilterResult out;
        for (const std::uint32_t i : among) {
            if (question.options[i].group.id.value() >= "b") out.kept.push_back({i, 1.5});
        }
        out.sentences = {"seed " + std::to_string(call_context.seed)};
        return out;
    }
};

class FailingExpander : public engine::Expander {
public:
    Result<engine::FilterResult> filter(const engine::ScaleUpQuestion&,
                                        std::span<const std::uint32_t>,
                                        const engine::CallContext&) override {
        return fail(ErrorCode::deadline, "score: took longer than \"1s\"");
    }
};

/// Decides on equal names, agrees on equal capacity.
class SimilarByName : public engine::SimilarityCheck {
public:
    Result<Similarity> similar(const NodeTemplate& a, const NodeTemplate& b,
                               const engine::CallContext&) override {
        if (a.name == b.name) return decided("same name");
        return a.capacity == b.capacity ? agrees("same capacity") : differs("4 cpu, 8 cpu");
    }
    bool may_decide() const override { return true; }
    Result<std::uint64_t> bucket(const NodeTemplate&, const engine::CallContext&) override {
        return fail(ErrorCode::unsupported, "no buckets");
    }
};

/// Adds all nodes to the first group by id.
class SplitToFirst : public engine::Splitter {
public:
    Result<std::vector<int>> split(int nodes, std::span<const NodeGroup> groups,
                                   const engine::CallContext&) override {
        std::vector<int> out(groups.size());
        if (!out.empty()) out.front() = nodes;
        return out;
    }
};

struct CallResult {
    int code;
    std::string out, err;
    bool operator==(const CallResult&) const = default;
};

CallResult run_call(const CallArguments& arguments, const std::string& request) {
    std::istringstream in(request);
    std::ostringstream out, err;
    const int code = call(arguments, in, out, err);
    return {code, out.str(), err.str()};
}
CallResult call_expander(engine::Expander& expander, const std::string& request) {
    const auto filter = [&](const commands::ExpanderRequest& asked) {
        std::vector<std::uint32_t> among(asked.question.options.size());
        std::iota(among.begin(), among.end(), 0u);
        return expander.filter(asked.question, among, {.seed = asked.seed});
    };
    return run_call({.kind = CallKind::expander, .expander = filter}, request);
}
CallResult call_similarity(const std::string& request) {
    const auto compare = [](const commands::SimilarityRequest& asked) {
        return SimilarByName().similar(asked.a, asked.b, {});
    };
    return run_call({.kind = CallKind::similarity, .similarity = compare}, request);
}
CallResult call_splitter(const std::string& request) {
    const auto split = [](const commands::SplitterRequest& asked) {
        return SplitToFirst().split(asked.nodes, asked.groups, {});
    };
    return run_call({.kind = CallKind::splitter, .splitter = split}, request);
}

TEST(CallCommand, ReturnsTheIndicesOfTheRequest) {
    KeepsFromB expander;
    EXPECT_EQ(call_expander(expander, R"({"seed":3,"options":[{"group":{"id":"z"},"nodes":1},
                  {"group":{"id":"a"},"nodes":1},{"group":{"id":"b"},"nodes":1}]})"),
              (CallResult{0,
                          R"({"options":[0,2],"explain":["seed 3"]})"
                          "\n",
                          ""}));
}

TEST(CallCommand, DoesNotCallAnExpanderWithoutOptions) {
    FailingExpander expander;
    EXPECT_EQ(call_expander(expander, "{}"),
              (CallResult{0,
                          R"({"options":[],"explain":["there is no option to choose from"]})"
                          "\n",
                          ""}));
}

TEST(CallCommand, PrintsTheErrorOfAHookAsJson) {
    FailingExpander expander;
    EXPECT_EQ(call_expander(expander, R"({"options":[{"group":{"id":"a"},"nodes":1}]})"),
              (CallResult{1,
                          R"({"error":"score: took longer than \"1s\""})"
                          "\n",
                          ""}));
}

TEST(CallCommand, DistinguishesTheThreeResultsOfASimilarityCheck) {
    EXPECT_EQ(call_similarity(R"({"a":{"name":"n"},"b":{"name":"n"}})").out,
              R"({"similar":true,"decided":true,"because":"same name"})"
              "\n");
    EXPECT_EQ(call_similarity(R"({"a":{"name":"n"},"b":{"name":"m"}})").out,
              R"({"similar":true,"decided":false,"because":"same capacity"})"
              "\n");
    EXPECT_EQ(call_similarity(R"({"a":{"name":"n"},"b":{"name":"m","capacity":{"cpu":"8"}}})").out,
              R"({"similar":false,"decided":false,"because":"4 cpu, 8 cpu"})"
              "\n");
}

TEST(CallCommand, ListsEveryGroupOfASplitInRequestOrder) {
    EXPECT_EQ(call_splitter(R"({"nodes":4,"groups":[{"id":"c"},{"id":"a"},{"id":"b"}]})"),
              (CallResult{0,
                          R"({"deltas":{"c":0,"a":4,"b":0}})"
                          "\n",
                          ""}));
    EXPECT_EQ(call_splitter(R"({"nodes":4})").out, R"({"deltas":{}})"
                                                   "\n");
}

TEST(CallCommand, ReportsThePositionInAnInvalidRequest) {
    KeepsFromB expander;
    const CallResult syntax = call_expander(expander, R"({"options":[,]})");
    EXPECT_EQ(syntax.code, 2);
    EXPECT_EQ(syntax.out, "");
    EXPECT_THAT(syntax.err, HasSubstr("standard input:1:13: not JSON"));
    EXPECT_EQ(call_expander(expander, R"({"options":[{"group":{"id":"a"}}]})"),
              (CallResult{2, "", "standard input: /options/0/nodes: is missing\n"}));
    EXPECT_EQ(call_expander(expander, ""),
              (CallResult{2, "", "standard input: is empty, expected a JSON object\n"}));
}

TEST(CallCommand, FindsKindsByShortNameAndId) {
    EXPECT_EQ(find_call_kind("splitter"), CallKind::splitter);
    EXPECT_EQ(find_call_kind("capstan.similarity/1"), CallKind::similarity);
    EXPECT_EQ(find_call_kind("expandr"), std::nullopt);
    EXPECT_EQ(unknown_call_kind("expandr"),
              "kind \"expandr\" cannot be called; kinds are expander, similarity, "
              "splitter, controller, group_source, cloud; did you mean 'expander'?");
    EXPECT_EQ(kind_id_of(CallKind::expander), "capstan.expander/1");
}

}  // namespace
}  // namespace capstan::plugin_tool
