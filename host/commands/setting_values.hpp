/// Settings of a file as the testing kit takes them.
#pragma once

#include <capstan/testing/setting_value.hpp>

#include "runtime/config/document.hpp"

namespace capstan::commands {

/// `value` is a table.
testing::Value::Table to_table(const runtime::config::TomlValue& value);

}  // namespace capstan::commands
