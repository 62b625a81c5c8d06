// Checks that what a chaos run breaks is reduced to a scenario that breaks the same way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include "scenario_run.hpp"
#include "simulator/sabotage.hpp"
#include "simulator/scenario_writer.hpp"

namespace capstan::simulator {
namespace {

using ::testing::HasSubstr;

/// A sabotage, the invariant that detects it first, and how many events are enough for that.
struct Reduced {
    const char* scenario;
    Sabotage sabotage;
    const char* invariant;
    std::size_t events_max;
    friend std::ostream& operator<<(std::ostream& out, const Reduced& reduced) {
        return out << reduced.scenario << " with " << name_of(reduced.sabotage);
    }
};

class ReducedBreak : public ::testing::TestWithParam<Reduced> {};

TEST_P(ReducedBreak, BreaksWithFewEventsAndOnlyWithTheDefect) {
    const auto& [scenario, sabotage, invariant, events_max] = GetParam();
    const ScenarioUnderTest base(scenario);
    std::uint64_t seed = 0;
    for (std::string first; first != invariant;) {
        ASSERT_LT(++seed, 20u) << "no seed breaks it first";
        const auto trial = chaos::run_trial(base.input, base.setup(sabotage), seed);
        first = trial && !trial->violations.empty() ? trial->violations.front().invariant : "";
    }
    const auto found = chaos::find_shortest_break(base.input, base.setup(sabotage), seed);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->violation.invariant, invariant);
    EXPECT_LE(found->events, events_max) << "of " << found->events_before;
    EXPECT_LE(found->runs, 60);

    const auto text = write_scenario(found->input, {base.sections, base.balancers});
    ASSERT_TRUE(text) << text.error().message;
    SCOPED_TRACE(*text);
    const ScenarioUnderTest file(config::Source{"break.toml", *text});
    Observers none;
    const auto broken = chaos::run_judged(file.input, file.setup(sabotage), none);
    ASSERT_TRUE(broken) << broken.error().message;
    EXPECT_TRUE(std::ranges::any_of(broken->unmet, [&](const Unmet& unmet) {
        return unmet.text.starts_with(std::string(invariant) + ": ");
    }));
    const auto sound = chaos::run_judged(file.input, file.setup(), none);
    ASSERT_TRUE(sound) << sound.error().message;
    EXPECT_TRUE(sound->unmet.empty()) << sound->unmet.front().text;
}

INSTANTIATE_TEST_SUITE_P(
    Chaos, ReducedBreak,
    ::testing::Values(Reduced{"chaos/shop", Sabotage::forgets_at_start, "restart", 8},
                      Reduced{"chaos/two_clouds", Sabotage::forgets_orders, "purpose", 8}));

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Breaks, AreWrittenAsScenariosThatBreakWithoutChaos) {
    const commands::Folder folder;
    const std::string command =
        "simulate tests/scenarios/chaos/shop.toml --chaos --seeds 2 --set "
        "scale_down.enabled=false --breaks '" +
        folder.path().string() + "'";
    const commands::CommandResult ran = commands::capstan(command);
    EXPECT_EQ(ran.code, 1) << ran.err;
    const std::filesystem::path file = folder.path() / "shop-seed-1.toml";
    EXPECT_THAT(ran.out, HasSubstr(" events: " + file.string() + "\n"));
    EXPECT_THAT(content_of(file), HasSubstr("[scale_down]\nenabled = false\n"));
    const commands::CommandResult again = commands::capstan("simulate '" + file.string() + "'");
    EXPECT_EQ(again.code, 1) << again.err << again.out;
    EXPECT_THAT(again.out, HasSubstr("thrift: "));
    EXPECT_EQ(
        commands::capstan("simulate '" + file.string() + "' --set scale_down.enabled=true").code,
        0);
    EXPECT_EQ(commands::capstan(command + " --jobs 2").out, ran.out)
        << "the same seeds in processes of their own";
}

}  // namespace
}  // namespace capstan::simulator
