#include "simulator/program/simulator_program.hpp"

#include <chrono>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

#include <capstan/time_text.hpp>

#include "autoscaler/questions/explainer.hpp"
#include "commands/explain_command.hpp"
#include "simulator/program/simulate_input.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator::program {
namespace {

/// Shows the passes of a run to an explainer, which it borrows, and has it ask at the end of the
/// run.
class ExplainingObserver final : public Observer {
public:
    explicit ExplainingObserver(autoscaler::questions::Explainer& explainer)
        : explainer_(explainer) {}

    /// Of a node that is deleted: "node NAME is deleted", "node NAME is deleted with 2 pods".
    void on_event(const Event& event) override {
        constexpr std::string_view before = "node ", after = " is deleted";
        std::string_view text = event.text;
        if (event.kind != EventKind::node || !text.starts_with(before)) return;
        text.remove_prefix(before.size());
        const std::size_t end = text.find(after);
        if (end == std::string_view::npos) return;
        const std::string_view rest = text.substr(end + after.size());
        if (rest.empty() || rest.starts_with(" with "))
            explainer_.note_deleted(text.substr(0, end), event.at);
    }
    void on_decision(const autoscaler::PassReport& pass) override {
        explainer_.take_pass(pass.input);
    }
    bool wants_last_look() const override { return !explainer_.is_asked(); }
    void on_last_look(const autoscaler::PassInput& input) override { explainer_.take_last(input); }
    void on_end() override { explainer_.finish(); }

private:
    autoscaler::questions::Explainer& explainer_;
};

/// Runs the simulation up to the moment of the question, and prints the answer; an
/// `ExplainOverTime`.
int explain_over_time(const commands::ExplainArguments& arguments, commands::Streams streams) {
    std::optional<Simulation> simulation = make_simulation({arguments.input}, streams.err);
    if (!simulation) return commands::exit_usage;
    const simulator::Input& input = simulation->input;
    std::optional<Duration> after = arguments.after;
    if (arguments.moment) {
        if (!input.real_start())
            return commands::refuse(streams, "--at: a time of day is for dumps only",
                                    commands::exit_usage);
        after = *arguments.moment - input.start;
        if (*after < Duration(0))
            return commands::refuse(streams,
                                    "--at: the run starts at " + format_rfc3339(input.start),
                                    commands::exit_usage);
    }
    autoscaler::questions::Question question = arguments.question;
    if (after) question.at = input.start + *after;
    autoscaler::questions::Explainer explainer(question);
    ExplainingObserver observer(explainer);
    const auto report = simulator::run(
        input,
        {.config = simulation->prepared->sound_config(),
         .plugins = simulation->prepared->plugins,
         .version = CAPSTAN_VERSION,
         // One nanosecond later, so that steps due at that very moment happen.
         .until = after ? std::optional(*after + std::chrono::nanoseconds(1)) : std::nullopt,
         .calls_controllers = input.scheduler},
        observer);
    if (!report) return commands::refuse(streams, report.error());
    return commands::print_answer(arguments, explainer.result(), input.provider_ids, streams);
}

void add_commands(CLI::App& app, commands::Action& action) {
    add_simulate(app, action);
    add_cluster(app, action);
    add_replay(app, action);
    // The help does not list it: `capstan explain` runs it for questions about a point in time.
    commands::define_explain(app, action, explain_over_time).group("");
}

}  // namespace

commands::Program simulator_program() { return {.add_commands = add_commands}; }

}  // namespace capstan::simulator::program
