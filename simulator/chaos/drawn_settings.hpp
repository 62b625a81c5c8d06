/// Settings of the autoscaler that a chaos run draws, at the start and for reloads.
#pragma once

#include <string>
#include <vector>

#include "config/configuration.hpp"
#include "simulator/chaos/dice.hpp"
#include "simulator/external_events.hpp"

namespace capstan::simulator::chaos {

/// A setting, and the values that it may get.
struct DrawnSetting {
    const char* key;  ///< "scale_down.unneeded_time"
    std::vector<const char*> values;
};

/// All settings that may be drawn. Their values are those with which an operator expects the
/// invariants to hold: nothing is switched off, and no time is longer than the invariants' patience
/// or shorter than the delays of the faults.
const std::vector<DrawnSetting>& drawn_settings();

/// Sets values such as "scale_down.unneeded_time=1m" of settings that may be drawn.
void set_values(const std::vector<std::string>& assignments, Reload& settings);

/// The settings of `config` before anything is drawn.
Reload settings_of(const config::Config& config);

/// Draws some values, and sets them in `settings` on top of those that it has. The text of
/// `settings` names them: "scale_down.unneeded_time=1m, scale_up.force_ds=true".
void draw_settings(Dice& dice, Reload& settings);

/// A scan interval; mostly the given one.
Duration draw_scan_interval(Dice& dice, Duration usual);

}  // namespace capstan::simulator::chaos
