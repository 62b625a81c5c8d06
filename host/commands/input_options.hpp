/// The inputs of `simulate` and `explain`: the options that name them, and the type of a file.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option_group;
}  // namespace CLI

namespace capstan::commands {

/// Options as they were given. Exactly one input is set: `file`, `scenario`, `cluster` or `trace`,
/// or one that the command adds.
struct InputOptions {
    std::string file{};              ///< see `recognize_file`
    std::string scenario{};          ///< a TOML file
    std::string cluster{};           ///< a dump of a cluster; "-": standard input
    std::string trace{};             ///< a folder with a production trace
    std::string config{};            ///< empty: the scenario's own configuration, or the defaults
    std::vector<std::string> set{};  ///< KEY=VALUE that override the configuration
};

/// Adds the options that all these commands have; `input` is filled when the line is parsed, and
/// has to outlive `command`. The command adds its other inputs to the returned group, of which one
/// is required.
CLI::Option_group& add_input_options(CLI::App& command, InputOptions& input);

/// Recognizes a file by its beginning: "-", gzip, JSON and YAML objects are dumps; JSON that begins
/// with "version" is a recorded pass; everything else is a scenario. A file that cannot be read
/// counts as a scenario, and reading that reports the error.
enum class InputFile { scenario, dump, recorded_pass };
InputFile recognize_file(const std::string& file);

}  // namespace capstan::commands
