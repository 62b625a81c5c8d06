#include "autoscaler/policies/plugin_policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../plugin_runtime/test_host.hpp"

namespace capstan::autoscaler::policies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

engine::ScaleUpQuestion three_options() {
    engine::ScaleUpQuestion question;
    for (const char* const group : {"a", "b", "c"}) {
        question.options.push_back({.group = {.id = NodeGroupId(group)}, .nodes = 1});
    }
    question.pods.push_back({.example = "web-0"});
    question.cluster_nodes = 5;
    return question;
}
const std::vector<std::uint32_t> all{0, 1, 2};

/// The hooks of the plugin under test, with raw arguments.
std::function<capstan_status(const capstan_call*, const capstan_expander_request*,
                             const capstan_expander_response*)>
    on_filter;
std::function<capstan_status(const capstan_call*, const capstan_similarity_response*)> on_similar;
std::function<capstan_status(const capstan_splitter_request*, const capstan_splitter_response*)>
    on_split;

// An expander that keeps nothing.
struct RawExpander {
    void filter(const Call& call, const ExpanderRequest&, const Selection&) { (void)call; }
};

/// An instance whose only interface table is `table`.
template <class Table>
struct RawClass {
    static inline Table table{};
    static inline capstan_instance instance{};
    static capstan_class of(const char* kind) {
        instance = {};
        instance.struct_size = sizeof instance;
        instance.interface_of = [](void*, const char*) noexcept -> const void* { return &table; };
        instance.destroy = [](void*) noexcept {};
        capstan_class type{};
        type.struct_size = sizeof type;
        type.concurrency = CAPSTAN_CONCURRENCY_PARALLEL;
        type.class_id = str("probe");
        type.kind = str(kind);
        type.create = [](const capstan_host*, const capstan_settings*, const capstan_call*,
                         const capstan_instance** out) noexcept -> capstan_status {
            *out = &instance;
            return CAPSTAN_OK;
        };
        return type;
    }
};

struct PluginPoliciesTest : testing::Test {
    plugin_runtime::TestHost host;
    plugin_runtime::instances::PassWatch watch;
    std::shared_ptr<plugin_runtime::instances::PluginInstance> instance;

    template <class Table>
    void use(const char* kind, const Table& table) {
        RawClass<Table>::table = table;
        instance = plugin_runtime::create(host, RawClass<Table>::of(kind)).value();
        ASSERT_TRUE(plugin_runtime::start(host, *instance));
    }
    ~PluginPoliciesTest() override {
        if (instance) std::ignore = plugin_runtime::stop(host, *instance);
    }
    Result<engine::FilterResult> filter(std::span<const std::uint32_t> among = all) {
        use(CAPSTAN_KIND_EXPANDER,
            capstan_expander{sizeof(capstan_expander), 0, nullptr,
                             [](void*, const capstan_call* call, const capstan_expander_request* in,
                                const capstan_expander_response* out) noexcept {
                                 return on_filter(call, in, out);
                             }});
        return PluginExpander::make(instance, watch)
            .value()
            ->filter(three_options(), among, {.seed = 9});
    }
    Result<Similarity> similar(std::uint32_t flags = 0) {
        use(CAPSTAN_KIND_SIMILARITY,
            capstan_similarity{
                sizeof(capstan_similarity), flags, nullptr,
                [](void*, const capstan_call* call, const capstan_template*,
                   const capstan_template*, const capstan_similarity_response* out) noexcept {
                    return on_similar(call, out);
                },
                nullptr, nullptr});
        return PluginSimilarity::make(instance, watch)
            .value()
            ->similar({.name = "a"}, {.name = "b"}, {});
    }
    Result<std::vector<int>> split(int nodes) {
        use(CAPSTAN_KIND_SPLITTER,
            capstan_splitter{
                sizeof(capstan_splitter), 0, nullptr,
                [](void*, const capstan_call*, const capstan_splitter_request* in,
                   const capstan_splitter_response* out) noexcept { return on_split(in, out); }});
        const std::vector<NodeGroup> groups{{.id = NodeGroupId("a"), .max = 5, .target = 3},
                                            {.id = NodeGroupId("b")}};
        return PluginSplitter::make(instance, watch).value()->split(nodes, groups, {});
    }
};

TEST_F(PluginPoliciesTest, GiveAnExpanderItsOptionsAndReturnWhatItKeeps) {
    on_filter = [](const capstan_call* call, const capstan_expander_request* in,
                   const capstan_expander_response* out) {
        EXPECT_EQ(call->seed, 9u);
        EXPECT_EQ(in->options.count, 2u);
        EXPECT_EQ(in->pods.count, 1u);
        EXPECT_EQ(in->cluster_nodes, 5u);
        EXPECT_EQ(text(View<capstan_option>(in->options)[1].group->id), "c");
        out->keep(out, 1, 2.5);
        out->keep(out, 1, 2.5);
        call->explain(call, str("c is\nbest"));
        return CAPSTAN_OK;
    };
    const std::vector<std::uint32_t> among{0, 2};
    const auto kept = filter(among).value();
    EXPECT_THAT(kept.kept, ElementsAre(engine::FilterResult::Kept{2, 2.5}));
    EXPECT_THAT(kept.sentences, ElementsAre("c is\\nbest"));
}

TEST_F(PluginPoliciesTest, AcceptAnExpanderThatKeepsNothing) {
    on_filter = [](auto...) { return CAPSTAN_OK; };
    EXPECT_THAT(filter().value().kept, IsEmpty());
}

TEST_F(PluginPoliciesTest, UseTheLastScoreOfAnOption) {
    on_filter = [](auto, auto, const capstan_expander_response* out) {
        out->keep(out, 2, 1);
        out->keep(out, 0, -HUGE_VAL);
        out->keep(out, 2, 7);
        return CAPSTAN_OK;
    };
    EXPECT_THAT(filter().value().kept, ElementsAre(engine::FilterResult::Kept{0, -HUGE_VAL},
                                                   engine::FilterResult::Kept{2, 7}))
        << "in the order of the options";
}

TEST_F(PluginPoliciesTest, NameTheFirstUnknownOption) {
    on_filter = [](auto, auto, const capstan_expander_response* out) {
        out->keep(out, 1, std::nan(""));
        for (const std::uint32_t option : {3u, 4u}) out->keep(out, option, 0);
        return CAPSTAN_OK;
    };
    EXPECT_EQ(filter().error().message, "plugin probe: filter kept option 3 of 3");
}

TEST_F(PluginPoliciesTest, DropWhatAnExpanderKeptBeforeItFailed) {
    on_filter = [](auto, auto, const capstan_expander_response* out) {
        out->keep(out, 7, 0);
        return static_cast<capstan_status>(CAPSTAN_E_UNAVAILABLE);
    };
    EXPECT_EQ(filter().error(),
              (Error{ErrorCode::unavailable,
                     "plugin probe: filter returned unavailable without an error message"}));
}

TEST_F(PluginPoliciesTest, RefuseAnUnknownOption) {
    on_filter = [](auto, auto, const capstan_expander_response* out) {
        out->keep(out, 7, 0);
        return CAPSTAN_OK;
    };
    const Error error = filter().error();
    EXPECT_EQ(error, (Error{ErrorCode::internal, "plugin probe: filter kept option 7 of 3"}));
    EXPECT_THAT(host.lines->text(), HasSubstr("probe: filter kept option 7 of 3"));
    EXPECT_THAT(host.metrics->text(),
                HasSubstr("errors_total{code=\"internal\",hook=\"filter\",plugin=\"probe\"} 1"));
}

TEST_F(PluginPoliciesTest, RefuseAScoreThatIsNotANumber) {
    on_filter = [](auto, auto, const capstan_expander_response* out) {
        out->keep(out, 1, std::nan(""));
        return CAPSTAN_OK;
    };
    EXPECT_EQ(filter().error().message,
              "plugin probe: filter gave option 1 of 3 a score that is not a number");
}

TEST_F(PluginPoliciesTest, ReturnTheErrorMessageOfThePlugin) {
    on_filter = [](const capstan_call* call, auto, auto) {
        const capstan_error error{sizeof error,
                                  CAPSTAN_E_UNAVAILABLE,
                                  str("no prices today"),
                                  {},
                                  {},
                                  -1,
                                  CAPSTAN_SCOPE_UNKNOWN,
                                  0};
        return call->fail(call, &error);
    };
    EXPECT_EQ(filter().error(),
              (Error{ErrorCode::unavailable, "plugin probe: filter: no prices today"}));
}

TEST_F(PluginPoliciesTest, ReportAnErrorWithoutAMessage) {
    on_filter = [](auto...) { return 4711; };
    EXPECT_EQ(filter().error(),
              (Error{ErrorCode::internal,
                     "plugin probe: filter returned internal without an error message"}));
}

TEST_F(PluginPoliciesTest, LimitTheNumberAndLengthOfExplanations) {
    on_filter = [](const capstan_call* call, auto, auto) {
        const std::string sentence(100'000, 'x');
        for (int i = 0; i < 1000; ++i) call->explain(call, str(sentence));
        return CAPSTAN_OK;
    };
    const auto sentences = filter().value().sentences;
    EXPECT_EQ(sentences.size(), 256u);
    EXPECT_LT(sentences[0].size(), 1100u);
}

TEST_F(PluginPoliciesTest, ReturnAnExceptionAsAnError) {
    struct Throws {
        void filter(const Call&, const ExpanderRequest&, const Selection&) {
            throw std::runtime_error("bug in the plugin");
        }
    };
    const plugin_runtime::Running<Throws> throws(host);
    const auto expander = PluginExpander::make(throws.shared(), watch).value();
    EXPECT_EQ(expander->filter(three_options(), all, {}).error(),
              (Error{ErrorCode::internal, "plugin probe: filter: bug in the plugin"}));
}

TEST_F(PluginPoliciesTest, CallNoInstanceThatIsNotRunning) {
    instance =
        plugin_runtime::create(host, make_class<RawExpander>({.id = "probe", .doc = ""})).value();
    const auto expander = PluginExpander::make(instance, watch).value();
    EXPECT_EQ(expander->filter(three_options(), all, {}).error().code, ErrorCode::unavailable);
}

TEST_F(PluginPoliciesTest, RefuseAnInstanceOfAnotherKind) {
    const plugin_runtime::Running<RawExpander> expander(host);
    const auto splitter = PluginSplitter::make(expander.shared(), watch);
    EXPECT_EQ(splitter.error().message, "plugin probe is not a capstan.splitter/1");
}

TEST_F(PluginPoliciesTest, ReturnASimilarityVerdictWithItsReason) {
    on_similar = [](auto, const capstan_similarity_response* out) {
        out->answer(out, CAPSTAN_SIMILARITY_AGREES, str("both have 4 cores"));
        return CAPSTAN_OK;
    };
    EXPECT_EQ(similar().value(), agrees("both have 4 cores"));
}

TEST_F(PluginPoliciesTest, TreatAnUnknownVerdictAsDiffers) {
    on_similar = [](auto, const capstan_similarity_response* out) {
        out->answer(out, 99, str("new"));
        return CAPSTAN_OK;
    };
    EXPECT_EQ(similar().value(), differs("new"));
}

TEST_F(PluginPoliciesTest, ShowTheReasonOfAVerdictAsOneShortLine) {
    const std::string longest(1024, 'r');
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", ""},
        {"cpu differs:\n4 and 8", "cpu differs:\\n4 and 8"},
        {longest, longest},
        {longest + "r", longest + "..."},
    };
    for (const auto& [given, shown] : cases) {
        on_similar = [&](auto, const capstan_similarity_response* out) {
            out->answer(out, CAPSTAN_SIMILARITY_DIFFERS, str(given));
            return CAPSTAN_OK;
        };
        EXPECT_EQ(similar().value(), differs(shown));
        std::ignore = plugin_runtime::stop(host, *instance);
        instance = nullptr;
    }
}

TEST_F(PluginPoliciesTest, ReturnTheHashesOfACheckAndItsErrors) {
    using Answer = const capstan_similarity_response*;
    use(CAPSTAN_KIND_SIMILARITY,
        capstan_similarity{
            sizeof(capstan_similarity), 0, nullptr,
            [](void*, const capstan_call*, const capstan_template*, const capstan_template*,
               Answer) noexcept { return static_cast<capstan_status>(CAPSTAN_OK); },
            [](void*, const capstan_call*, const capstan_template* node,
               std::uint64_t* hash) noexcept {
                *hash = text(node->name).size();
                return static_cast<capstan_status>(CAPSTAN_OK);
            },
            [](void*, const capstan_call*, const capstan_template*, std::uint64_t* hash) noexcept {
                *hash = 7;
                return static_cast<capstan_status>(CAPSTAN_E_UNAVAILABLE);
            }});
    const auto check = PluginSimilarity::make(instance, watch).value();
    EXPECT_FALSE(check->may_decide());
    EXPECT_EQ(check->bucket({.name = "web"}, {}).value(), 3u);
    EXPECT_EQ(check->equivalence({.name = "web"}, {}).error(),
              (Error{ErrorCode::unavailable,
                     "plugin probe: equivalence returned unavailable without an error message"}));
}

TEST_F(PluginPoliciesTest, ReportThatACheckOfAnOlderSdkHasNoHashes) {
    capstan_similarity table{};
    table.struct_size = offsetof(capstan_similarity, bucket);
    table.similar = [](void*, const capstan_call*, const capstan_template*, const capstan_template*,
                       const capstan_similarity_response*) noexcept {
        return static_cast<capstan_status>(CAPSTAN_OK);
    };
    // Not part of a table of that size, so it is never called.
    table.bucket = [](void*, const capstan_call*, const capstan_template*,
                      std::uint64_t*) noexcept -> capstan_status { std::abort(); };
    use(CAPSTAN_KIND_SIMILARITY, table);
    const auto check = PluginSimilarity::make(instance, watch).value();
    EXPECT_EQ(check->bucket({.name = "a"}, {}).error(),
              (Error{ErrorCode::unsupported, "plugin probe does not implement bucket"}));
    EXPECT_EQ(check->equivalence({.name = "a"}, {}).error(),
              (Error{ErrorCode::unsupported, "plugin probe does not implement equivalence"}));
}

TEST_F(PluginPoliciesTest, RequireExactlyOneVerdict) {
    on_similar = [](auto...) { return CAPSTAN_OK; };
    EXPECT_EQ(similar().error().message, "plugin probe: similar returned no verdict");
    std::ignore = plugin_runtime::stop(host, *instance);
    on_similar = [](auto, const capstan_similarity_response* out) {
        for (int i = 0; i < 2; ++i) out->answer(out, CAPSTAN_SIMILARITY_AGREES, {});
        return CAPSTAN_OK;
    };
    EXPECT_EQ(similar().error().message, "plugin probe: similar returned 2 verdicts");
}

TEST_F(PluginPoliciesTest, RefuseAnUndeclaredDecidedVerdict) {
    on_similar = [](auto, const capstan_similarity_response* out) {
        out->answer(out, CAPSTAN_SIMILARITY_DECIDED, str("same pool"));
        return CAPSTAN_OK;
    };
    EXPECT_EQ(similar(CAPSTAN_SIMILARITY_MAY_DECIDE).value(), decided("same pool"));
    std::ignore = plugin_runtime::stop(host, *instance);
    EXPECT_EQ(similar().error().message,
              "plugin probe: similar decided without declaring that it may decide");
}

TEST_F(PluginPoliciesTest, ReportThatACheckHasNoHashes) {
    on_similar = [](auto...) { return CAPSTAN_OK; };
    std::ignore = similar();
    const auto check = PluginSimilarity::make(instance, watch).value();
    EXPECT_EQ(check->bucket({.name = "a"}, {}).error().code, ErrorCode::unsupported);
    EXPECT_EQ(check->equivalence({.name = "a"}, {}).error().code, ErrorCode::unsupported);
}

using GroupIncreases = std::vector<std::pair<std::uint32_t, std::int32_t>>;
auto increases_of(GroupIncreases increases) {
    return [increases = std::move(increases)](const capstan_splitter_request*,
                                              const capstan_splitter_response* out) {
        for (const auto& [group, by] : increases) out->grow(out, group, by);
        return static_cast<capstan_status>(CAPSTAN_OK);
    };
}

TEST_F(PluginPoliciesTest, ReturnIncreasesInTheOrderOfTheGroups) {
    on_split = increases_of({{1, 2}, {0, 1}});
    EXPECT_THAT(split(4).value(), ElementsAre(1, 2));
}

TEST_F(PluginPoliciesTest, AcceptIncreasesUpToEachLimit) {
    struct Case {
        int nodes;
        GroupIncreases increases;
        std::vector<int> accepted;
    };
    const std::vector<Case> cases{
        {4, {}, {0, 0}},                // nothing
        {0, {}, {0, 0}},                // of nothing
        {4, {{1, 3}}, {0, 3}},          // less than asked for
        {4, {{0, 2}}, {2, 0}},          // group a to its maximum of 5
        {4, {{0, 2}, {1, 2}}, {2, 2}},  // all nodes
        {2147483647, {{1, 2147483647}}, {0, 2147483647}},
    };
    for (const auto& [nodes, increases, accepted] : cases) {
        on_split = increases_of(increases);
        EXPECT_EQ(split(nodes).value(), accepted) << nodes;
        std::ignore = plugin_runtime::stop(host, *instance);
        instance = nullptr;
    }
}

TEST_F(PluginPoliciesTest, ReturnTheErrorOfASplitter) {
    on_split = [](auto, const capstan_splitter_response* out) {
        out->grow(out, 0, 1);
        return static_cast<capstan_status>(CAPSTAN_E_INVALID_ARGUMENT);
    };
    EXPECT_EQ(split(4).error(),
              (Error{ErrorCode::invalid_argument,
                     "plugin probe: split returned invalid_argument without an error message"}));
}

TEST_F(PluginPoliciesTest, RefuseInvalidIncreases) {
    const std::vector<std::pair<GroupIncreases, std::string>> cases{
        {{{2, 1}}, "grew group 2 of 2"},
        {{{0, 0}}, "grew group a by 0"},
        {{{1, -3}}, "grew group b by -3"},
        {{{1, 1}, {1, 1}}, "grew group b twice"},
        {{{0, 3}}, "grew group a to 6, above its maximum of 5"},
        {{{0, 2147483647}}, "grew group a to 2147483650, above its maximum of 5"},
        {{{0, 2}, {1, 3}}, "distributed 5 nodes of 4"},
    };
    for (const auto& [increases, message] : cases) {
        on_split = increases_of(increases);
        EXPECT_EQ(split(4).error().message, "plugin probe: split " + message);
        std::ignore = plugin_runtime::stop(host, *instance);
        instance = nullptr;
    }
}

}  // namespace
}  // namespace capstan::autoscaler::policies
