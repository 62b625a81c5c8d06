#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json/parse.hpp>
#include <capstan/duration.hpp>
#include <capstan/time_text.hpp>

#include "autoscaler/dump/dump_pass.hpp"
#include "autoscaler/engine_settings.hpp"
#include "autoscaler/questions/explainer.hpp"
#include "commands/command_line.hpp"
#include "commands/explain_report.hpp"
#include "commands/explain_subject.hpp"
#include "commands/loaded_dump.hpp"
#include "commands/recorded_pass.hpp"
#include "commands/result_output.hpp"
#include "commands/simulate_input.hpp"
#include "config/text.hpp"
#include "simulator/explaining_observer.hpp"
#include "simulator/run.hpp"

namespace capstan::commands {
namespace {

struct ExplainArguments {
    SimulateInput input;
    std::string kind, name, ns;  ///< as they were typed
    autoscaler::questions::Question question{};
    std::string at;                 ///< as it was typed
    std::optional<Duration> after;  ///< the time, from the start; absent: the dump's own, the end
    std::optional<Time> moment;     ///< the same as a time of day
    ClusterChoice cluster;          ///< with --live
    std::shared_ptr<OutputFormat> format;
    bool is_wide = false;
};

/// Gives the recorded pass to the explainer.
int show_recorded(const SimulateInput& input, autoscaler::questions::Explainer& explainer,
                  Streams streams) {
    const auto pass = open_recorded_pass(input.recorded, input.config, input.set, streams.err);
    if (!pass) return refuse(streams, pass.error().message, exit_code_of(pass.error()));
    explainer.take_last(pass->input);
    explainer.finish();
    return exit_ok;
}

/// The providerIDs of a dump's nodes, by the id of the simulated machine that stands in.
using ProviderIds = std::map<std::string, std::string, std::less<>>;

/// Names the machine of the node as the dump does.
void name_as_in_dump(autoscaler::questions::Explained& explained, const ProviderIds& provider_ids) {
    std::optional<engine::pass::NodeMachine>& of = explained.answer.machine;
    if (!of || !of->machine) return;
    const auto id = provider_ids.find(of->machine->id.value());
    if (id != provider_ids.end()) of->machine->id = MachineId(id->second);
}

/// Explains the dump as it is: no pending pod has been placed, and nothing was carried out.
int show_dump(const ExplainArguments& arguments, autoscaler::questions::Question& question,
              std::optional<autoscaler::questions::Explainer>& explainer, ProviderIds& provider_ids,
              Streams streams) {
    const SimulateInput& input = arguments.input;
    const std::optional<LoadedDump> loaded =
        load_dump({input.cluster, input.config, input.set}, false, streams.err);
    if (!loaded) return exit_usage;
    const config::Config& config = loaded->prepared->sound_config();
    question.untried_default_spread =
        autoscaler::make_default_spread(config.scale_up.default_spread);
    explainer.emplace(question);
    const auto pass = autoscaler::dump::decide_on_dump(loaded->dump, config,
                                                       loaded->prepared->plugins, CAPSTAN_VERSION);
    if (!pass) return refuse(streams, pass.error().message, exit_code_of(pass.error()));
    explainer->take_last((*pass)->report->input);
    explainer->finish();
    provider_ids = loaded->dump.provider_ids;
    return exit_ok;
}

/// Runs the simulation up to the moment of the question.
int show_simulation(const ExplainArguments& arguments, autoscaler::questions::Question question,
                    std::optional<autoscaler::questions::Explainer>& explainer,
                    ProviderIds& provider_ids, Streams streams) {
    std::optional<Simulation> simulation = make_simulation(arguments.input, streams.err);
    if (!simulation) return exit_usage;
    simulator::Input& input = simulation->input;
    const config::Config& config = simulation->prepared->sound_config();
    std::optional<Duration> after = arguments.after;
    if (arguments.moment) {
        if (!input.real_start())
            return refuse(streams, "--at: a time of day is for dumps only", exit_usage);
        after = *arguments.moment - input.start;
        if (*after < Duration(0))
            return refuse(streams, "--at: the run starts at " + format_rfc3339(input.start),
                          exit_usage);
    }
    if (after) question.at = input.start + *after;
    explainer.emplace(question);
    simulator::ExplainingObserver observer(*explainer);
    provider_ids = input.provider_ids;
    const auto report = simulator::run(
        input,
        {.config = config,
         .plugins = simulation->prepared->plugins,
         .version = CAPSTAN_VERSION,
         // One nanosecond later, so that steps due at that very moment happen.
         .until = after ? std::optional(*after + std::chrono::nanoseconds(1)) : std::nullopt,
         .calls_controllers = input.scheduler},
        observer);
    if (!report) return refuse(streams, report.error().message, exit_code_of(report.error()));
    return exit_ok;
}

/// Prints the response of a daemon, or the result of a pass on a live cluster.
int ask_live(const ExplainArguments& arguments, Streams streams) {
    const autoscaler::questions::Question& question = arguments.question;
    const bool is_text = *arguments.format == OutputFormat::text;
    const autoscaler::daemon::AdminQuestion asked{.pod_ns = question.pod_ns,
                                                  .pod = question.pod_name,
                                                  .workload_kind = question.workload_kind,
                                                  .workload = question.workload_name,
                                                  .node = question.node,
                                                  .group = question.group.value(),
                                                  .as_text = is_text};
    const SimulateInput& input = arguments.input;
    const Result<std::string> answer =
        input.live ? ask_cluster({input.config, input.set, arguments.cluster}, asked, streams.err)
                   : ask_daemon({input.server, input.token_file, input.ca_file}, asked);
    if (!answer) return refuse(streams, answer.error().message, exit_code_of(answer.error()));
    if (is_text) {
        streams.out << *answer;
        return exit_ok;
    }
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse(*answer, error);
    if (error) return refuse(streams, input.server + ": the response is not JSON", exit_failed);
    print_value(streams, *arguments.format, value);
    return exit_ok;
}

/// Sets the input option that fits the file.
void take_explained_file(SimulateInput& input, const std::string& file) {
    switch (recognize_file(file)) {
        case InputFile::dump: input.cluster = file; break;
        case InputFile::recorded_pass: input.recorded = file; break;
        case InputFile::scenario: input.scenario = file; break;
    }
}

int run_explain(ExplainArguments arguments, Streams streams) {
    if (!arguments.input.file.empty()) take_explained_file(arguments.input, arguments.input.file);
    if (!arguments.at.empty()) {
        const Result<Duration> after = parse_duration(arguments.at);
        arguments.moment = find_rfc3339(arguments.at);
        if (!arguments.moment && (!after || *after < Duration(0)))
            return refuse(streams,
                          "--at: expected a duration such as \"20m\" or a time such as "
                          "\"2026-11-21T10:50:00Z\"",
                          exit_usage);
        if (!arguments.moment) arguments.after = *after;
    }
    if (arguments.input.live || !arguments.input.server.empty())
        return ask_live(arguments, streams);
    const bool is_recorded = !arguments.input.recorded.empty();
    if (is_recorded && !arguments.at.empty())
        return refuse(streams, "--at: not allowed with a recorded pass", exit_usage);
    autoscaler::questions::Question question = arguments.question;
    std::optional<autoscaler::questions::Explainer> explainer(question);
    ProviderIds provider_ids;
    const bool is_dump = !arguments.input.cluster.empty() && arguments.at.empty();
    const int code = is_recorded ? show_recorded(arguments.input, *explainer, streams)
                     : is_dump
                         ? show_dump(arguments, question, explainer, provider_ids, streams)
                         : show_simulation(arguments, question, explainer, provider_ids, streams);
    if (code != exit_ok) return code;
    Result<autoscaler::questions::Explained> explained = explainer->result();
    if (!explained) return refuse(streams, explained.error().message, exit_failed);
    name_as_in_dump(*explained, provider_ids);
    if (*arguments.format == OutputFormat::text) {
        print_explained(streams.out, *explained, arguments.is_wide);
    } else {
        print_value(streams, *arguments.format, explained_json(*explained));
    }
    return exit_ok;
}

void add_subject(CLI::App& command, ExplainArguments& arguments) {
    command
        .add_option("kind", arguments.kind,
                    "Kind of object: " + config::joined_names(explained_kinds()))
        ->required()
        ->type_name("KIND[/NAME]");
    command.add_option("name", arguments.name, "Object name or unique prefix; omit for matrix")
        ->type_name("NAME");
    command
        .add_option(
            "-n,--namespace", arguments.ns,
            "Namespace of the pod or workload (default: default); NAMESPACE/NAME also works")
        ->type_name("NAMESPACE");
}

}  // namespace

void add_explain(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "explain",
        "Explain why pods are not scheduled, why a node is not removed, why a group cannot grow, "
        "or all pending pods against all groups (matrix)");
    auto arguments = std::make_shared<ExplainArguments>();
    add_subject(command, *arguments);
    add_explain_input(command, arguments->input);
    CLI::Option& at =
        *command
             .add_option("--at", arguments->at,
                         "Explain the state at this time after the start, or, of a "
                         "dump, at this time of day (default: the dump's time, or the end of "
                         "the scenario or trace)")
             ->type_name("DURATION|TIME");
    for (const char* other : {"--recorded", "--server", "--live"})
        at.excludes(command.get_option(other));
    add_cluster_choice(command, arguments->cluster, ClusterDefault::configuration);
    for (const char* option : {"--kubeconfig", "--context"})
        command.get_option(option)->needs(command.get_option("--live"));
    arguments->format = add_output_format(command, &arguments->is_wide);
    command.callback([&action, arguments] {
        Result<autoscaler::questions::Question> question =
            parse_question(arguments->kind, arguments->name, arguments->ns);
        if (!question) throw CLI::ValidationError(question.error().message);
        arguments->question = *std::move(question);
        action = [arguments](Streams streams) { return run_explain(*arguments, streams); };
    });
}

}  // namespace capstan::commands
