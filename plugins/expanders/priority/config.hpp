/// What priority can be told: the tiers as a table, or as upstream's ConfigMap writes them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/settings.hpp>

#include "tiers.hpp"

namespace capstan::expanders {

/// A mistake and the setting it is in; with an index, that entry of it.
struct PriorityMistake {
    std::string key;
    std::optional<std::size_t> index;
    std::string why;
};

/// No tiers when neither setting is given: nothing is preferred. Tiers count only if there are no
/// mistakes.
struct PriorityConfig {
    Tiers tiers{};
    std::vector<PriorityMistake> mistakes{};
};

Schema priority_schema();
PriorityConfig read_priority(const Settings& settings);
void check_priority(const Settings& settings);

/// The tiers, or the first mistake.
Result<Tiers> tiers_of(PriorityConfig config);

}  // namespace capstan::expanders
