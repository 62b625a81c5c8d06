/// The preset of the shipped similarity check `labels` that suits a dump.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/configuration.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

/// "aws", "gce" or "azure": the cloud of most nodes, by providerID, or else by the labels that its
/// node pools have. Empty: another cloud, or none.
std::string_view find_label_preset(std::span<const engine::snapshot::NodeObject> nodes);

/// Sets the preset of each instance of `labels` that sets neither `preset` nor `only`, as if the
/// configuration said so. Returns one sentence about it; empty: nothing was set.
std::string set_label_preset(config::Config& config, std::string_view preset);

}  // namespace capstan::autoscaler::dump
