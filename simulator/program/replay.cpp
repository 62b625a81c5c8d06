#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include <capstan/sentence.hpp>

#include "commands/external_command.hpp"
#include "commands/options.hpp"
#include "commands/recorded_pass.hpp"
#include "commands/result_output.hpp"
#include "kubernetes/timestamps.hpp"
#include "simulator/program/simulator_program.hpp"

namespace capstan::simulator::program {
namespace {

namespace json = boost::json;

struct ReplayArguments {
    std::string file, config;
    std::vector<std::string> set;
    commands::OutputFormat format{};
};

/// Whether the difference is in a sentence for people, which does not change the decision.
bool is_sentence(const autoscaler::record::Difference& line) {
    static constexpr std::array<std::string_view, 9> names{
        "because",  "no_removals_because", "dropped_because", "refused_because", "notes",
        "sentence", "sentences",           "summary",         "warnings"};
    return !line.path.empty() && std::ranges::count(names, line.path.back()) > 0;
}

/// The action that differs: "increases/web". Empty: the difference concerns no action.
std::string action_in(const autoscaler::record::Difference& line) {
    static constexpr std::array<std::string_view, 7> actions{
        "decreases", "removals",     "creations", "increases",
        "deletions", "node_changes", "evictions"};
    const std::vector<std::string>& path = line.path;
    if (path.size() < 3 || path[0] != "decision" || std::ranges::count(actions, path[1]) == 0)
        return {};
    return path[1] + "/" + path[2];
}

/// The result of deciding a recorded pass again.
struct Replay {
    const autoscaler::record::PassRecord& record;
    std::vector<std::string> changes{};  ///< of the host and its plugins
    /// First differences of actions, then of the rest of the outcome, then of sentences.
    std::vector<autoscaler::record::Difference> differences{};

    bool is_same_decision() const { return std::ranges::all_of(differences, is_sentence); }
    /// The actions that differ, each once.
    std::vector<std::string> actions() const {
        std::vector<std::string> out;
        for (const autoscaler::record::Difference& line : differences) {
            std::string action = action_in(line);
            if (action.empty() || is_sentence(line)) continue;
            if (std::ranges::count(out, action) == 0) out.push_back(std::move(action));
        }
        return out;
    }
};

/// The rank of a difference in the order of `Replay::differences`.
int rank_of(const autoscaler::record::Difference& line) {
    if (is_sentence(line)) return 2;
    return action_in(line).empty() ? 1 : 0;
}

std::string time_of(const autoscaler::record::PassRecord& record) {
    const Time wall = record.call_context.time().wall;
    return kubernetes::find_timestamp_text(wall).value_or(std::to_string(unix_ns(wall)) + " ns");
}

json::object replay_json(const Replay& replay) {
    json::array differences;
    for (const autoscaler::record::Difference& line : replay.differences)
        differences.push_back(json::object{{"path", autoscaler::record::text_of_path(line.path)},
                                           {"recorded", json::value_from(line.recorded)},
                                           {"now", json::value_from(line.now)}});
    return {{"time", time_of(replay.record)},
            {"host", replay.record.host},
            {"changes", json::value_from(replay.changes)},
            {"same", replay.is_same_decision()},
            {"differences", std::move(differences)}};
}

void print_verdict(std::ostream& out, const Replay& replay) {
    const std::vector<std::string> actions = replay.actions();
    if (replay.differences.empty()) {
        out << "same decision\n";
    } else if (replay.is_same_decision()) {
        out << "same decision\nonly sentences differ:\n";
    } else if (actions.empty()) {
        out << "same actions, different outcome:\n";
    } else {
        out << "different decision:\n" << counted(actions.size(), "action") << " differ";
        if (actions.size() == 1) out << "s";
        for (const std::string& action : actions)
            out << (&action == &actions.front() ? ": " : ", ") << action;
        out << '\n';
    }
}

void print_replay(std::ostream& out, const Replay& replay) {
    out << "pass of " << time_of(replay.record) << ", recorded by capstan " << replay.record.host
        << '\n';
    for (const std::string& change : replay.changes) out << change << '\n';
    print_verdict(out, replay);
    for (const autoscaler::record::Difference& line : replay.differences) {
        out << "  " << autoscaler::record::text_of_path(line.path) << '\n'
            << "    recorded  " << line.recorded.value_or("(nothing)") << '\n'
            << "    now       " << line.now.value_or("(nothing)") << '\n';
    }
}

std::vector<std::string> changes_of(const commands::RecordedPass& pass) {
    std::vector<std::string> out;
    if (pass.record.host != CAPSTAN_VERSION)
        out.emplace_back("replayed by capstan " CAPSTAN_VERSION);
    const auto plugins =
        autoscaler::record::plugin_changes(pass.record.setup.plugins, pass.prepared->plugins);
    out.insert(out.end(), plugins.begin(), plugins.end());
    return out;
}

Result<Replay> replay(const commands::RecordedPass& pass) {
    CAPSTAN_TRY(const autoscaler::PassResult result, autoscaler::decide(pass.input));
    Replay out{pass.record, changes_of(pass),
               autoscaler::record::find_differences(pass.record.outcome, result.outcome)};
    std::ranges::stable_sort(out.differences, {}, rank_of);
    return out;
}

int run_replay(const ReplayArguments& arguments, commands::Streams streams) {
    const auto pass =
        commands::open_recorded_pass(arguments.file, arguments.config, arguments.set, streams.err);
    if (!pass) return commands::refuse(streams, pass.error());
    const auto replayed = replay(*pass);
    if (!replayed) return commands::refuse(streams, replayed.error());
    if (arguments.format != commands::OutputFormat::text) {
        commands::print_value(streams, arguments.format, replay_json(*replayed));
    } else {
        print_replay(streams.out, *replayed);
    }
    return replayed->is_same_decision() ? commands::exit_ok : commands::exit_failed;
}

}  // namespace

void add_replay(CLI::App& parent, commands::Action& action) {
    const auto [command, arguments] =
        commands::add_command(parent, action, commands::replay_command.name,
                              commands::replay_command.description, run_replay);
    commands::add_option(command, "file", arguments.file, "FILE.json",
                         "Pass recorded by `run --record` or `simulate --record`")
        ->required();
    commands::add_option(command, "-c,--config", arguments.config, "FILE",
                         "Configuration file (TOML); replaces the recorded configuration");
    commands::add_overrides(command, arguments.set);
    commands::add_output_format(command, arguments.format);
}

}  // namespace capstan::simulator::program
