/// What the controller can be told.
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
    StepLimit easing{};
    Duration fallback_hold{};
};

Schema config_schema();
Config read_config(const Settings& settings);
void check_config(const Settings& settings);

/// "5", "20%"; empty: no easing.
Result<StepLimit> parse_easing(std::string_view text);

}  // namespace capstan::replicas
