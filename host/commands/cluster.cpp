#include <csignal>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <capstan/duration.hpp>

#include "commands/cluster_run.hpp"
#include "commands/command_line.hpp"

namespace capstan::commands {
namespace {

struct ClusterArguments {
    SimulateInput input;
    ClusterOptions options;
    std::string folder;
    std::string lasts;
    std::shared_ptr<OutputFormat> format;
};

int run_cluster_command(ClusterArguments& arguments, Streams streams) {
    // A closed connection is then an error of one request instead of the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    if (!arguments.lasts.empty()) {
        const Result<Duration> lasts = parse_duration(arguments.lasts);
        if (!lasts || *lasts <= Duration(0))
            return refuse(streams, "--for: expected a duration such as \"60s\"", exit_usage);
        arguments.options.lasts = *lasts;
    }
    const std::optional<Simulation> simulation = make_simulation(arguments.input, streams.err);
    if (!simulation) return exit_usage;
    const Result<ClusterFolder> folder = ClusterFolder::make(arguments.folder);
    if (!folder) return refuse(streams, folder.error().message, exit_failed);
    ClusterReport report(streams.out, *arguments.format);
    const Result<void> ended = run_cluster(*simulation, arguments.options, *folder, report);
    return ended ? exit_ok : refuse(streams, ended.error().message, exit_failed);
}

void add_server_options(CLI::App& command, ClusterArguments& arguments) {
    command
        .add_option("--address", arguments.options.address,
                    "Where the API server listens; anybody who can connect is its administrator")
        ->type_name("ADDRESS")
        ->capture_default_str();
    command.add_option("--port", arguments.options.port, "Its port; 0: any free one")
        ->type_name("PORT")
        ->capture_default_str();
    command
        .add_option("--dir", arguments.folder,
                    "Where kubeconfig and capstan.toml are written; else a temporary folder")
        ->type_name("DIR");
}

void add_story_options(CLI::App& command, ClusterArguments& arguments) {
    command
        .add_option("--speed", arguments.options.speed,
                    "Times of the scenario and of the autoscaler are divided by it")
        ->check(CLI::Range(0.1, 1000.0))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--run", arguments.options.runs_daemon, "Starts `capstan run` beside it");
    command.add_flag(
        "--wait", arguments.options.waits,
        "Begins with the first step when an autoscaler holds the Lease, as with --run");
    command.add_flag("--once", arguments.options.once,
                     "Ends with the last step; exits 1 if the cluster is not as expected then");
    command.add_option("--for", arguments.lasts, "Ends after so much real time")
        ->type_name("DURATION");
}

}  // namespace

void add_cluster(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "cluster", "Run a scenario as a live cluster on loopback, for kubectl and `capstan run`");
    auto arguments = std::make_shared<ClusterArguments>();
    command.add_option("scenario", arguments->input.scenario, "A scenario")
        ->required()
        ->type_name("SCENARIO.toml");
    command
        .add_option("-c,--config", arguments->input.config,
                    "The configuration, in place of what the scenario says of one")
        ->type_name("FILE");
    command
        .add_option("--set", arguments->input.set,
                    "A value in place of what the configuration or the scenario says")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_server_options(command, *arguments);
    add_story_options(command, *arguments);
    arguments->format = add_output_format(command);
    command.callback([&action, arguments] {
        action = [arguments](Streams streams) { return run_cluster_command(*arguments, streams); };
    });
}

}  // namespace capstan::commands
