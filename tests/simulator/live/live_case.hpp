/// A scenario in TOML, read but not run: no plugin is loaded.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "../../host/config/shipped_folder.hpp"
#include "simulator/scenario.hpp"

namespace capstan::simulator::live {

inline Input input_of(const std::string& toml) {
    const config::ShippedFolder shipped({"expanders/least_waste.so", "expanders/random.so",
                                         "similarity/resources.so", "similarity/labels.so",
                                         "balancer/node_groups.so", "simulated.so"});
    Scenario scenario =
        read_scenario(config::Source{"scenario.toml", toml}, "/scenarios", shipped.plugins());
    EXPECT_TRUE(scenario.input) << scenario.diagnostics.text();
    return scenario.input ? *std::move(scenario.input) : Input{};
}

}  // namespace capstan::simulator::live
