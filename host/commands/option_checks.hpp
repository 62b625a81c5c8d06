/// Validators of options, whose errors say in a sentence what the option takes.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace capstan::commands {

/// Accepts integers from 1 on.
CLI::Validator at_least_one();
/// Accepts one of these words; case matters.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace capstan::commands
