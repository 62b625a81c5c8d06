/// Checks of options that say in a sentence what they take.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace capstan::commands {

/// A whole number from 1 on.
CLI::Validator at_least_one();
/// One of these words, as written.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace capstan::commands
