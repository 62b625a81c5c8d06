#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>

#include <capstan/duration.hpp>

#include "commands/external_command.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "simulator/chaos/trial.hpp"
#include "simulator/observers.hpp"
#include "simulator/program/simulate_chaos.hpp"
#include "simulator/program/simulate_input.hpp"
#include "simulator/program/simulate_report.hpp"
#include "simulator/program/simulator_program.hpp"
#include "simulator/run.hpp"
#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator::program {
namespace {

struct SimulateArguments {
    SimulateInput input;
    std::string until;
    std::optional<std::uint64_t> seed;
    bool every_pass = false;
    std::string state;
    SimulateFiles::Paths files;
    bool chaos = false;
    int seeds = 1;
    std::optional<int> minutes;
    int jobs = 1;
    std::string breaks = ".";
    commands::OutputFormat format{};
};

/// Prints events as they happen, and on a terminal the progress.
class SimulationPrinter final : public simulator::Observer {
public:
    SimulationPrinter(commands::Streams streams, bool tells, const simulator::Input& input)
        : streams_(streams),
          tells_(tells),
          detail_(detail_for(input)),
          start_(input.real_start()),
          bar_(streams.err, ::isatty(STDERR_FILENO) == 1) {}

    void on_event(const simulator::Event& event) override {
        if (!tells_ || !is_shown(event, detail_)) return;
        bar_.clear();
        print_event(streams_.out, event, start_);
    }
    void on_progress(const simulator::Progress& progress) override { bar_.show(progress); }
    void finish() { bar_.clear(); }

private:
    commands::Streams streams_;
    bool tells_;
    Detail detail_;
    std::optional<Time> start_;
    ProgressBar bar_;
};

/// "capstan simulate web.toml --chaos --set 'scale_down.enabled=true'"
std::string command_to_repeat(const SimulateArguments& arguments) {
    const auto quoted_word = [](const std::string& word) {
        const bool is_plain =
            word.find_first_of(" \t\n'\"\\$&|;<>()*?[]{}#!`~") == std::string::npos;
        return is_plain && !word.empty() ? word : "'" + word + "'";
    };
    std::string out = "capstan simulate " + quoted_word(arguments.input.scenario) + " --chaos";
    if (!arguments.input.config.empty()) out += " --config " + quoted_word(arguments.input.config);
    for (const std::string& set : arguments.input.set) out += " --set " + quoted_word(set);
    if (arguments.every_pass) out += " --every-pass";
    return out;
}

int run_simulated_chaos(const SimulateArguments& arguments, commands::Streams streams) {
    if (arguments.input.scenario.empty())
        return commands::refuse(streams, "--chaos requires a scenario", commands::exit_usage);
    const std::optional<Simulation> simulation = make_simulation(arguments.input, streams.err);
    if (!simulation) return commands::exit_usage;
    if (simulator::simulated_clouds(simulation->input, simulation->prepared->plugins).empty())
        return commands::refuse(streams, "--chaos: the scenario has no simulated cloud",
                                commands::exit_usage);
    std::optional<std::chrono::minutes> time;
    if (arguments.minutes) time.emplace(*arguments.minutes);
    return run_chaos(*simulation,
                     {.first_seed = arguments.seed.value_or(simulation->input.seed),
                      .seeds = arguments.seeds,
                      .time = time,
                      .jobs = arguments.jobs,
                      .every_pass = arguments.every_pass,
                      .breaks = arguments.breaks,
                      .format = arguments.format,
                      .repeat = command_to_repeat(arguments)},
                     streams);
}

/// Sets the input option that fits the file. The error: the file is a recorded pass.
Result<void> take_file(SimulateInput& input) {
    if (input.file.empty()) return {};
    switch (commands::recognize_file(input.file)) {
        case commands::InputFile::scenario: input.scenario = input.file; return {};
        case commands::InputFile::dump: input.cluster = input.file; return {};
        case commands::InputFile::recorded_pass: break;
    }
    return fail(ErrorCode::invalid_argument,
                input.file + ": is a recorded pass; use `capstan replay " + input.file + "`");
}

int run_simulate(SimulateArguments arguments, commands::Streams streams) {
    if (const auto taken = take_file(arguments.input); !taken)
        return commands::refuse(streams, taken.error().message, commands::exit_usage);
    if (arguments.chaos) return run_simulated_chaos(arguments, streams);
    std::optional<Duration> until;
    if (!arguments.until.empty()) {
        const Result<Duration> parsed = parse_duration(arguments.until);
        if (!parsed || *parsed <= Duration(0))
            return commands::refuse(streams, "--until: expected a duration such as \"2h\"",
                                    commands::exit_usage);
        until = *parsed;
    }
    std::optional<Simulation> simulation = make_simulation(arguments.input, streams.err);
    if (!simulation) return commands::exit_usage;
    if (arguments.seed) simulation->input.seed = *arguments.seed;

    Result<SimulateFiles> files = SimulateFiles::make(arguments.files, *simulation);
    if (!files) return commands::refuse(streams, files.error().message, commands::exit_usage);

    const bool tells = arguments.format == commands::OutputFormat::text;
    if (tells) print_title(streams.out, simulation->input, until);
    SimulationPrinter printer(streams, tells, simulation->input);
    simulator::Observers observers;
    observers.add(printer);
    files->add_to(observers);
    const simulator::Setup setup{.config = simulation->prepared->sound_config(),
                                 .plugins = simulation->prepared->plugins,
                                 .version = CAPSTAN_VERSION,
                                 .until = until,
                                 .every_pass = arguments.every_pass,
                                 .state = arguments.state};
    const auto report = simulation->input.judge.calm
                            ? simulator::chaos::run_judged(simulation->input, setup, observers)
                            : simulator::run(simulation->input, setup, observers);
    printer.finish();
    if (!report) {
        const bool is_bad_input = report.error().code == ErrorCode::invalid_config;
        return commands::refuse(streams, report.error().message,
                                is_bad_input ? commands::exit_usage : commands::exit_failed);
    }
    if (tells) {
        print_summary(streams.out, *report);
    } else {
        commands::print_value(streams, arguments.format, report_json(*report));
    }
    if (const auto written = files->write(*report, simulation->input); !written)
        return commands::refuse(streams, written.error().message, commands::exit_failed);
    if (!report->unmet.empty()) return commands::exit_failed;
    return report->end == simulator::RunEnd::repetition ? commands::exit_repeats
                                                        : commands::exit_ok;
}

void add_chaos(CLI::App& command, SimulateArguments& arguments) {
    CLI::Option& chaos = *command.add_flag("--chaos", arguments.chaos,
                                           "Inject random faults and check each pass against "
                                           "invariants; with a single seed, print the events");
    for (const char* other :
         {"--cluster", "--trace", "--until", "--state", "--report", "--metrics", "--record"})
        chaos.excludes(command.get_option(other));
    CLI::Option& seeds = *commands::add_option(command, "--seeds", arguments.seeds, "N",
                                               "With --chaos: number of seeds, from --seed on "
                                               "(default: 1)")
                              ->check(commands::at_least_one())
                              ->needs(&chaos);
    commands::add_option(command, "--minutes", arguments.minutes, "N",
                         "With --chaos: run seeds, from --seed on, for this long in real time")
        ->check(commands::at_least_one())
        ->needs(&chaos)
        ->excludes(&seeds);
    commands::add_option(
        command, "--jobs", arguments.jobs, "N",
        "With --chaos: number of seeds that run at the same time (no effect on the "
        "result; default: 1)")
        ->check(commands::at_least_one())
        ->needs(&chaos);
    commands::add_option(
        command, "--breaks", arguments.breaks, "DIR",
        "With --chaos: folder for the scenario file of each violation, reduced to the "
        "events that cause it; '': write none (default: the current folder)")
        ->needs(&chaos);
}

}  // namespace

void add_simulate(CLI::App& parent, commands::Action& action) {
    const auto [command, arguments] =
        commands::add_command(parent, action, commands::simulate_command.name,
                              commands::simulate_command.description, run_simulate);
    add_simulate_input(command, arguments.input);
    commands::add_option(
        command, "--until", arguments.until, "DURATION",
        "Stop after this much virtual time (default: when nothing happens any more "
        "or decisions repeat; for a dump at most 24h)");
    commands::add_option(command, "--seed", arguments.seed, "N",
                         "Seed of random choices; overrides the scenario's seed");
    command.add_flag("--every-pass", arguments.every_pass,
                     "Do not skip passes without changes (slower, same result)");
    commands::add_option(
        command, "--state", arguments.state, "FILE",
        "Load the data that survives a restart from this file if it exists; save it "
        "there after each pass");
    commands::add_option(command, "--report", arguments.files.report, "FILE.html",
                         "Write the run as an HTML page: groups over time, decisions with reasons");
    commands::add_option(
        command, "--metrics", arguments.files.metrics, "FILE",
        "Write the metrics at the end of the run, in Prometheus text format; durations "
        "are virtual time");
    commands::add_option(command, "--record", arguments.files.record, "DIR", commands::record_help);
    add_chaos(command, arguments);
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::simulator::program
