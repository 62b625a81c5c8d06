#include "config_yaml.hpp"

#include <gmock/gmock.h>

namespace capstan::expanders {
namespace {

using ::testing::IsEmpty;

TEST(PriorityYaml, ReadsTheExampleOfTheUpstreamManual) {
    const Tiers tiers = parse_priorities_yaml(
                            "# spot first\n"
                            "10:\n"
                            "  - .*t2\\.large.*\n"
                            "  - '.*t3\\.large.*'   # quoted\n"
                            "50:\n"
                            "  - \".*m4\\\\.4xlarge.*\"\n")
                            .value();
    ASSERT_EQ(tiers.size(), 2u);
    EXPECT_EQ(tiers.begin()->first, 50);
    EXPECT_EQ(tiers.at(50).front().written(), ".*m4\\.4xlarge.*");
    EXPECT_EQ(tiers.at(10).back().written(), ".*t3\\.large.*");
}

TEST(PriorityYaml, AcceptsAnyWholeNumberAsAPriority) {
    const Tiers tiers =
        parse_priorities_yaml("{-9223372036854775808: [a], -2: [b], 9223372036854775807: [c]}")
            .value();
    EXPECT_EQ(tiers.begin()->first, INT64_MAX);
    EXPECT_EQ(tiers.rbegin()->first, INT64_MIN);
}

TEST(PriorityYaml, AcceptsAPriorityWithoutPatterns) {
    EXPECT_THAT(parse_priorities_yaml("10:\n# - a\n20: [b]\n").value().at(10), IsEmpty());
}

TEST(PriorityYaml, ReadsTheWholeConfigMap) {
    const auto tiers = parse_priorities_yaml(
        "apiVersion: v1\n"
        "kind: ConfigMap\n"
        "metadata:\n"
        "  name: cluster-autoscaler-priority-expander\n"
        "data:\n"
        "  priorities: |-\n"
        "    10:\n"
        "      - .*t2\\.large.*\n"
        "    50:\n"
        "      - .*m4\\.4xlarge.*\n");
    ASSERT_TRUE(tiers.has_value()) << tiers.error().message;
    EXPECT_EQ(tiers->at(50).front().written(), ".*m4\\.4xlarge.*");
}

TEST(PriorityYaml, ReportsMistakesInsideAConfigMap) {
    const std::string kind = "kind: ConfigMap\n";
    EXPECT_EQ(parse_priorities_yaml(kind + "data: {}\n").error().message,
              "line 2, column 7: the ConfigMap has no string under the key priorities");
    EXPECT_EQ(parse_priorities_yaml(kind + "data: {priorities: [a]}\n").error().message,
              "line 2, column 7: the ConfigMap has no string under the key priorities");
    EXPECT_EQ(
        parse_priorities_yaml(kind + "data:\n  priorities: |\n    high: [b]\n").error().message,
        "in data.priorities: line 1, column 1: priority \"high\": not a 64-bit integer");
}

struct Broken {
    const char* document;
    const char* why;
};

TEST(PriorityYaml, ReportsMistakesWithTheirLine) {
    for (const auto& [document, why] : {
             Broken{"", "the document is empty"},
             Broken{"# nothing\n", "the document is empty"},
             Broken{"{}", "line 1, column 1: has no priorities"},
             Broken{"- a\n", "line 1, column 1: expected a map of priorities to lists"},
             Broken{"just text", "line 1, column 1: expected a map of priorities to lists"},
             Broken{"10: [a]\nhigh: [b]\n",
                    "line 2, column 1: priority \"high\": not a 64-bit integer"},
             Broken{"9223372036854775808: [b]",
                    "line 1, column 1: priority \"9223372036854775808\": not a 64-bit integer"},
             Broken{"10: a\n", "line 1, column 5: a priority needs a list of regular expressions"},
             Broken{"10:\n  a: b\n",
                    "line 2, column 3: a priority needs a list of regular expressions"},
             Broken{"10:\n  - [a]\n", "line 2, column 5: a regular expression must be a string"},
             Broken{"10:\n  - a\n  - '('\n",
                    "line 3, column 5: regular expression \"(\": missing ): ("},
             Broken{"10: [a]\n10: [b]\n", "line 2, column 1: duplicate priority 10"},
             Broken{"? [a]\n: [b]\n", "line 1, column 3: a priority must be an integer"},
         }) {
        const auto tiers = parse_priorities_yaml(document);
        ASSERT_FALSE(tiers.has_value()) << document;
        EXPECT_EQ(tiers.error(), (Error{ErrorCode::invalid_config, why})) << document;
    }
}

TEST(PriorityYaml, ReportsTheLineOfInvalidYaml) {
    for (const char* document : {"10: [a", "10:\n\t- a\n", "10: *nobody", "10: \"a", "a: b: c"}) {
        const auto tiers = parse_priorities_yaml(document);
        ASSERT_FALSE(tiers.has_value()) << document;
        EXPECT_EQ(tiers.error().code, ErrorCode::invalid_config);
        EXPECT_THAT(tiers.error().message, ::testing::StartsWith("line ")) << document;
    }
}

TEST(PriorityYaml, RejectsDeepNesting) {
    EXPECT_FALSE(parse_priorities_yaml("10: " + std::string(100'000, '[')).has_value());
}

}  // namespace
}  // namespace capstan::expanders
