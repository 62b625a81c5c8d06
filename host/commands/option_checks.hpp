/// Validators of options, whose errors say in a sentence what the option takes.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include <capstan/testing/setting_value.hpp>

#include "runtime/config/document.hpp"

namespace capstan::commands {

/// Accepts whole numbers from 1 on.
CLI::Validator at_least_one();
/// Accepts one of these words; case matters.
CLI::Validator one_of(std::vector<std::string> words);

// Settings of a file, converted for the SDK's testing kit.

/// The members of `value`, which is a table.
testing::Value::Table to_table(const runtime::config::TomlValue& value);

}  // namespace capstan::commands
