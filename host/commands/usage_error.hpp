/// What is wrong with a command line.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace capstan::commands {

/// A sentence for a line that `app` did not parse, the name that was probably meant, and where the
/// help is. `error` is what the parse threw, and is not a request for help.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace capstan::commands
