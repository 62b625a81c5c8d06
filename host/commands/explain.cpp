#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>

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
    std::string kind;     ///< "pod", "group", "node", "matrix"
    std::string subject;  ///< "NS/NAME" of a pod, id of a group, name of a node
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
    const auto result = runtime::decide(pass->input);
    if (!result) return refuse(streams, result.error().message, exit_failed);
    explainer.on_pass(pass->input, *result);
    explainer.on_end();
    return exit_ok;
}

/// Has it see a simulation.
int show_simulation(const SimulateInput& input, simulation::Explainer& explainer, Streams streams) {
    const std::optional<Simulation> simulation = make_simulation(input, streams.err);
    if (!simulation) return exit_usage;
    const auto report = simulation::run(simulation->input,
                                        {.config = *simulation->prepared->config,
                                         .plugins = simulation->prepared->plugins,
                                         .version = CAPSTAN_VERSION,
                                         .until = std::nullopt},
                                        explainer);
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

int run_explain(const ExplainArguments& arguments, Streams streams) {
    if (arguments.input.live || !arguments.input.server.empty())
        return ask_live(arguments, streams);
    const simulation::Question question = parse_question(arguments);
    simulation::Explainer explainer(question);
    const bool is_recorded = !arguments.input.recorded.empty();
    const int code = is_recorded ? show_recorded(arguments.input, explainer, streams)
                                 : show_simulation(arguments.input, explainer, streams);
    if (code != exit_ok) return code;
    const auto& explained = explainer.result();
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
