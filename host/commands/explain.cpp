#include "commands/explain_command.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/json/parse.hpp>

#include <capstan/duration.hpp>
#include <capstan/time_text.hpp>

#include "autoscaler/dump/dump_pass.hpp"
#include "autoscaler/engine_settings.hpp"
#include "autoscaler/questions/explainer.hpp"
#include "commands/explain_report.hpp"
#include "commands/explain_subject.hpp"
#include "commands/live_command.hpp"
#include "commands/loaded_dump.hpp"
#include "commands/options.hpp"
#include "commands/recorded_pass.hpp"
#include "config/text.hpp"

namespace capstan::commands {
namespace {

/// Names the machine of the node as the dump does.
void name_as_in_dump(autoscaler::questions::Explained& explained, const ProviderIds& provider_ids) {
    std::optional<engine::pass::NodeMachine>& of = explained.answer.machine;
    if (!of || !of->machine) return;
    const auto id = provider_ids.find(of->machine->id.value());
    if (id != provider_ids.end()) of->machine->id = MachineId(id->second);
}

}  // namespace

int print_answer(const ExplainArguments& arguments,
                 Result<autoscaler::questions::Explained> explained,
                 const ProviderIds& provider_ids, Streams streams) {
    if (!explained) return refuse(streams, explained.error().message, exit_failed);
    name_as_in_dump(*explained, provider_ids);
    if (arguments.format == OutputFormat::text) {
        print_explained(streams.out, *explained, arguments.is_wide);
    } else {
        print_value(streams, arguments.format, explained_json(*explained));
    }
    return exit_ok;
}

namespace {

int explain_recorded(const ExplainArguments& arguments, Streams streams) {
    const ExplainInput& input = arguments.input;
    if (!arguments.at.empty())
        return refuse(streams, "--at: not allowed with a recorded pass", exit_usage);
    const auto pass = open_recorded_pass(input.recorded, input.config, input.set, streams.err);
    if (!pass) return refuse(streams, pass.error().message, exit_code_of(pass.error()));
    autoscaler::questions::Explainer explainer(arguments.question);
    explainer.take_last(pass->input);
    explainer.finish();
    return print_answer(arguments, explainer.result(), {}, streams);
}

/// Explains the dump as it is: no pending pod has been placed, and nothing was carried out.
int explain_dump(const ExplainArguments& arguments, Streams streams) {
    const ExplainInput& input = arguments.input;
    const std::optional<LoadedDump> loaded =
        load_dump({input.cluster, input.config, input.set}, false, streams.err);
    if (!loaded) return exit_usage;
    const config::Config& config = loaded->prepared->sound_config();
    autoscaler::questions::Question question = arguments.question;
    question.untried_default_spread =
        autoscaler::make_default_spread(config.scale_up.default_spread);
    autoscaler::questions::Explainer explainer(question);
    const auto pass = autoscaler::dump::decide_on_dump(loaded->dump, config,
                                                       loaded->prepared->plugins, CAPSTAN_VERSION);
    if (!pass) return refuse(streams, pass.error().message, exit_code_of(pass.error()));
    explainer.take_last((*pass)->report->input);
    explainer.finish();
    return print_answer(arguments, explainer.result(), loaded->dump.provider_ids, streams);
}

/// Prints the response of a daemon, or the result of a pass on a live cluster.
int ask_live(const ExplainArguments& arguments, Streams streams) {
    const autoscaler::questions::Question& question = arguments.question;
    const bool is_text = arguments.format == OutputFormat::text;
    const autoscaler::daemon::AdminQuestion asked{.pod_ns = question.pod_ns,
                                                  .pod = question.pod_name,
                                                  .workload_kind = question.workload_kind,
                                                  .workload = question.workload_name,
                                                  .node = question.node,
                                                  .group = question.group.value(),
                                                  .as_text = is_text};
    const ExplainInput& input = arguments.input;
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
    print_value(streams, arguments.format, value);
    return exit_ok;
}

/// Sets the input option that fits the file.
void take_explained_file(ExplainInput& input, const std::string& file) {
    switch (recognize_file(file)) {
        case InputFile::dump: input.cluster = file; break;
        case InputFile::recorded_pass: input.recorded = file; break;
        case InputFile::scenario: input.scenario = file; break;
    }
}

int run_explain(ExplainArguments arguments, ExplainOverTime over_time, Streams streams) {
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
    if (!arguments.input.recorded.empty()) return explain_recorded(arguments, streams);
    if (!arguments.input.cluster.empty() && arguments.at.empty())
        return explain_dump(arguments, streams);
    return over_time(arguments, streams);
}

void add_subject(CLI::App& command, ExplainArguments& arguments) {
    add_option(command, "kind", arguments.kind, "KIND[/NAME]",
               "Kind of object: " + config::joined_names(explained_kinds()))
        ->required();
    add_option(command, "name", arguments.name, "NAME",
               "Object name or unique prefix; omit for matrix");
    add_option(command, "-n,--namespace", arguments.ns, "NAMESPACE",
               "Namespace of the pod or workload (default: default); NAMESPACE/NAME also works");
}

void add_explain_input(CLI::App& command, ExplainInput& input) {
    CLI::Option_group& kinds = add_input_options(command, input);
    add_option(kinds, "-f,--filename", input.file, "FILE",
               "Scenario, cluster dump or recorded pass; the file type is detected");
    add_option(kinds, "--scenario", input.scenario, "SCENARIO.toml", "Scenario file");
    add_option(kinds, "--recorded", input.recorded, "FILE.json",
               "Pass recorded by `run --record` or `simulate --record`");
    CLI::Option& server =
        *add_option(kinds, "--server", input.server, "URL",
                    "Running daemon, by the URL of its admin port: http://HOST:8085");
    kinds
        .add_flag("--live", input.live,
                  "Run one dry pass on the live cluster of --config; no daemon needed")
        ->needs(command.get_option("--config"));
    add_option(command, "--token-file", input.token_file, "FILE",
               "With --server: file with a bearer token")
        ->needs(&server);
    add_option(command, "--ca-file", input.ca_file, "FILE",
               "With --server: file with its certificate authority (PEM)")
        ->needs(&server);
}

}  // namespace

CLI::App& define_explain(CLI::App& parent, Action& action, ExplainOverTime over_time) {
    CLI::App& command = *parent.add_subcommand(
        "explain",
        "Explain why pods are not scheduled, why a node is not removed, why a group cannot grow, "
        "or all pending pods against all groups (matrix)");
    auto arguments = std::make_shared<ExplainArguments>();
    add_subject(command, *arguments);
    add_explain_input(command, arguments->input);
    CLI::Option& at =
        *add_option(command, "--at", arguments->at, "DURATION|TIME",
                    "Explain the state at this time after the start, or, of a "
                    "dump, at this time of day (default: the dump's time, or the end of "
                    "the scenario or trace)");
    for (const char* other : {"--recorded", "--server", "--live"})
        at.excludes(command.get_option(other));
    add_cluster_choice(command, arguments->cluster, ClusterDefault::configuration);
    for (const char* option : {"--kubeconfig", "--context"})
        command.get_option(option)->needs(command.get_option("--live"));
    add_output_format(command, arguments->format, &arguments->is_wide);
    command.callback([&action, arguments, over_time] {
        Result<autoscaler::questions::Question> question =
            parse_question(arguments->kind, arguments->name, arguments->ns);
        if (!question) throw CLI::ValidationError(question.error().message);
        arguments->question = *std::move(question);
        action = [arguments, over_time](Streams streams) {
            return run_explain(*arguments, over_time, streams);
        };
    });
    return command;
}

void add_explain(CLI::App& parent, Action& action) {
    // The simulator is in another program, which parses the same arguments.
    define_explain(parent, action, [](const ExplainArguments&, Streams streams) {
        const Error error = (*streams.hand_over)(simulate_command.program);
        return refuse(streams, within("explain", error).message, exit_failed);
    });
}

}  // namespace capstan::commands
