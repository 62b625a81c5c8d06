#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>
#include <capstan/duration.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/explain_live.hpp"
#include "commands/explain_report.hpp"
#include "commands/output_format.hpp"
#include "commands/recorded_pass.hpp"
#include "commands/simulate_input.hpp"
#include "simulation/run.hpp"

namespace capstan::commands {
namespace {

struct ExplainArguments {
    SimulateInput input;
    std::string kind;               ///< "pod", "group", "node", "matrix"
    std::string subject;            ///< "NS/NAME" of a pod, id of a group, name of a node
    std::string at;                 ///< as it was typed
    std::optional<Duration> after;  ///< the moment, after the start; nothing: a dump's own, the end
    std::shared_ptr<OutputFormat> format;
};

simulation::Question parse_question(const ExplainArguments& arguments) {
    if (arguments.kind == "node") return {.node = arguments.subject};
    if (arguments.kind != "pod") return {.group = NodeGroupId(arguments.subject)};
    const std::size_t slash = arguments.subject.find('/');
    if (slash == std::string::npos) return {.pod_ns = "default", .pod_name = arguments.subject};
    return {.pod_ns = arguments.subject.substr(0, slash),
            .pod_name = arguments.subject.substr(slash + 1)};
}

/// Has the explainer see the one pass there is.
int show_recorded(const SimulateInput& input, simulation::Explainer& explainer, Streams streams) {
    const auto pass = open_recorded_pass(input.recorded, input.config, input.set, streams.err);
    if (!pass) return refuse(streams, pass.error().message, exit_code_of(pass.error()));
    explainer.on_last_look(pass->input);
    explainer.on_end();
    return exit_ok;
}

/// A dump is asked about as it is, before its scheduler and the autoscaler have done anything to
/// it, unless a later moment is named.
int show_simulation(const ExplainArguments& arguments, simulation::Question& question,
                    std::optional<simulation::Explainer>& explainer, Streams streams) {
    std::optional<Simulation> simulation = make_simulation(arguments.input, streams.err);
    if (!simulation) return exit_usage;
    simulation::Input& input = simulation->input;
    const runtime::Config& config = *simulation->prepared->config;
    std::optional<Duration> after = arguments.after;
    if (!arguments.input.cluster.empty() && !after) {
        after = Duration(0);
        question.unasked_scheduler = simulation::scheduler_spread(input, config);
        input.scheduler = false;
    }
    if (after) question.at = input.start + *after;
    explainer.emplace(question);
    const auto report = simulation::run(
        input,
        {.config = config,
         .plugins = simulation->prepared->plugins,
         .version = CAPSTAN_VERSION,
         // What is due at that moment happens.
         .until = after ? std::optional(*after + std::chrono::nanoseconds(1)) : std::nullopt},
        *explainer);
    if (!report) return refuse(streams, report.error().message, exit_code_of(report.error()));
    return exit_ok;
}

/// Has a daemon, or a pass on a live cluster, answer by itself.
int ask_live(const ExplainArguments& arguments, Streams streams) {
    const simulation::Question question = parse_question(arguments);
    const runtime::AdminQuestion asked{.pod_ns = question.pod_ns,
                                       .pod = question.pod_name,
                                       .node = question.node,
                                       .group = question.group.value(),
                                       .as_text = *arguments.format == OutputFormat::text};
    const SimulateInput& input = arguments.input;
    const Result<std::string> answer =
        input.live ? ask_cluster(input.config, asked, streams.err)
                   : ask_daemon({input.server, input.token_file, input.ca_file}, asked);
    if (!answer) return refuse(streams, answer.error().message, exit_code_of(answer.error()));
    streams.out << *answer;
    return exit_ok;
}

int run_explain(ExplainArguments arguments, Streams streams) {
    if (!arguments.at.empty()) {
        const Result<Duration> after = parse_duration(arguments.at);
        if (!after || *after < Duration(0))
            return refuse(streams, "--at: expected a duration such as \"20m\"", exit_usage);
        arguments.after = *after;
    }
    if (arguments.input.live || !arguments.input.server.empty())
        return ask_live(arguments, streams);
    simulation::Question question = parse_question(arguments);
    std::optional<simulation::Explainer> explainer(question);
    const bool is_recorded = !arguments.input.recorded.empty();
    const int code = is_recorded ? show_recorded(arguments.input, *explainer, streams)
                                 : show_simulation(arguments, question, explainer, streams);
    if (code != exit_ok) return code;
    const auto& explained = explainer->result();
    if (!explained) return refuse(streams, explained.error().message, exit_failed);
    if (*arguments.format == OutputFormat::json) {
        streams.out << boost::json::serialize(explained_json(question, *explained)) << '\n';
    } else {
        print_explained(streams.out, question, *explained);
    }
    return exit_ok;
}

/// One of the questions; `subject_name` empty: it has no subject.
void add_question(CLI::App& parent, Action& action, const char* name, const char* what,
                  const char* subject_name) {
    CLI::App& command = *parent.add_subcommand(name, what);
    auto arguments = std::make_shared<ExplainArguments>();
    arguments->kind = name;
    if (*subject_name != '\0') command.add_option(subject_name, arguments->subject)->required();
    add_explain_input(command, arguments->input);
    CLI::Option& at =
        *command
             .add_option("--at", arguments->at,
                         "The moment, after the start, that is asked about; else of a "
                         "dump its own, of a scenario or a trace the end")
             ->type_name("DURATION");
    for (const char* other : {"--recorded", "--server", "--live"})
        at.excludes(command.get_option(other));
    arguments->format = add_output_format(command);
    command.callback([&action, arguments] {
        action = [arguments](Streams streams) { return run_explain(*arguments, streams); };
    });
}

}  // namespace

void add_explain(CLI::App& parent, Action& action) {
    CLI::App& command = *parent.add_subcommand(
        "explain", "Say why pods get room or not, and why nodes stay: what a pass makes of them");
    command.require_subcommand(1);
    add_question(command, action, "pod", "Why a pod is helped or not, and by which groups",
                 "NS/NAME");
    add_question(command, action, "group", "What a group can do for the pods that are pending",
                 "ID");
    add_question(command, action, "node", "Why a node stays, or when it goes", "NAME");
    add_question(command, action, "matrix", "All pending pods by class, against all groups", "");
}

}  // namespace capstan::commands
