/// TOML values as a scenario's reader and the cloud's control put them together.
#pragma once

#include <string>
#include <string_view>

#include "runtime/config/document.hpp"

namespace capstan::simulation {

/// The text at `key` of a table; empty: it is not there, or no text.
std::string text_of(const runtime::config::TomlValue& table, std::string_view key);
runtime::config::TomlValue text_value(std::string key, std::string text,
                                      runtime::config::Place place = {});
/// The list at `key` of a table, made if there is none.
runtime::config::TomlValue& list_of(runtime::config::TomlValue& table, std::string_view key,
                                    runtime::config::Place place = {});
void erase(runtime::config::TomlValue& table, std::string_view key);
/// Puts a value with its key in place of the one the table has. Tables are merged, so that a change
/// names only what is new.
void put(runtime::config::TomlValue value, runtime::config::TomlValue& table);

}  // namespace capstan::simulation
