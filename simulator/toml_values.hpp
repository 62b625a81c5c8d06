/// Reading and changing TOML values, for the scenario reader and CloudControl.
#pragma once

#include <string>
#include <string_view>

#include "config/document.hpp"

namespace capstan::simulator {

/// The text at `key` of a table; empty: the key is absent, or its value is not a text.
std::string text_of(const config::TomlValue& table, std::string_view key);
config::TomlValue text_value(std::string key, std::string text, config::Place place = {});
/// The list at `key` of a table; it is made if the key is absent.
config::TomlValue& list_of(config::TomlValue& table, std::string_view key,
                           config::Place place = {});
void erase(config::TomlValue& table, std::string_view key);
/// Adds a value to the table under the value's key, or replaces the value there. A table is merged
/// into the table there, so that a change names only what is new.
void put(config::TomlValue value, config::TomlValue& table);

}  // namespace capstan::simulator
