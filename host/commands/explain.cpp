#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "commands/explain_report.hpp"
#include "commands/output_format.hpp"
#include "commands/simulate_input.hpp"
#include "simulation/run.hpp"

namespace capstan::commands {
namespace {

struct Arguments {
    SimulateInput input;
    std::string subject;  ///< "NS/NAME" of a pod, id of a group; empty: the matrix
    bool is_pod = false;
    std::shared_ptr<OutputFormat> format;
};

simulation::Question question_of(const Arguments& arguments) {
    if (!arguments.is_pod) return {.group = NodeGroupId(arguments.subject)};
    const std::size_t slash = arguments.subject.find('/');
    if (slash == std::string::npos) return {.pod_ns = "default", .pod_name = arguments.subject};
    return {.pod_ns = arguments.subject.substr(0, slash),
            .pod_name = arguments.subject.substr(slash + 1)};
}

void print(std::ostream& out, const simulation::Question& question,
           const simulation::Explained& explained) {
    const runtime::PassAnswer& answer = explained.answer;
    if (answer.group) return print_group(out, *answer.group);
    if (answer.matrix) return print_matrix(out, *answer.matrix);
    print_pod(out, question, explained);
}

boost::json::object to_json(const simulation::Question& question,
                            const simulation::Explained& explained) {
    const runtime::PassAnswer& answer = explained.answer;
    if (answer.group) return group_json(*answer.group);
    if (answer.matrix) return matrix_json(*answer.matrix);
    return pod_json(question, explained);
}

int refuse(Streams streams, const Error& error, int code) {
    streams.err << "capstan: " << error.message << '\n';
    return code;
}

int run_explain(const Arguments& arguments, Streams streams) {
    const std::optional<Simulation> simulation = make_simulation(arguments.input, streams.err);
    if (!simulation) return exit_usage;
    const simulation::Question question = question_of(arguments);
    simulation::Explainer explainer(question);
    const auto report = simulation::run(simulation->input,
                                        {.config = *simulation->prepared->config,
                                         .plugins = simulation->prepared->plugins,
                                         .version = CAPSTAN_VERSION,
                                         .until = std::nullopt},
                                        explainer);
    if (!report) {
        const bool is_bad_input = report.error().code == ErrorCode::invalid_config;
        return refuse(streams, report.error(), is_bad_input ? exit_usage : exit_failed);
    }
    const auto& explained = explainer.result();
    if (!explained) return refuse(streams, explained.error(), exit_failed);
    if (*arguments.format == OutputFormat::json) {
        streams.out << boost::json::serialize(to_json(question, *explained)) << '\n';
    } else {
        print(streams.out, question, *explained);
    }
    return exit_ok;
}

/// One of the questions; `subject_name` empty: it has no subject.
void add_question(CLI::App& parent, Action& action, const char* name, const char* what,
                  const char* subject_name) {
    CLI::App& command = *parent.add_subcommand(name, what);
    auto arguments = std::make_shared<Arguments>();
    arguments->is_pod = std::string_view(name) == "pod";
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
        "explain", "Say why pods get room or not: what a pass makes of them and of the groups");
    command.require_subcommand(1);
    add_question(command, action, "pod", "Why a pod is helped or not, and by which groups",
                 "NS/NAME");
    add_question(command, action, "group", "What a group can do for the pods that are pending",
                 "ID");
    add_question(command, action, "matrix", "All pending pods by class, against all groups", "");
}

}  // namespace capstan::commands
