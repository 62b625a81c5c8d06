/// A scenario in TOML, read but not run: no plugin is loaded.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "../../runtime/config/shipped_folder.hpp"
#include "simulation/scenario.hpp"

namespace capstan::simulation::live {

inline Input input_of(const std::string& toml) {
    const runtime::config::ShippedFolder shipped({"expanders/least_waste.so", "expanders/random.so",
                                                  "similarity/resources.so", "similarity/labels.so",
                                                  "balancer/node_groups.so", "simulated.so"});
    Scenario scenario = read_scenario(runtime::config::Source{"scenario.toml", toml}, "/scenarios",
                                      shipped.plugins());
    EXPECT_TRUE(scenario.input) << scenario.diagnostics.text();
    return scenario.input ? *std::move(scenario.input) : Input{};
}

}  // namespace capstan::simulation::live
