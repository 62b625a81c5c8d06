// Reads each scenario of this folder, writes it, and reads and runs what was written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "scenario_run.hpp"
#include "simulator/scenario_writer.hpp"

namespace capstan::simulator {
namespace {

std::vector<std::string> scenario_names() {
    std::vector<std::string> out;
    const std::filesystem::path root = "tests/scenarios";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        const std::filesystem::path name = std::filesystem::relative(entry.path(), root);
        if (name.extension() == ".toml")
            out.push_back((name.parent_path() / name.stem()).generic_string());
    }
    std::ranges::sort(out);
    return out;
}

class RewrittenScenario : public ::testing::TestWithParam<std::string> {};

TEST_P(RewrittenScenario, HasTheSameReport) {
    const ScenarioUnderTest original(GetParam());
    const auto text = write_scenario(original.input, {original.sections, original.balancers});
    ASSERT_TRUE(text) << text.error().message;
    SCOPED_TRACE(*text);
    const ScenarioUnderTest rewritten(config::Source{"rewritten.toml", *text});
    const auto again = write_scenario(rewritten.input, {rewritten.sections, rewritten.balancers});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *text);
    const auto wanted = original.run();
    const auto found = rewritten.run();
    ASSERT_TRUE(wanted && found) << (wanted ? found : wanted).error().message;
    EXPECT_EQ(found->title, wanted->title);
    EXPECT_EQ(found->expected, wanted->expected);
    EXPECT_EQ(found->unmet.size(), wanted->unmet.size());
    EXPECT_TRUE(found->summary == wanted->summary);
    ASSERT_EQ(found->events.size(), wanted->events.size());
    for (std::size_t i = 0; i < found->events.size(); ++i)
        EXPECT_TRUE(found->events[i] == wanted->events[i]) << found->events[i].text;
}

INSTANTIATE_TEST_SUITE_P(File, RewrittenScenario, ::testing::ValuesIn(scenario_names()),
                         [](const auto& scenario) {
                             std::string out = scenario.param;
                             std::ranges::replace_if(
                                 out, [](unsigned char c) { return !std::isalnum(c); }, '_');
                             return out;
                         });

}  // namespace
}  // namespace capstan::simulator
