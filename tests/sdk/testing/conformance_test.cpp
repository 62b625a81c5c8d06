#include <capstan/testing/conformance.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <capstan/plugin.hpp>

#include "verdicts.hpp"

namespace {

using capstan::Call;
using capstan::ExpanderRequest;
using capstan::GroupIncreases;
using capstan::GroupList;
using capstan::Host;
using capstan::OptionView;
using capstan::Schema;
using capstan::Selection;
using capstan::Settings;
using capstan::SettingType;
using capstan::Similarity;
using capstan::TemplateView;
using capstan::testing::ConformanceOptions;
using capstan::testing::failures;
using capstan::testing::failures_of;
using capstan::testing::not_applicable_checks;
using capstan::testing::Outcome;
using capstan::testing::results_of;
using capstan::testing::TestFile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// Keeps the options that need the fewest nodes.
class FewestNodes {
public:
    static Schema schema() {
        return {{.key = "slack",
                 .type = SettingType::integer,
                 .doc = "Nodes more that do not matter.",
                 .default_value = "0",
                 .min = 0,
                 .max = 9}};
    }
    explicit FewestNodes(const Settings& settings) : slack_(settings.integer("slack")) {}
    void filter(const Call&, const ExpanderRequest& question, const Selection& keep) const {
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (const OptionView o : question.options())
            fewest = std::min<std::int64_t>(fewest, o.nodes());
        for (const OptionView o : question.options()) {
            if (o.nodes() <= fewest + slack_) keep(o, o.nodes());
        }
    }

private:
    std::int64_t slack_;
};

class ZoneSimilarity {
public:
    Similarity similar(const Call&, const TemplateView& a, const TemplateView& b) const {
        return a.zone() == b.zone() ? capstan::agrees("both are in one zone")
                                    : capstan::differs("two zones");
    }
    std::uint64_t bucket(const Call&, const TemplateView& node) const {
        return std::hash<std::string_view>()(node.zone());
    }
    std::uint64_t equivalence(const Call& call, const TemplateView& node) const {
        return bucket(call, node);
    }
};

/// Gives one node after the other to the smallest group with room.
class Even {
public:
    void split(const Call& call, int nodes, const GroupList& groups,
               const GroupIncreases& grow) const {
        using Size = std::pair<std::int64_t, std::uint32_t>;  // with its group
        std::priority_queue<Size, std::vector<Size>, std::greater<>> with_room;
        const auto add_if_room = [&](std::int64_t size, std::uint32_t group) {
            if (size < groups[group].max().value_or(size_max)) with_room.emplace(size, group);
        };
        for (std::uint32_t i = 0; i < groups.size(); ++i)
            add_if_room(groups[i].target().value_or(0), i);
        std::vector<int> growths(groups.size());
        for (; nodes > 0 && !with_room.empty() && !call.is_cancelled(); --nodes) {
            const auto [size, smallest] = with_room.top();
            with_room.pop();
            ++growths[smallest];
            add_if_room(size + 1, smallest);
        }
        for (std::uint32_t i = 0; i < groups.size(); ++i) {
            if (growths[i] > 0) grow(i, growths[i]);
        }
    }

private:
    static constexpr int size_max = 1'000'000;
};

TEST(Conformance, AcceptsACorrectExpander) {
    const auto results = results_of(
        capstan::make_class<FewestNodes>({.id = "fewest", .doc = "Keeps the fewest nodes."}));
    EXPECT_THAT(failures(results), IsEmpty());
    EXPECT_THAT(not_applicable_checks(results),
                ElementsAre("file/init", "schema/check", "lifecycle/stop_while_starting",
                            "lifecycle/self_check", "lifecycle/reconfigure"));
}

TEST(Conformance, AcceptsACorrectSimilarityCheck) {
    EXPECT_THAT(failures_of<ZoneSimilarity>(), IsEmpty());
}

TEST(Conformance, AcceptsACorrectSplitter) { EXPECT_THAT(failures_of<Even>(), IsEmpty()); }

TEST(Conformance, CreatesInstancesWithTheGivenSettings) {
    struct NeedsAZone {
        static Schema schema() { return {{.key = "zone", .doc = "Where.", .required = true}}; }
        explicit NeedsAZone(const Settings& settings) {
            if (settings.text("zone") != "a")
                throw capstan::Failure(capstan::ErrorCode::invalid_config, "not here");
        }
        void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
    };
    const auto of = capstan::make_class<NeedsAZone>({.id = "zoned", .doc = "Needs a zone."});
    const auto without = results_of(of);
    EXPECT_THAT(failures(without), IsEmpty());
    EXPECT_THAT(skipped_checks(without), Contains("lifecycle/create"));
    EXPECT_THAT(capstan::testing::skipped_classes(without),
                ElementsAre("zoned: it needs settings: setting zone: required but not set"));
    EXPECT_THAT(capstan::testing::to_text(without), HasSubstr(" skipped\n"));
    ConformanceOptions options = capstan::testing::quick();
    options.settings["zoned"] = {{"zone", "a"}};
    EXPECT_THAT(skipped_checks(results_of(of, options)), IsEmpty());
    options.settings["zoned"] = {{"zone", "b"}};
    EXPECT_THAT(failures(results_of(of, options)),
                ElementsAre("lifecycle/create: with the given settings: invalid_config: not here"));
}

TEST(Conformance, CountsAnExceptionInACheckAsAFailure) {
    const capstan::testing::Check check{"odd", "",
                                        []() -> Outcome { throw std::runtime_error("oops"); }};
    EXPECT_EQ(run_check(check).outcome, (Outcome{Outcome::Verdict::failed, "exception: oops"}));
}

TEST(Conformance, PrintsALinePerCheckAndASummary) {
    using V = Outcome::Verdict;
    EXPECT_EQ(
        capstan::testing::to_text(
            {{"file/entry", "", {V::passed, ""}},
             {"answers/valid", "least_waste", {V::failed, "one option: kept option 7 of 1"}},
             {"answers/parallel", "least_waste", {V::not_applicable, "one thread at a time"}}}),
        "ok                 file/entry\n"
        "FAIL  least_waste  answers/valid: one option: kept option 7 of 1\n"
        "n/a   least_waste  answers/parallel: one thread at a time\n"
        "1 passed, 1 failed, 1 not applicable\n");
}

TEST(FileChecks, FindAContradictingEntry) {
    TestFile file({capstan::make_class<Even>({.id = "even", .doc = "Splits evenly."})});
    file.entry.version = capstan::str("latest");
    file.entry.abi_minor_required = 7;
    EXPECT_THAT(failures(run_checks(conformance_checks(file.entry, capstan::testing::quick()))),
                ElementsAre(AllOf(StartsWith("file/entry: the required minor version is newer"),
                                  HasSubstr("1 more"))));
}

TEST(FileChecks, FindDuplicateClasses) {
    const auto even = capstan::make_class<Even>({.id = "even", .doc = "Splits evenly."});
    const TestFile file({even, even});
    EXPECT_THAT(failures(run_checks(conformance_checks(file.entry, capstan::testing::quick()))),
                ElementsAre("file/classes: duplicate class \"even\""));
}

TEST(FileChecks, FindAnInitThatCannotBeRepeated) {
    TestFile file({capstan::make_class<Even>({.id = "even", .doc = "Splits evenly."})});
    file.entry.init = [](capstan_str) noexcept {
        static int times = 0;
        return ++times > 1 ? capstan_status(CAPSTAN_E_CONFLICT) : capstan_status(CAPSTAN_OK);
    };
    EXPECT_THAT(failures(run_checks(conformance_checks(file.entry, capstan::testing::quick()))),
                ElementsAre("file/init: the second init returned conflict"));
}

TEST(ClassChecks, FindAnInvalidClassId) {
    EXPECT_THAT(failures(results_of(capstan::make_class<Even>({.id = "Even-Split", .doc = ""}))),
                ElementsAre(StartsWith("class/described: the id must be")));
}

/// An expander with the schema Fields::fields().
template <class Fields>
struct WithSchema {
    static Schema schema() { return Fields::fields(); }
    void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
};

TEST(SchemaChecks, FindASettingWithoutDocumentation) {
    struct Fields {
        static Schema fields() { return {{.key = "zone"}}; }
    };
    EXPECT_THAT(failures_of<WithSchema<Fields>>(),
                ElementsAre("schema/documented: field \"zone\": has no documentation"));
}

TEST(SchemaChecks, FindADuplicateSettingInATable) {
    struct Fields {
        static Schema fields() {
            return {{.key = "t",
                     .type = SettingType::table,
                     .doc = "A table.",
                     .fields = {{.key = "a", .doc = "One."}, {.key = "a", .doc = "Two."}}}};
        }
    };
    EXPECT_THAT(failures_of<WithSchema<Fields>>(),
                ElementsAre("schema/documented: field \"t.a\": duplicate key"));
}

TEST(SchemaChecks, FindADefaultOutsideItsBounds) {
    struct Fields {
        static Schema fields() {
            return {{.key = "n",
                     .type = SettingType::integer,
                     .doc = "A number.",
                     .default_value = "9",
                     .min = 0,
                     .max = 5}};
        }
    };
    EXPECT_THAT(failures_of<WithSchema<Fields>>(),
                ElementsAre("schema/defaults: default of \"n\": setting n: expected integer 0..5, "
                            "found integer 9"));
}

TEST(SchemaChecks, FindContradictingBounds) {
    struct Fields {
        static Schema fields() {
            return {
                {.key = "n", .type = SettingType::integer, .doc = "A number.", .min = 5, .max = 0},
                {.key = "zone", .doc = "Where.", .min = 1}};
        }
    };
    EXPECT_THAT(
        failures_of<WithSchema<Fields>>(),
        ElementsAre("schema/documented: field \"n\": has a min above its max (and 1 more)"));
}

TEST(SchemaChecks, FindACheckThatRejectsTheDefaults) {
    struct Refusing {
        static Schema schema() {
            return {{.key = "zone", .doc = "Where.", .default_value = "\"a\""}};
        }
        static void check(const Settings& settings) { settings.reject("zone", "is closed"); }
        void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
    };
    EXPECT_THAT(failures_of<Refusing>(), ElementsAre("schema/check: rejected zone: is closed"));
}

TEST(SchemaChecks, AcceptACheckThatRequiresOneOfSeveralSettings) {
    struct Asking {
        static Schema schema() {
            return {{.key = "tag", .doc = "Finds groups."}, {.key = "name", .doc = "Names one."}};
        }
        static void check(const Settings& settings) {
            if (!settings.has("tag") && !settings.has("name"))
                settings.reject("tag", "names no groups: by `tag` or by `name`");
        }
        void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
    };
    EXPECT_THAT(failures_of<Asking>(), IsEmpty());
}

TEST(ServiceChecks, FindACreateWithoutAnErrorMessageIfAServiceIsMissing) {
    struct NeedsHttp {
        NeedsHttp(Host host, const Settings&) {
            if (host.service<capstan_http>(CAPSTAN_SERVICE_HTTP) == nullptr)
                throw capstan::Failure(capstan::ErrorCode::internal, "");
        }
        void filter(const Call&, const ExpanderRequest&, const Selection&) const {}
    };
    EXPECT_THAT(
        failures_of<NeedsHttp>(),
        ElementsAre(
            "services/absent: without capstan.http/1: create failed without an error message"));
}

}  // namespace
