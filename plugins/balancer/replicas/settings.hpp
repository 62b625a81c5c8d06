/// The settings of the controller as values, and their schema.
#pragma once

#include <string>

#include <capstan/result.hpp>
#include <capstan/settings.hpp>

#include "shares.hpp"
#include "steps.hpp"

namespace capstan::replicas {

struct Config {
    std::string ns{};  ///< empty: all namespaces
    Rounding rounding = Rounding::least_error;
    Duration resync = std::chrono::seconds(30);
    Duration debounce = std::chrono::milliseconds(500);
    StepLimit step_limit{};  ///< `max_moved`
    Duration fallback_hold{};
};

Schema config_schema();
Config read_config(const Settings& settings);
void check_config(const Settings& settings);

/// Parses "5" and "20%"; the empty text gives no limit.
Result<StepLimit> parse_step_limit(std::string_view text);

}  // namespace capstan::replicas
