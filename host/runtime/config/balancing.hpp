/// Whether new nodes are balanced over similar groups: that takes similarity checks, which a file
/// may leave out by naming only other parts of the pipeline.
#pragma once

#include <optional>
#include <string>

#include "runtime/config/configuration.hpp"

namespace capstan::runtime::config {

/// A [pipeline.scale_up] that is there has the checks that it names; the default is for files
/// without one. Where there are no checks, scale_up.balance_similar is off unless it is written.
/// `root` is what `tree` was made of.
void settle_balancing(SettingValue& tree, const TomlValue& root);

/// An error if scale_up.balance_similar is written as true and there are no checks.
void check_balancing(const Config& config, Diagnostics& diagnostics);

/// What to tell about a configuration that balances nothing and does not say so.
struct Unbalanced {
    Place place{};  ///< of [pipeline.scale_up]
    std::string found{}, fix{};
};
/// Nothing: it balances, or scale_up.balance_similar is written.
std::optional<Unbalanced> find_unbalanced(const Config& config);

}  // namespace capstan::runtime::config
