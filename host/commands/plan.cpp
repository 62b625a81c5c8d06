#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <capstan/sentence.hpp>

#include "autoscaler/daemon/decision_history.hpp"
#include "autoscaler/daemon/pass_json.hpp"
#include "autoscaler/daemon/single_pass.hpp"
#include "autoscaler/dump/dump_pass.hpp"
#include "commands/input_options.hpp"
#include "commands/live_command.hpp"
#include "commands/loaded_dump.hpp"
#include "commands/options.hpp"
#include "commands/result_output.hpp"
#include "engine/each_action.hpp"
#include "engine/health/backoff.hpp"
#include "engine/remedies.hpp"

namespace capstan::commands {
namespace {

struct PlanArguments {
    LiveChoice live{};
    std::string file{};  ///< a cluster dump; empty: the live cluster
    OutputFormat format{};
    bool is_wide = false;
};

void print_action(std::ostream& out, const std::string& action, const std::string& because) {
    out << action << '\n' << "  " << because << '\n';
}

void print_remedy(std::ostream& out, const std::string& remedy) {
    if (!remedy.empty()) out << "  remedy: " << remedy << '\n';
}

/// Prints unneeded nodes that are not removed yet, and why.
void print_unneeded(std::ostream& out, const engine::Decision& decision, bool is_wide) {
    std::vector<const engine::NodeVerdict*> unneeded;
    for (const engine::NodeVerdict& node : decision.nodes)
        if (node.unneeded_since) unneeded.push_back(&node);
    if (unneeded.empty()) return;
    if (is_wide) {
        for (const engine::NodeVerdict* node : unneeded) {
            print_action(out, node->node + " is unneeded but not removed now",
                         decision.no_removals_because.empty() ? node->because
                                                              : decision.no_removals_because);
            if (decision.no_removals_because.empty())
                print_remedy(out, engine::remedy_for(*node, {}));
        }
        return;
    }
    const bool is_one = unneeded.size() == 1;
    out << counted(unneeded.size(), "node") << (is_one ? " is" : " are")
        << " unneeded but not removed now: "
        << listed(
               unneeded, [](const engine::NodeVerdict* node) { return node->node; }, 3)
        << '\n'
        << "  "
        << (decision.no_removals_because.empty() ? unneeded.front()->because
                                                 : decision.no_removals_because)
        << '\n';
    if (decision.no_removals_because.empty())
        print_remedy(out, engine::remedy_for(*unneeded.front(), {}));
}

/// Prints the pods that do not count as pending, and why.
void print_skipped_pods(std::ostream& out, const engine::Decision& decision) {
    for (const engine::SkippedPods& pods : decision.skipped) {
        if (pods.code == engine::ReasonCode::none) continue;
        print_action(out,
                     counted(pods.count, "pod") + (pods.count == 1 ? " does not" : " do not") +
                         " count as pending",
                     pods.because);
        print_remedy(out, engine::remedy_for({.code = pods.code}, {}));
    }
}

void print_decision(std::ostream& out, const autoscaler::PassReport& pass, bool is_wide) {
    const engine::Decision& decision = pass.decision();
    for (const Error& problem : pass.problems) out << problem.message << '\n';
    for (const std::string& note : decision.notes) out << note << '\n';
    for_each_action(decision, {}, [&out](const auto& action, const engine::ActionResult&) {
        print_action(out, command_of(action), action.because);
    });
    for (const engine::UnschedulablePods& unschedulable : decision.unschedulable) {
        print_action(
            out,
            unschedulable.pods.example + ": " + counted(unschedulable.pods.count, "pod") +
                (unschedulable.pods.count == 1 ? " stays" : " stay") + " unschedulable",
            engine::health::with_time_left(unschedulable.reason.sentence, *pass.result.groups,
                                           pass.memory, pass.input.call_context.time()));
        print_remedy(out, engine::remedy_for(unschedulable));
    }
    print_skipped_pods(out, decision);
    if (!engine::asks_for_something(decision)) {
        out << "nothing to do\n";
        print_unneeded(out, decision, is_wide);
    }
}

/// Prints commands that show more.
void print_more_commands(std::ostream& out, const PlanArguments& arguments) {
    const std::string& config = arguments.live.config;
    if (!arguments.file.empty()) {
        const std::string with = config.empty() ? "" : " -c " + config;
        out << "\nMore: capstan explain matrix -f " << arguments.file << with
            << "; capstan simulate " << arguments.file << with << '\n';
        return;
    }
    out << "\nMore: capstan doctor -c " << config << "; capstan explain matrix --live -c " << config
        << " (or --server URL of a daemon); kubectl get events -A; kubectl describe configmap "
           "cluster-autoscaler-status -n kube-system\n";
}

using Pass = std::shared_ptr<const autoscaler::PassReport>;

/// Prints the decision; returns the exit code.
int print_plan(const PlanArguments& arguments, const autoscaler::PassReport& pass,
               Streams streams) {
    if (arguments.format != OutputFormat::text) {
        print_value(streams, arguments.format,
                    boost::json::parse(autoscaler::daemon::pass_json(pass)));
    } else {
        print_decision(streams.out, pass, arguments.is_wide);
        print_more_commands(streams.out, arguments);
    }
    return engine::asks_for_something(pass.decision()) ? exit_would_act : exit_ok;
}

int run_plan_on_dump(const PlanArguments& arguments, Streams streams) {
    std::error_code absent;
    const bool is_other = recognize_file(arguments.file) != InputFile::dump;
    if (is_other && std::filesystem::exists(arguments.file, absent))
        return refuse(streams, arguments.file + ": expected a cluster dump", exit_usage);
    const std::optional<LoadedDump> loaded =
        load_dump({arguments.file, arguments.live.config, arguments.live.set}, false, streams.err);
    if (!loaded) return exit_usage;
    const auto pass = autoscaler::dump::decide_on_dump(
        loaded->dump, loaded->prepared->sound_config(), loaded->prepared->plugins, CAPSTAN_VERSION);
    if (!pass) return refuse(streams, pass.error().message, exit_failed);
    return print_plan(arguments, *(*pass)->report, streams);
}

Result<Pass> plan(const autoscaler::daemon::LoadedConfig& loaded) {
    const std::uint64_t seed = random_seed();
    CAPSTAN_TRY(
        const auto host,
        autoscaler::PluginHost::start(
            loaded.config, loaded.plugins,
            {.seed = seed, .version = CAPSTAN_VERSION, .has_cluster = true, .is_dry_run = true}));
    return autoscaler::daemon::decide_single_pass(loaded.config, *host,
                                                  {.version = CAPSTAN_VERSION, .seed = seed});
}

int run_plan(const PlanArguments& arguments, Streams streams) {
    if (!arguments.file.empty()) return run_plan_on_dump(arguments, streams);
    std::signal(SIGPIPE, SIG_IGN);
    const auto loaded = load_live_config(arguments.live, streams.err);
    if (!loaded) {
        streams.err << loaded.error().message;
        return exit_usage;
    }
    const auto pass = plan(**loaded);
    if (!pass)
        return refuse(streams, pass.error().message,
                      pass.error().code == ErrorCode::invalid_config ? exit_usage : exit_failed);
    return print_plan(arguments, **pass, streams);
}

}  // namespace

void add_plan(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("plan",
                               "Run one dry pass on the live cluster, or on a dump, and print what "
                               "it would do; exits with 3 if actions are planned");
    auto arguments = std::make_shared<PlanArguments>();
    add_live_choice(command, arguments->live);
    command.get_option("--config")
        ->required(false)
        ->description(std::string(config_help) + "; required without -f");
    add_option(command, "-f,--filename", arguments->file, "DUMP.json",
               "Cluster dump to decide on in place of the live cluster; -: standard input");
    add_output_format(command, arguments->format, &arguments->is_wide);
    command.callback([&action, arguments] {
        if (arguments->live.config.empty() && arguments->file.empty())
            throw CLI::RequiredError("--config");
        action = [arguments](Streams streams) { return run_plan(*arguments, streams); };
    });
}

}  // namespace capstan::commands
