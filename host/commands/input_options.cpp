#include "commands/input_options.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "commands/options.hpp"

namespace capstan::commands {

CLI::Option_group& add_input_options(CLI::App& command, InputOptions& input) {
    CLI::Option_group& kinds = *command.add_option_group("input", "Input");
    kinds.require_option(1);
    add_option(kinds, "--cluster", input.cluster, "DUMP.json",
               "Cluster dump by capstan dump, kubectl get ... -o json or upstream's "
               "/snapshotz; may be gzipped; -: standard input");
    add_option(
        kinds, "--trace", input.trace, "DIR",
        "Folder with a production trace: a CSV file of nodes and one of pods; may be gzipped");
    add_option(command, "-c,--config", input.config, "FILE", scenario_config_help);
    add_overrides(command, input.set);
    return kinds;
}

namespace {

/// The first bytes of a file, enough to recognize it. Empty if the file cannot be read.
std::string beginning_of(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return {};
    std::ifstream in(file, std::ios::binary);
    std::string out(256, '\0');
    in.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(in.gcount()));
    return out;
}

}  // namespace

InputFile recognize_file(const std::string& file) {
    if (file == "-") return InputFile::dump;
    const std::string begins = beginning_of(file);
    constexpr std::string_view gzip = "\x1f\x8b";
    if (begins.starts_with(gzip)) return InputFile::dump;
    const std::size_t first = begins.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return InputFile::scenario;
    const std::string_view text = std::string_view(begins).substr(first);
    if (text.starts_with("{\"version\"")) return InputFile::recorded_pass;
    const bool is_object = text.starts_with('{') || text.starts_with("apiVersion:");
    return is_object ? InputFile::dump : InputFile::scenario;
}

}  // namespace capstan::commands
