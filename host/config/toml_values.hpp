/// Reading and changing TOML values.
#pragma once

#include <string>
#include <string_view>

#include "config/document.hpp"

namespace capstan::config {

/// The text at `key` of a table; empty: the key is absent, or its value is not a text.
std::string text_of(const TomlValue& table, std::string_view key);
TomlValue text_value(std::string key, std::string text, Place place = {});
/// The list at `key` of a table; it is made if the key is absent.
TomlValue& list_of(TomlValue& table, std::string_view key, Place place = {});
void erase(TomlValue& table, std::string_view key);
/// Adds a value to the table under the value's key, or replaces the value there. A table is merged
/// into the table there, so that a change names only what is new.
void put(TomlValue value, TomlValue& table);

}  // namespace capstan::config
