/// Checks of options that say in a sentence what they take.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include <capstan/testing/setting_value.hpp>

#include "runtime/config/document.hpp"

namespace capstan::commands {

/// A whole number from 1 on.
CLI::Validator at_least_one();
/// One of these words, as written.
CLI::Validator one_of(std::vector<std::string> words);

// Settings of a file as the testing kit takes them.

/// `value` is a table.
testing::Value::Table to_table(const runtime::config::TomlValue& value);

}  // namespace capstan::commands
