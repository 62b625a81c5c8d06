// Mistakes in the events of a scenario, with their places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../host/config/shipped_folder.hpp"
#include "simulator/scenario.hpp"

namespace capstan::simulator {
namespace {

using ::testing::HasSubstr;

config::Diagnostics mistakes_in(const std::string& toml) {
    const config::ShippedFolder shipped({"expanders/least_waste.so", "expanders/random.so",
                                         "similarity/resources.so", "similarity/labels.so",
                                         "balancer/node_groups.so", "simulated.so"});
    const std::string group = "group = [{ id = \"web\", machine = { cpu = \"4\" } }]\n";
    return read_scenario(config::Source{"scenario.toml", group + toml}, "/scenarios",
                         shipped.plugins())
        .diagnostics;
}

/// Each text, and what an error says about it; empty: there is no error.
void expect_mistakes(const std::vector<std::pair<std::string, std::string>>& cases) {
    for (const auto& [toml, mistake] : cases) {
        const config::Diagnostics found = mistakes_in(toml);
        EXPECT_EQ(found.errors() > 0, !mistake.empty()) << toml << found.text();
        EXPECT_THAT(found.text(), HasSubstr(mistake)) << toml;
    }
}

TEST(ScenarioFaults, TakeOnlyTheKeysOfTheirKind) {
    const auto fault = [](const std::string& keys) { return "[[fault]]\n" + keys + "\n"; };
    expect_mistakes({
        {fault("kind = \"stock_out\"\ngroup = \"web\""), ""},
        {fault("kind = \"restart\"\ngroup = \"web\""), "fault: this kind takes no 'group'"},
        {fault("kind = \"silent\"\ncloud = \"simulated\""), ""},
        {fault("kind = \"stock_out\"\ncloud = \"east\""), "fault: this kind takes no 'cloud'"},
        {fault("kind = \"silent\"\nplugin = \"random\""), "fault: this kind takes no 'plugin'"},
        {fault("kind = \"clock_jump\"\nlasts = \"-5m\""), ""},
        {fault("kind = \"stock_out\"\nlasts = \"-5m\""),
         "fault: 'lasts' may be negative only for clock_jump"},
        {fault("kind = \"memory_limit\"\nroom = 0"), ""},
        {fault("kind = \"restart\"\nroom = 0"), "fault: only memory_limit takes 'room'"},
        {fault("kind = \"interruption\"\ndraw = \"8f3a0c12\""), ""},
        {fault("kind = \"interruption\"\ndraw = \"xyz\""),
         "fault: 'draw' must be a hexadecimal number such as \"8f3a0c12\", not \"xyz\""},
    });
}

TEST(ScenarioBudgets, NeedANameAndOneBound) {
    const auto budget = [](const std::string& keys) { return "[[budget]]\n" + keys + "\n"; };
    expect_mistakes({
        {budget("name = \"web\"\nmin_available = 0"), ""},
        {budget("name = \"web\"\nmax_unavailable = \"100%\""), ""},
        {budget("min_available = 1"), "budget: 'name' is missing"},
        {budget("name = \"web\""), "budget: needs either 'min_available' or 'max_unavailable'"},
        {budget("name = \"web\"\nmin_available = 1\nmax_unavailable = 1"),
         "budget: needs either 'min_available' or 'max_unavailable'"},
        {budget("name = \"web\"\nmax_unavailable = \"half\""),
         "budget: 'max_unavailable' must be a number of pods or a percentage from \"0%\" to "
         "\"100%\", not \"half\""},
    });
}

TEST(ScenarioSteps, MayEndAtACommandWithinATime) {
    const auto step = [](const std::string& keys) { return "[[step]]\n" + keys + "\n"; };
    expect_mistakes({
        {step("until = \"command\"\nwithin = \"5m\""), ""},
        {step("until = \"increase web\"\nwithin = \"5m\""), ""},
        {step("until = \"idle\"\nwithin = \"5m\""), "step: 'within' needs 'until' with a command"},
        {step("advance = \"5m\"\nwithin = \"5m\""), "step: 'within' needs 'until' with a command"},
        {step("until = \"incraese web\""),
         "step.until: expects \"idle\", \"command\", or a command such as \"increase web by 2\""},
    });
}

TEST(ScenarioBalancers, NeedANameAndTwoTargets) {
    expect_mistakes({
        {"[[balancer]]\ntargets = [\"a\", \"b\"]\n", "balancer: 'name' is missing"},
        {"[[balancer]]\nname = \"web\"\ntargets = [\"a\"]\n",
         "balancer: 'targets' needs at least two batches"},
        {"[[balancer]]\nname = \"web\"\n", "balancer: 'targets' needs at least two batches"},
    });
}

}  // namespace
}  // namespace capstan::simulator
