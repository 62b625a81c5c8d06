#include "autoscaler/daemon/decision_log.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/time_text.hpp>

#include "autoscaler/daemon/decision_history.hpp"
#include "autoscaler/daemon/new_backoffs.hpp"
#include "engine/drainability/eviction_refusals.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/leaving_nodes.hpp"
#include "engine/health/reactions.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr std::string_view pass_source = "pass";

std::string from_to(int from, int to) {
    return " (" + std::to_string(from) + " -> " + std::to_string(to) + ")";
}

/// The message of the error; a code that a plugin must not answer is named as a bug of the plugin.
std::string why(const Error& error) {
    const bool is_bug = engine::health::reaction_to(engine::health::Call::increase, error.code) ==
                        engine::health::Reaction::report_bug;
    return error.message + (is_bug ? " (plugin bug)" : "");
}

/// "03:02:10Z (4m12s left)".
std::string end_text(Time until, const engine::PassTime& now) {
    return format_rfc3339(now.written(until), 0).substr(sizeof "2026-11-21") + " (" +
           format_rough_duration(until - now.now) + " left)";
}

using Asked = engine::NodeRemoval::Eviction;

/// Whether an eviction is refused for the same reason again. Messages of refusals that may pass
/// differ each time, so only their codes are compared.
bool is_refused_alike(const Asked& before, const Error& error) {
    return before.refused_code == error.code &&
           (!before.barred_since || before.refused_because == error.message);
}

}  // namespace

void DecisionLog::log(const PassReport& pass) {
    pass_ = &pass;
    clouds_.log(pass.problems, pass.at);
    for (const plugin_runtime::instances::SkippedHook& miss : pass.result.skipped_hooks)
        log_once(config::LogLevel::warn, "hook_miss",
                 plugin_runtime::instances::skipped_hook_text(miss));
    for (const ActionsUnderWay::Ended& ended : pass.ended) log_ended(ended);
    describe_departed_groups(pass);
    log_leaving(pass);
    log_mixed_groups(pass);
    log_stages(pass);
    log_held_back(pass);
    log_reasons(pass);
    log_unoffered(pass);
    if (!pass.dropped_because.empty()) {
        log_once({"dropped", {}, pass.dropped_because},
                 {.level = config::LogLevel::warn,
                  .sentence = "decision dropped: " + pass.dropped_because,
                  .code = "dropped",
                  .reason = pass.dropped_because});
    } else {
        for_each_action(pass.decision(), pass.results,
                        [this](const auto& action, const engine::ActionResult& result) {
                            log_result(action, result);
                        });
        log_daemon_pods();
        log_backoffs(pass);
    }
    log_look(pass);
    logged_before_ = std::exchange(logged_, {});
    pass_ = nullptr;
}

void DecisionLog::log_ended(const ActionsUnderWay::Ended& ended) {
    LogRecord line{.sentence = ended.sentence, .code = "ended"};
    for_each_action(ended.decision, ended.results,
                    [&line](const auto& action, const engine::ActionResult& result) {
                        line.facts = facts_of(action);
                        if (result.error() == nullptr) return;
                        line.level = config::LogLevel::warn;
                        line.reason = result.error()->message;
                        line.sentence += ": " + line.reason;
                    });
    write(line);
}

/// Also a note of the decision, which then is none of the others.
void DecisionLog::describe_departed_groups(const PassReport& pass) {
    for (const std::string& sentence :
         engine::health::describe_departed_groups(pass.memory, *pass.input.snapshot.groups)) {
        if (is_reloaded_) logged_before_.erase({"note", {}, sentence});
        log_once(config::LogLevel::warn, "note", sentence);
    }
    is_reloaded_ = false;
}

void DecisionLog::log_leaving(const PassReport& pass) {
    engine::NextChange unanswered(pass.input.call_context.time());  // the pass asks the same
    const engine::Settings& settings = pass.input.settings;
    for (const engine::Group& group : *pass.input.snapshot.groups) {
        for (const Machine& machine : group.machines) {
            if (!machine.leaves) continue;
            const std::string reason =
                engine::leaving_text(*machine.leaves) + "; " +
                engine::health::describe_departure(
                    engine::health::find_departure(machine, settings, unanswered), settings);
            log_once({"leaves", machine.id.value(), reason},
                     {.sentence = "machine " + machine.id.value() + " of " +
                                  group.group.id.value() + " has a termination notice: " + reason,
                      .facts = {.group = group.group.id.value()},
                      .code = "leaves",
                      .reason = reason,
                      .subject = "Machine/" + machine.id.value()});
        }
    }
}

void DecisionLog::log_mixed_groups(const PassReport& pass) {
    if (pass.input.settings.template_source == engine::TemplateSource::cloud) return;
    for (const engine::Group& group : *pass.input.snapshot.groups) {
        if (group.described == nullptr || group.described->variants < 2) continue;
        const std::string& id = group.group.id.value();
        log_once({"mixed_group", id, {}},
                 {.level = config::LogLevel::warn,
                  .sentence = "group " + id + " has " +
                              counted(group.described->variants, "machine type") +
                              ", but scale_up.template_source = \"mixed\" assumes that new nodes "
                              "are like an existing one; "
                              "use \"cloud\" to assume the smallest type",
                  .facts = {.group = id},
                  .code = "mixed_group",
                  .subject = "Group/" + id});
    }
}

void DecisionLog::log_backoffs(const PassReport& pass) {
    for (const NewBackoff& fresh : new_backoffs(pass)) {
        const engine::Backoff& backoff = *fresh.backoff;
        write({.level = config::LogLevel::warn,
               .sentence = "group " + fresh.group.value() + " is backed off until " +
                           (backoff.until ? end_text(*backoff.until, pass.input.call_context.time())
                                          : "a machine joins") +
                           ": " + backoff.because.text(),
               .facts = {.action = "back_off", .group = fresh.group.value()},
               .code = name_of(backoff.code),
               .reason = backoff.because});
    }
}

std::string DecisionLog::more_of(const engine::Increase& increase) {
    return from_to(increase.from, increase.from + increase.by);
}

std::string DecisionLog::more_of(const engine::Decrease& decrease) {
    return from_to(decrease.from, decrease.from - decrease.by);
}

std::string DecisionLog::less_of(const engine::ActionResult& result) {
    if (result.shortfall == nullptr) return {};
    return "; its cloud accepted " + std::to_string(result.agreed) + ": " + why(*result.shortfall);
}

void DecisionLog::log_result(const engine::MachineRemoval& removal,
                             const engine::ActionResult& result) {
    if (result.errors.empty())
        return log_action(config::LogLevel::info, removal, {}, removal.because, nullptr);
    for (const Error& error : result.errors)
        log_action(config::LogLevel::info, removal, {}, removal.because, &error);
}

void DecisionLog::log_result(const engine::NodeChange& change, const engine::ActionResult& result) {
    log_action(config::LogLevel::debug, change, {}, change.because, result.error());
}

/// A drain asks repeatedly, after a refusal and, as long as the pod exists, after an agreement. The
/// log has the first answer, each different one, and the end of refusals.
void DecisionLog::log_result(const engine::Eviction& eviction, const engine::ActionResult& result) {
    const Error* error = result.error();
    if (error != nullptr && error->code == ErrorCode::not_found) error = nullptr;
    const Asked* before = engine::drainability::find_eviction(pass_->input.memory, eviction);
    const bool was_refused = before != nullptr && engine::drainability::is_refused(*before);
    if (error != nullptr ? was_refused && is_refused_alike(*before, *error)
                         : before != nullptr && before->agreed && !was_refused)
        return;
    std::string because = eviction.because;
    if (error == nullptr && was_refused)
        because += "; accepted after " + counted(before->refusals, "refusal") + " in " +
                   format_rough_duration(pass_->at - before->refused_since.value_or(pass_->at));
    if (eviction.best_effort && error == nullptr) {
        DaemonPods& of_node = daemon_pods_[eviction.node];
        ++of_node.count;
        of_node.because = eviction.because;
        if (pass_->input.call_context.dry_run) return;
        return log_action(config::LogLevel::debug, eviction, " from " + eviction.node, because,
                          error);
    }
    log_action(config::LogLevel::info, eviction, " from " + eviction.node, because, error);
}

void DecisionLog::log_daemon_pods() {
    for (const auto& [node, pods] : std::exchange(daemon_pods_, {}))
        log_action(config::LogLevel::info,
                   "evict " + counted(pods.count, "DaemonSet pod") + " from " + node,
                   {.action = "evict", .node = node}, pods.because, nullptr);
}

void DecisionLog::log_action(config::LogLevel level, const std::string& action,
                             engine::ActionFacts facts, const std::string& because,
                             const Error* error) {
    const std::string subject =
        std::string(facts.action) + " " + facts.group + " " + facts.node + " " + facts.pod;
    LogRecord record{.level = level, .facts = std::move(facts), .reason = because};
    if (pass_->input.call_context.dry_run) {
        record.level = config::LogLevel::info;
        record.sentence = "dry run: would " + action + ": " + because;
        record.code = "dry_run";
        return log_once({record.code, subject, std::to_string(record.facts.delta)}, record);
    }
    if (error == nullptr) {
        record.sentence = action + ": " + because;
        record.code = "done";
        return write(record);
    }
    record.level = config::LogLevel::warn;
    record.code = name_of(error->code);
    if (is_under_way(*error)) {
        record.sentence = action + " is still running: " + error->message + "; passes continue";
        record.code = "under_way";
        return log_once({record.code, subject, {}}, record);
    }
    record.reason = why(*error);
    record.sentence = action + " failed: " + record.reason;
    // An eviction has been compared with what memory has of it; a machine is its own subject.
    const bool is_eviction = !record.facts.pod.empty();
    log_once({record.code, subject + " " + error->subject, is_eviction ? record.reason : ""},
             record);
}

void DecisionLog::log_once(News news, const LogRecord& record) {
    const bool is_known = logged_before_.contains(news);
    if (logged_.insert(std::move(news)).second && !is_known) write(record);
}

void DecisionLog::log_once(config::LogLevel level, std::string_view code,
                           const std::string& sentence) {
    log_once({code, {}, sentence}, {.level = level, .sentence = sentence, .code = code});
}

void DecisionLog::write(const LogRecord& record) {
    if (format_ != config::LogFormat::json)
        return log_.write(record.level, pass_source, record.sentence);
    const engine::ActionFacts& facts = record.facts;
    plugin_runtime::services::LogPairs fields;
    const auto add = [&fields](const char* key, std::string_view value) {
        if (!value.empty()) fields.emplace_back(key, value);
    };
    add("action", facts.action);
    add("group", facts.group);
    add("node", facts.node);
    add("pod", facts.pod);
    if (facts.delta != 0) add("delta", std::to_string(facts.delta));
    add("code", record.code);
    add("reason", record.reason);
    add("reason_code", record.reason_code);
    add("subject", record.subject);
    add("pass",
        kubernetes::find_timestamp_text(pass_->input.call_context.time().wall).value_or(""));
    log_.write(record.level, pass_source, record.sentence, fields);
}

/// A stage that answers an error or keeps nothing decides nothing, and may never have.
void DecisionLog::log_stages(const PassReport& pass) {
    for (const engine::ChosenOption& chosen : pass.decision().options)
        for (const engine::StageVerdict& stage : chosen.stages)
            if (stage.error || stage.kept.empty())
                log_once(config::LogLevel::warn, "stage", stage.summary);
}

void DecisionLog::log_held_back(const PassReport& pass) {
    for (const auto& [setting, held_back] : pass.result.outcome.figures.held_back) {
        log_once({"held_back", setting, held_back.after},
                 {.sentence = counted(held_back.nodes, "unneeded node") +
                              (held_back.nodes == 1 ? " is" : " are") +
                              " not removed yet: " + engine::describe(setting, held_back),
                  .code = "held_back",
                  .reason = setting});
    }
}

void DecisionLog::log_reasons(const PassReport& pass) {
    const engine::Decision& decision = pass.decision();
    for (const std::string& note : decision.notes) {
        const bool is_warning = std::ranges::count(decision.warnings, note) > 0;
        log_once(is_warning ? config::LogLevel::warn : config::LogLevel::info, "note", note);
    }
    for (const engine::UnschedulablePods& u : decision.unschedulable) {
        const engine::Reason& reason = u.reason;
        const std::string subject = to_string(reason.subject);
        log_once(
            {"unschedulable", u.pods.example, std::string(name_of(reason.code)) + " " + subject},
            {.sentence = counted(u.pods.count, "pod") + " like " + u.pods.example +
                         (u.pods.count == 1 ? " stays" : " stay") +
                         " unschedulable: " + reason.sentence,
             .facts = {.pod = u.pods.example},
             .code = "unschedulable",
             .reason = reason.sentence,
             .reason_code = name_of(reason.code),
             .subject = subject});
    }
}

void DecisionLog::log_unoffered(const PassReport& pass) {
    const auto& machines = pass.input.snapshot.machines;
    const auto is_offered = [&](const std::string& type) {
        return machines != nullptr && std::ranges::any_of(*machines, [&](const auto& cloud) {
                   return std::ranges::binary_search(cloud.types, type, {}, &MachineType::name);
               });
    };
    for (const engine::NewGroup& group : pass.decision().new_groups) {
        const std::string& type = group.plan.machine_type;
        if (!group.group.value().empty() || is_offered(type)) continue;
        if (!unoffered_.insert(type).second) continue;
        write({.level = config::LogLevel::warn,
               .sentence = group.dropped.sentence,
               .code = "machine_type",
               .reason = group.dropped.sentence,
               .subject = type.empty() ? "" : "MachineType/" + type});
    }
}

void DecisionLog::log_look(const PassReport& pass) {
    if (!log_.is_kept(config::LogLevel::debug, pass_source)) return;
    const engine::Decision& decision = pass.decision();
    const engine::snapshot::Cluster& cluster = pass.input.snapshot.cluster;
    const auto number = [](std::size_t count) { return static_cast<std::int64_t>(count); };
    write({.level = config::LogLevel::debug,
           .sentence = "checked " + counted(number(cluster.node_count()), "node") + ", " +
                       counted(number(cluster.pod_count()), "pod") + " (" +
                       std::to_string(cluster.unbound().size()) + " without a node) and " +
                       counted(number(pass.input.snapshot.groups->size()), "group") +
                       (asks_for_something(decision) ? "" : "; nothing to do"),
           .code = "looked"});
    if (!decision.no_removals_because.empty())
        write({.level = config::LogLevel::debug,
               .sentence = "no removals: " + decision.no_removals_because,
               .code = "no_removals",
               .reason = decision.no_removals_because});
    for (const engine::SkippedPods& skipped : decision.skipped)
        write({.level = config::LogLevel::debug,
               .sentence = counted(skipped.count, "pod") + ": " + skipped.because,
               .code = "skipped",
               .reason = skipped.because});
    for (const engine::NodeVerdict& verdict : decision.nodes)
        write({.level = config::LogLevel::debug,
               .sentence =
                   "node " + verdict.node +
                   (verdict.reason == engine::Unremovable::none ? " is unneeded: " : " is kept: ") +
                   verdict.because,
               .facts = {.group = verdict.group.value(), .node = verdict.node, .pod = verdict.pod},
               .code = "node",
               .reason = verdict.because});
}

namespace {

constexpr std::string_view clouds_source = "pass";

/// Problems begin with their cloud: "plugin eu: refresh: ...", "cloud eu is backed off until ...".
std::string cloud_of(const Error& problem) {
    const std::string& text = problem.message;
    const std::size_t begin = text.find(' ') + 1;
    return text.substr(begin, text.find_first_of(": ", begin) - begin);
}

}  // namespace

void CloudProblemLog::log(const std::vector<Error>& problems, Time now) {
    for (auto& [name, cloud] : clouds_) cloud.present.clear();
    for (const Error& problem : problems) {
        const auto [at, is_new] = clouds_.try_emplace(cloud_of(problem));
        if (is_new) at->second.since = at->second.logged_at = now;
        const bool is_backed_off = problem.message.starts_with("cloud ");
        at->second.present.try_emplace({problem.code, is_backed_off, problem.subject}, &problem);
    }
    for (auto at = clouds_.begin(); at != clouds_.end();) {
        auto& [name, cloud] = *at;
        if (!cloud.present.empty()) {
            log_begun(cloud, now);
            ++at;
            continue;
        }
        log_.write(
            config::LogLevel::info, clouds_source,
            "cloud " + name + ": works again after " + format_rough_duration(now - cloud.since));
        at = clouds_.erase(at);
    }
    for (auto& [name, cloud] : clouds_) cloud.present.clear();
}

void CloudProblemLog::log_begun(Cloud& cloud, Time now) {
    const bool is_due = now - cloud.logged_at >= quiet;
    std::erase_if(cloud.logged,
                  [&](const Key& key) { return is_due || !cloud.present.contains(key); });
    if (is_due) cloud.logged_at = now;
    const std::string how_long =
        is_due ? ", for " + format_rough_duration(now - cloud.since) : std::string();
    std::map<std::pair<ErrorCode, bool>, std::vector<const Error*>> begun;
    for (const auto& [key, problem] : cloud.present)
        if (cloud.logged.insert(key).second)
            begun[{key.code, key.is_backed_off}].push_back(problem);
    for (const auto& [kind, alike] : begun) write(alike, how_long);
}

void CloudProblemLog::write(const std::vector<const Error*>& alike, const std::string& how_long) {
    std::string sentence = alike.front()->message;
    if (alike.size() > 1)
        sentence += " (and " + std::to_string(alike.size() - 1) + " more like it: " +
                    listed(std::vector(alike.begin() + 1, alike.end()),
                           [](const Error* error) { return error->subject; }) +
                    ")";
    log_.write(config::LogLevel::warn, clouds_source, sentence + how_long);
}

}  // namespace capstan::autoscaler::daemon
