#include "runtime/daemon/decision_log.hpp"

#include <optional>
#include <regex>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/action_text.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/reactions.hpp"
#include "engine/removal/eviction_refusals.hpp"

namespace capstan::runtime {
namespace {

constexpr std::string_view pass_source = "pass";

/// A back-off that has become shorter with time, or what is longer ago by now, is no news.
std::string without_countdown(const std::string& sentence) {
    static const std::regex countdown(" (for [0-9][0-9a-z.]* more|[0-9][0-9a-z.]* ago)");
    return std::regex_replace(sentence, countdown, "");
}

std::string from_to(int from, int to) {
    return " (" + std::to_string(from) + " -> " + std::to_string(to) + ")";
}

template <class T>
std::optional<Error> result_of(const std::vector<std::optional<T>>& results, std::size_t at) {
    return at < results.size() ? results[at] : std::nullopt;
}

/// What a plugin must never answer is told as its bug.
std::string why(const Error& error) {
    const bool is_bug =
        engine::reaction_to(engine::Call::increase, error.code) == engine::Reaction::report_bug;
    return error.message + (is_bug ? " (a bug of the plugin)" : "");
}

using Asked = engine::NodeRemoval::Eviction;

/// What waiting may change says each time how long it took, so that its code alone counts.
bool is_refused_alike(const Asked& before, const Error& error) {
    return before.refused_code == error.code &&
           (!before.barred_since || before.refused_because == error.message);
}

}  // namespace

void DecisionLog::tell(const PassReport& pass) {
    clouds_.tell(pass.problems, pass.at);
    for (const HookMiss& miss : pass.result.misses) tell_once(LogLevel::warn, miss_text(miss));
    for (const ActionsUnderWay::Ended& ended : pass.ended)
        log_.write(LogLevel::info, pass_source, ended.told);
    tell_departed_groups(pass);
    tell_stages(pass);
    tell_reasons(pass);
    if (!pass.dropped_because.empty()) {
        tell_once(LogLevel::warn, "decision dropped: " + pass.dropped_because);
    } else {
        tell_decreases(pass);
        tell_removals(pass);
        tell_groups(pass);
        tell_increases(pass);
        tell_cluster_changes(pass);
    }
    before_ = std::exchange(told_, {});
}

/// Also a note of the decision, which then is none of the others.
void DecisionLog::tell_departed_groups(const PassReport& pass) {
    for (const std::string& sentence :
         engine::tell_departed_groups(pass.memory, *pass.input.snapshot.groups)) {
        if (is_reloaded_) before_.erase(without_countdown(sentence));
        tell_once(LogLevel::warn, sentence);
    }
    is_reloaded_ = false;
}

void DecisionLog::tell_once(LogLevel level, const std::string& sentence) {
    const std::string lasting = without_countdown(sentence);
    if (told_.insert(lasting).second && !before_.contains(lasting))
        log_.write(level, pass_source, sentence);
}

void DecisionLog::tell_action(const PassReport& pass, LogLevel level, const std::string& action,
                              const std::string& because, const std::optional<Error>& error) {
    if (pass.input.circumstances.dry_run)
        return tell_once(LogLevel::info, "dry run: would " + action + ": " + because);
    if (error && is_under_way(*error))
        return tell_once(LogLevel::warn, action + " is asked for: " + error->message +
                                             ", and is waited for beside the passes");
    if (error) return tell_once(LogLevel::warn, action + " is refused: " + why(*error));
    log_.write(level, pass_source, action + ": " + because);
}

void DecisionLog::tell_groups(const PassReport& pass) {
    const auto& creations = pass.decision().creations;
    for (std::size_t i = 0; i < creations.size(); ++i)
        tell_action(pass, LogLevel::info, command_of(creations[i]), creations[i].because,
                    result_of(pass.results.creations, i));
    const auto& deletions = pass.decision().deletions;
    for (std::size_t i = 0; i < deletions.size(); ++i)
        tell_action(pass, LogLevel::info, command_of(deletions[i]), deletions[i].because,
                    result_of(pass.results.deletions, i));
}

void DecisionLog::tell_increases(const PassReport& pass) {
    const auto& increases = pass.decision().increases;
    for (std::size_t i = 0; i < increases.size(); ++i) {
        const engine::Increase& d = increases[i];
        tell_action(pass, LogLevel::info, command_of(d) + from_to(d.from, d.from + d.by), d.because,
                    result_of(pass.results.increases, i));
    }
}

void DecisionLog::tell_decreases(const PassReport& pass) {
    const auto& decreases = pass.decision().decreases;
    for (std::size_t i = 0; i < decreases.size(); ++i) {
        const engine::Decrease& d = decreases[i];
        tell_action(pass, LogLevel::info, command_of(d) + from_to(d.from, d.from - d.by), d.because,
                    result_of(pass.results.decreases, i));
    }
}

void DecisionLog::tell_removals(const PassReport& pass) {
    const auto& removals = pass.decision().removals;
    for (std::size_t i = 0; i < removals.size(); ++i) {
        const bool has_failed =
            i < pass.results.removals.size() && !pass.results.removals[i].empty();
        if (!has_failed) {
            tell_action(pass, LogLevel::info, command_of(removals[i]), removals[i].because, {});
            continue;
        }
        for (const Error& error : pass.results.removals[i])
            tell_action(pass, LogLevel::info, command_of(removals[i]), removals[i].because, error);
    }
}

void DecisionLog::tell_cluster_changes(const PassReport& pass) {
    const engine::Decision& decision = pass.decision();
    for (std::size_t i = 0; i < decision.node_changes.size(); ++i) {
        const engine::NodeChange& change = decision.node_changes[i];
        tell_action(pass, LogLevel::debug, "change node " + change.node, change.because,
                    result_of(pass.results.node_changes, i));
    }
    for (std::size_t i = 0; i < decision.evictions.size(); ++i) tell_eviction(pass, i);
}

/// A drain asks again and again: for what is refused, and for what was agreed to as long as the
/// pod is seen. Told are the first answer, another one, and the end of refusals.
void DecisionLog::tell_eviction(const PassReport& pass, std::size_t at) {
    const engine::Eviction& eviction = pass.decision().evictions[at];
    std::optional<Error> error = result_of(pass.results.evictions, at);
    if (error && error->code == ErrorCode::not_found) error.reset();
    const Asked* before = engine::find_eviction(pass.input.memory, eviction);
    const bool was_refused = before != nullptr && engine::is_refused(*before);
    if (error ? was_refused && is_refused_alike(*before, *error)
              : before != nullptr && before->agreed && !was_refused)
        return;
    std::string because = eviction.because;
    if (!error && was_refused)
        because += "; agreed to after " + counted(before->refusals, "refusal") + " in " +
                   format_rough_duration(pass.at - before->refused_since.value_or(pass.at));
    tell_action(pass, LogLevel::info, command_of(eviction) + " from " + eviction.node, because,
                error);
}

/// A stage that answers an error or keeps nothing decides nothing, and may never have.
void DecisionLog::tell_stages(const PassReport& pass) {
    for (const engine::ChosenOption& chosen : pass.decision().options)
        for (const engine::StageVerdict& stage : chosen.stages)
            if (stage.error || stage.kept.empty()) tell_once(LogLevel::warn, stage.summary);
}

void DecisionLog::tell_reasons(const PassReport& pass) {
    const engine::Decision& decision = pass.decision();
    for (const std::string& note : decision.notes) tell_once(LogLevel::info, note);
    for (const engine::Unhelped& u : decision.unhelped) {
        tell_once(LogLevel::info, counted(u.pods.count, "pod") + " like " + u.pods.example +
                                      (u.pods.count == 1 ? " stays" : " stay") +
                                      " without room: " + u.because);
    }
    if (!decision.no_removals_because.empty())
        tell_once(LogLevel::debug, "no removals: " + decision.no_removals_because);
}

}  // namespace capstan::runtime
