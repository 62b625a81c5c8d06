/// Whether new nodes are balanced over similar groups. Balancing needs similarity checks, which a
/// file may leave out when it names other parts of the pipeline.
#pragma once

#include <optional>
#include <string>

#include "runtime/config/configuration.hpp"

namespace capstan::runtime::config {

/// Sets the defaults of balancing in `tree`. The default similarity checks are only for a file
/// without [pipeline.scale_up]; a file with this section has the checks that it names. Without
/// checks, scale_up.balance_similar is off unless the file sets it. `root` is the file that `tree`
/// was made of.
void apply_balancing_defaults(SettingValue& tree, const TomlValue& root);

/// Reports an error if the file sets scale_up.balance_similar to true and there are no checks.
void check_balancing(const Config& config, Diagnostics& diagnostics);

/// The message about a configuration that balances nothing and does not say so.
struct Unbalanced {
    Place place{};  ///< of [pipeline.scale_up]
    std::string found{}, fix{};
};
/// Absent: the configuration balances, or the file sets scale_up.balance_similar.
std::optional<Unbalanced> find_unbalanced(const Config& config);

}  // namespace capstan::runtime::config
