/// Values as TOML text.
#pragma once

#include <string>

#include "runtime/config/document.hpp"
#include "runtime/config/settings.hpp"

namespace capstan::runtime {

/// On one line: `"10m"`, `[1, 2]`, `{ secret = "token" }`.
std::string to_toml(const TomlValue& value);
/// What was written, that is without the defaults; of a secret its name, which is all there is.
std::string to_toml(const SettingValue& value);
/// The shortest text that reads back as the same number, and as a float: `0.5`, `1.0`.
std::string toml_number(double number);

}  // namespace capstan::runtime
