/// Reads one value of the file as the type of its field.
#pragma once

#include <string>

#include <capstan/result.hpp>

#include "config/document.hpp"
#include "config/schema.hpp"
#include "config/validated_settings.hpp"

namespace capstan::config {

/// Reads a value that is neither list, map nor table, by the rules of capstan/setting_rules.hpp,
/// and compiles a regular expression. The error says what was expected and what was found.
Result<SettingValue> read_scalar(const TomlValue& from, const Field& field);

/// Whether a wrong value must not be shown: a value in the place of a secret, or a URL that may
/// have a password. No message of read_scalar quotes such a value.
bool may_be_secret(const TomlValue& from, const Field& field);

/// The value for messages about what was found: `string "many"`, `integer 10`, `a table`.
std::string describe(const TomlValue& value);

}  // namespace capstan::config
