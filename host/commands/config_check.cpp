#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/output_format.hpp"
#include "commands/prepared.hpp"
#include "runtime/config/balancing.hpp"
#include "runtime/named_machine_types.hpp"

namespace capstan::commands {
namespace {

namespace json = boost::json;

std::string count_of(std::size_t n, const std::string& noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

json::array findings_of(const runtime::Diagnostics& diagnostics) {
    json::array out;
    for (const runtime::Diagnostic& d : diagnostics.sorted()) {
        out.push_back(
            json::object{{"severity", d.severity == runtime::Severity::error ? "error" : "warning"},
                         {"line", d.place.line},
                         {"column", d.place.column},
                         {"message", d.message}});
    }
    return out;
}

void print_text(const std::string& file, const Prepared& prepared, Streams streams) {
    const runtime::Diagnostics& diagnostics = prepared.loaded.diagnostics;
    streams.err << diagnostics.text();
    if (prepared.is_sound()) {
        streams.out << file << ": ok, " << count_of(prepared.plugins.size(), "plugin")
                    << " loaded\n";
    } else {
        streams.err << file << ": " << count_of(diagnostics.errors(), "error") << '\n';
    }
}

void warn_if_unbalanced(runtime::Loaded& loaded) {
    if (!loaded.config) return;
    if (const auto unbalanced = runtime::find_unbalanced(*loaded.config))
        loaded.diagnostics.warning(unbalanced->place, unbalanced->found + "; " + unbalanced->fix);
}

void warn_of_machine_types(Prepared& prepared) {
    if (!prepared.is_sound()) return;
    for (const auto& doubt : runtime::find_machine_type_doubts(prepared.config(), prepared.plugins))
        prepared.loaded.diagnostics.warning(doubt.place, doubt.found);
}

int check(const std::string& file, OutputFormat format, Streams streams) {
    const auto prepared = prepare(file);
    warn_if_unbalanced(prepared->loaded);
    warn_of_machine_types(*prepared);
    if (format != OutputFormat::text) {
        const json::object out{{"file", file},
                               {"ok", prepared->is_sound()},
                               {"plugins", prepared->plugins.size()},
                               {"findings", findings_of(prepared->loaded.diagnostics)}};
        print_value(streams, format, out);
    } else {
        print_text(file, *prepared, streams);
    }
    return prepared->is_sound() ? exit_ok : exit_usage;
}

}  // namespace

void add_config_check(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "check",
        "Read a configuration, load its plugins, and print everything that is wrong with either");
    auto file = add_config_file(command);
    auto format = add_output_format(command);
    command.callback([&action, file, format] {
        action = [file, format](Streams streams) { return check(*file, *format, streams); };
    });
}

}  // namespace capstan::commands
