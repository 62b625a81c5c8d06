#include "commands/examples.hpp"

#include <array>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace capstan::commands {
namespace {

constexpr std::string_view usual_exits = "0 success, 1 failure, 2 usage or configuration error";

struct CommandEnd {
    std::string_view command;
    std::array<std::string_view, 3> lines;  ///< empty: none
    std::string_view exits = usual_exits;
};

constexpr CommandEnd ends[] = {
    {"run",
     {"run --config capstan.toml --state /var/lib/capstan",
      "run --config capstan.toml --dry-run  # changes nothing"},
     "0 stopped by a signal, 1 failure, 2 usage or configuration error, 4 stopped by the watchdog "
     "(stuck plugin or thread, or memory use): restart Capstan"},
    {"plan",
     {"plan --config capstan.toml", "plan --config capstan.toml -o json",
      "plan -f dump.json --config capstan.toml"},
     "0 nothing to do, 1 failure, 2 usage or configuration error, 3 actions are planned"},
    {"doctor",
     {"doctor --config capstan.toml"},
     "0 nothing is missing, 1 something is missing, 2 usage error"},
    {"simulate",
     {"simulate scenario.toml", "simulate dump.json --config capstan.toml --until 2h",
      "simulate scenario.toml --chaos --seeds 100"},
     "0 success, 1 failure or unmet expectations, 2 usage or configuration error, 3 decisions "
     "repeat without progress"},
    {"cluster",
     {"cluster scenario.toml --run", "cluster scenario.toml --speed 10 --once"},
     "0 success, 1 failure or unmet expectations, 2 usage or configuration error"},
    {"dump", {"dump dump.json"}},
    {"explain",
     {"explain pod web-1 -n shop -f dump.json", "explain deployment/web -n shop --live -c FILE",
      "explain matrix --server http://127.0.0.1:8085"}},
    {"replay",
     {"replay records/pass-000007-20260301T120000.json",
      "replay records/pass-000007-20260301T120000.json --set scale_down.enabled=false"},
     "0 same decision, 1 different decision or failure, 2 usage or configuration error"},
    {"pipeline", {"pipeline --config capstan.toml"}},
    {"crd print", {"crd print"}},
    {"crd install", {"crd install --context staging"}},
    {"config check",
     {"config check --config capstan.toml"},
     "0 valid, 2 usage or configuration error"},
    {"config print", {"config print", "config print --config capstan.toml"}},
    {"config explain",
     {"config explain scale_down.unneeded_time", "config explain --scale-down-unneeded-time"}},
    {"config schema", {"config schema --config capstan.toml"}},
    {"plugin list", {"plugin list --config capstan.toml"}},
    {"plugin inspect", {"plugin inspect --run vendor.so"}},
    {"plugin verify",
     {"plugin verify vendor.so",
      "plugin verify vendor.so#CLASS --settings vendor.toml --http recording.http"},
     "0 passed, 1 failed, 2 usage or configuration error, 3 passed, but some classes were not "
     "checked"},
    {"plugin call",
     {"plugin call vendor.so --kind expander < request.json",
      "plugin call cloud.so --kind cloud --settings cloud.toml --http recording.http",
      "plugin call cloud.so --kind cloud --settings cloud.toml --live --secrets DIR --increase "
      "web=1"}},
    {"plugin new",
     {"plugin new mine --kind expander --lang cpp", "plugin new mine_cloud --kind cloud",
      "plugin new mine_cloud --kind cloud --template memory"}},
    {"version", {"version -o json"}},
};

/// The command's path below `app`: "config print". `app` itself has the empty path.
std::string name_below(const CLI::App& app, const CLI::App& command) {
    if (&command == &app) return "";
    const std::string above = name_below(app, *command.get_parent());
    return above.empty() ? command.get_name() : above + " " + command.get_name();
}

/// What the command's own footer says, then examples and exit codes.
std::string footer_of(const CLI::App& command, const CommandEnd& end) {
    const std::string own = command.get_footer();
    std::string out = (own.empty() ? "" : "\n" + own + "\n") + "\nExamples:\n";
    for (const std::string_view line : end.lines)
        if (!line.empty()) out += "  capstan " + std::string(line) + "\n";
    return out + "\nExit codes: " + std::string(end.exits) + "\n";
}

void add_below(CLI::App& app, CLI::App& command) {
    for (const CommandEnd& end : ends)
        if (name_below(app, command) == end.command) command.footer(footer_of(command, end));
    for (CLI::App* each : command.get_subcommands([](CLI::App*) { return true; }))
        if (!each->get_name().empty()) add_below(app, *each);
}

}  // namespace

void add_examples(CLI::App& app) { add_below(app, app); }

std::vector<std::string> example_lines() {
    std::vector<std::string> out;
    for (const CommandEnd& end : ends)
        for (const std::string_view line : end.lines)
            if (!line.empty()) out.push_back("capstan " + std::string(line));
    return out;
}

}  // namespace capstan::commands
