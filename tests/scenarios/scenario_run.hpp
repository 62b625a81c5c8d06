/// A scenario that tests run in their own process, with the shipped plugins.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../host/commands/shell.hpp"
#include "autoscaler/offline/prepare.hpp"
#include "simulator/chaos/shortest_break.hpp"
#include "simulator/chaos/trial.hpp"
#include "simulator/observers.hpp"
#include "simulator/scenario.hpp"

namespace capstan::simulator {

class ScenarioUnderTest {
public:
    /// A file of tests/scenarios, without ".toml", or text.
    explicit ScenarioUnderTest(const std::string& name,
                               const std::vector<std::string>& settings = {})
        : ScenarioUnderTest(
              read_scenario("tests/scenarios/" + name + ".toml", shipped(), settings)) {}
    explicit ScenarioUnderTest(config::Source source)
        : ScenarioUnderTest(read_scenario(std::move(source), "tests/scenarios", shipped())) {}

    Setup setup(Sabotage sabotage = Sabotage::none) const {
        return {.config = *prepared_->config,
                .plugins = prepared_->plugins,
                .version = "test",
                .sabotage = sabotage};
    }
    Result<Report> run() const {
        Observers none;
        return simulator::run(input, setup(), none);
    }

    Input input{};
    config::TomlValue sections{};
    std::vector<SharedReplicas> balancers{};

private:
    static config::ShippedPlugins shipped() {
        return config::ShippedPlugins(commands::build_tree() / "lib/capstan/plugins");
    }
    explicit ScenarioUnderTest(Scenario scenario)
        : sections(scenario.sections), balancers(scenario.balancers) {
        EXPECT_EQ(scenario.diagnostics.text(), "");
        if (scenario.input) input = *std::move(scenario.input);
        prepared_ = autoscaler::offline::prepare({std::move(scenario.config), scenario.diagnostics},
                                                 input.clouds, shipped());
        EXPECT_TRUE(prepared_->is_sound) << prepared_->complaints;
    }

    std::unique_ptr<autoscaler::offline::PreparedSetup> prepared_;
};

}  // namespace capstan::simulator
