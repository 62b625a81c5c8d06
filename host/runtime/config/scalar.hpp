/// One value of the file as what its field says it is.
#pragma once

#include <string>

#include <capstan/result.hpp>

#include "runtime/config/document.hpp"
#include "runtime/config/schema.hpp"
#include "runtime/config/validated_settings.hpp"

namespace capstan::runtime::config {

/// Longer regular expressions are refused: compiling one takes stack and memory by its length.
inline constexpr std::size_t regex_bytes_max = 1024;

/// Reads a value that is neither list, map nor table. The error tells what was expected and what
/// was found.
Result<SettingValue> read_scalar(const TomlValue& from, const Field& field);

/// True for a wrong value that must not be shown: in a secret's place, or a URL that may have a
/// password in it. No message of read_scalar repeats it.
bool may_be_secret(const TomlValue& from, const Field& field);

/// What was found, for messages: `string "many"`, `integer 10`, `a table`.
std::string describe(const TomlValue& value);

}  // namespace capstan::runtime::config
