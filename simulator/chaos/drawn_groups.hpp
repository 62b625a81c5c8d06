/// Changes of a cloud's groups that a chaos run draws.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/document.hpp"
#include "simulator/external_events.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator::chaos {

/// The groups of the cloud and empty copies of them in turn, `total` groups in all; `{}` if the
/// cloud has no groups. The copies have no minimum and no changes of their own: web, web-copy-1.
std::optional<CloudEdit> multiplied_groups(const SimulatedCloud& cloud, int total);

/// A group whose new machines are of several types.
struct MachineMix {
    CloudChange change{};
    Registration registration{};
};
/// Adds a second type with `percent` of the cpu and memory of the group's machine, from 100 on.
/// Absent: the machine has several types already, or amounts that are not its capacity.
std::optional<MachineMix> make_mix(const config::TomlValue& group, int percent);

/// Each increase of the group fails from now on; with `is_long` the message has 4,000 bytes.
CloudChange refuse_increases(const std::string& group, std::string_view code, bool is_long);

}  // namespace capstan::simulator::chaos
