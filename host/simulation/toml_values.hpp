/// Reading and changing TOML values, for the scenario reader and CloudControl.
#pragma once

#include <string>
#include <string_view>

#include "runtime/config/document.hpp"

namespace capstan::simulation {

/// The text at `key` of a table; empty: the key is absent, or its value is not a text.
std::string text_of(const runtime::config::TomlValue& table, std::string_view key);
runtime::config::TomlValue text_value(std::string key, std::string text,
                                      runtime::config::Place place = {});
/// The list at `key` of a table; it is made if the key is absent.
runtime::config::TomlValue& list_of(runtime::config::TomlValue& table, std::string_view key,
                                    runtime::config::Place place = {});
void erase(runtime::config::TomlValue& table, std::string_view key);
/// Adds a value to the table under the value's key, or replaces the value there. A table is merged
/// into the table there, so that a change names only what is new.
void put(runtime::config::TomlValue value, runtime::config::TomlValue& table);

}  // namespace capstan::simulation
