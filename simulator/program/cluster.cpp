#include <csignal>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <capstan/duration.hpp>

#include "commands/external_command.hpp"
#include "commands/option_texts.hpp"
#include "simulator/program/cluster_run.hpp"
#include "simulator/program/simulator_program.hpp"

namespace capstan::simulator::program {
namespace {

struct ClusterArguments {
    SimulateInput input;
    ClusterOptions options;
    std::string folder;
    std::string lasts;
    std::shared_ptr<commands::OutputFormat> format;
};

int run_cluster_command(ClusterArguments& arguments, commands::Streams streams) {
    // A closed connection is then an error of one request instead of the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    if (!arguments.lasts.empty()) {
        const Result<Duration> lasts = parse_duration(arguments.lasts);
        if (!lasts || *lasts <= Duration(0))
            return commands::refuse(streams, "--for: expected a duration such as \"60s\"",
                                    commands::exit_usage);
        arguments.options.lasts = *lasts;
    }
    const std::optional<Simulation> simulation =
        make_simulation(arguments.input, streams.err, RunsIn::real_time);
    if (!simulation) return commands::exit_usage;
    const Result<ClusterFolder> folder = ClusterFolder::make(arguments.folder);
    if (!folder) return commands::refuse(streams, folder.error().message, commands::exit_failed);
    ClusterReport report(streams.out, *arguments.format);
    const Result<void> ended = run_cluster(*simulation, arguments.options, *folder, report);
    return ended ? commands::exit_ok
                 : commands::refuse(streams, ended.error().message, commands::exit_failed);
}

void add_server_options(CLI::App& command, ClusterArguments& arguments) {
    command
        .add_option("--address", arguments.options.address,
                    "Address of the API server; anyone who can connect is an administrator")
        ->type_name("ADDRESS")
        ->capture_default_str();
    command
        .add_option("--port", arguments.options.port, "Port of the API server; 0: any free port")
        ->type_name("PORT")
        ->capture_default_str();
    command
        .add_option("--dir", arguments.folder,
                    "Folder for kubeconfig and capstan.toml (default: a temporary folder)")
        ->type_name("DIR");
}

void add_story_options(CLI::App& command, ClusterArguments& arguments) {
    command
        .add_option("--speed", arguments.options.speed,
                    "Divide the times of the scenario and of the autoscaler by this number")
        ->check(CLI::Range(0.1, 1000.0))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--run", arguments.options.runs_daemon,
                     "Start `capstan run` for this cluster; implies --wait");
    command.add_flag("--wait", arguments.options.waits,
                     "Start the scenario when an autoscaler holds the Lease");
    command.add_flag("--once", arguments.options.once,
                     "Exit after the last step; exit code 1 if an expectation is not met");
    command.add_option("--for", arguments.lasts, "Stop after this much real time")
        ->type_name("DURATION");
}

}  // namespace

void add_cluster(CLI::App& parent, commands::Action& action) {
    CLI::App& command = *parent.add_subcommand(commands::cluster_command.name,
                                               commands::cluster_command.description);
    auto arguments = std::make_shared<ClusterArguments>();
    command.add_option("scenario", arguments->input.scenario, "Scenario file")
        ->required()
        ->type_name("SCENARIO.toml");
    command.add_option("-c,--config", arguments->input.config, commands::scenario_config_help)
        ->type_name("FILE");
    command.add_option("--set", arguments->input.set, commands::set_help)
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_server_options(command, *arguments);
    add_story_options(command, *arguments);
    arguments->format = commands::add_output_format(command);
    command.callback([&action, arguments] {
        action = [arguments](commands::Streams streams) {
            return run_cluster_command(*arguments, streams);
        };
    });
}

}  // namespace capstan::simulator::program
