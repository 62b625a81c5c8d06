#include "simulator/program/explain_run.hpp"

#include <chrono>
#include <optional>

#include <capstan/time_text.hpp>

#include "autoscaler/questions/explainer.hpp"
#include "commands/recorded_pass.hpp"
#include "simulator/explaining_observer.hpp"
#include "simulator/program/simulate_input.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator::program {

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
    simulator::ExplainingObserver observer(explainer);
    const auto report = simulator::run(
        input,
        {.config = simulation->prepared->sound_config(),
         .plugins = simulation->prepared->plugins,
         .version = CAPSTAN_VERSION,
         // One nanosecond later, so that steps due at that very moment happen.
         .until = after ? std::optional(*after + std::chrono::nanoseconds(1)) : std::nullopt,
         .calls_controllers = input.scheduler},
        observer);
    if (!report)
        return commands::refuse(streams, report.error().message,
                                commands::exit_code_of(report.error()));
    return commands::print_answer(arguments, explainer.result(), input.provider_ids, streams);
}

}  // namespace capstan::simulator::program
