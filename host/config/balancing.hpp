/// Whether new nodes are balanced over similar groups. Balancing needs similarity checks, which a
/// file may turn off.
#pragma once

#include "config/configuration.hpp"

namespace capstan::config {

/// Turns scale_up.balance_similar off in `tree` if pipeline.scale_up.similarity is empty, unless
/// the file sets it.
void apply_balancing_defaults(SettingValue& tree);

/// Reports an error if the file sets scale_up.balance_similar to true and there are no checks.
void check_balancing(const Config& config, Diagnostics& diagnostics);

}  // namespace capstan::config
