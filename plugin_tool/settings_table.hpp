/// Settings of a file, converted for the SDK's testing kit.
#pragma once

#include <capstan/testing/setting_value.hpp>

#include "config/document.hpp"

namespace capstan::plugin_tool {

/// The members of `value`, which is a table.
testing::Value::Table to_table(const config::TomlValue& value);

}  // namespace capstan::plugin_tool
