/// Logs passes: each action with its reason, and each lasting condition once.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "autoscaler/pass_report.hpp"
#include "engine/each_action.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

/// Logs the problems of clouds (CloudsView::problems): when they begin, rarely while they last, and
/// when they are over. Two errors of one cloud with equal code and subject are one problem, since
/// messages say how long it has lasted; the back-off after an error is another problem. Problems of
/// one cloud with the same code that begin in the same pass are one line, for however many groups.
/// Times are of the clock of passes. [one thread]
class CloudProblemLog {
public:
    /// A problem that lasts is logged again after so long.
    static constexpr Duration quiet = std::chrono::minutes(5);

    /// Borrows the log.
    explicit CloudProblemLog(plugin_runtime::services::Logger& log) : log_(log) {}
    /// `problems`: all problems of one pass.
    void log(const std::vector<Error>& problems, Time now);

private:
    struct Key {
        ErrorCode code;
        bool is_backed_off;  ///< the cloud was not called
        std::string subject;
        auto operator<=>(const Key&) const = default;
    };
    struct Cloud {
        Time since{}, logged_at{};
        std::map<Key, const Error*> present{};  ///< in this pass, borrowed
        std::set<Key> logged{};
    };
    void log_begun(Cloud& cloud, Time now);
    void write(const std::vector<const Error*>& alike, const std::string& how_long);

    plugin_runtime::services::Logger& log_;
    std::map<std::string, Cloud> clouds_{};  ///< those with a problem, by id
};

/// A condition that lasts from pass to pass is logged once: as long as its code and subject stay
/// the same, or, if it is a sentence alone (notes, dropped passes), the sentence. [one thread]
class DecisionLog {
public:
    /// Borrows the log. In a JSON log each record has, next to its sentence, the fields that apply:
    /// `group`, `node`, `pod`, `delta` (machines more or fewer), `action`, `code`, `reason`,
    /// `reason_code` (of pods without room), `subject`, and `pass` (the time of the pass, as in
    /// `/api/v2/decisions`). The sentence of a text log has the same facts.
    DecisionLog(plugin_runtime::services::Logger& log, config::LogFormat format)
        : log_(log), format_(format), clouds_(log) {}
    void log(const PassReport& pass);
    /// A new configuration is in force: the next pass logs again the groups that no cloud lists any
    /// more although they have nodes, and the machine types that no cloud has.
    void reloaded() {
        is_reloaded_ = true;
        unoffered_.clear();
    }

private:
    /// The key of a condition that is logged once, such as the code "unschedulable" of the pod
    /// "web-1" for the reason "LimitReached Limit/cpu".
    struct News {
        std::string_view code{};
        std::string subject{};
        std::string reason{};
        auto operator<=>(const News&) const = default;
    };
    struct LogRecord {
        config::LogLevel level = config::LogLevel::info;
        std::string sentence{};
        engine::ActionFacts facts{};
        std::string_view code{};
        std::string reason{};
        std::string_view reason_code{};  ///< of pods without room: "LimitReached"
        std::string subject{};           ///< of that reason: "Limit/cpu"
    };
    struct DaemonPods {
        std::size_t count = 0;
        std::string because{};
    };

    void log_ended(const ActionsUnderWay::Ended& ended);
    void describe_departed_groups(const PassReport& pass);
    void log_backoffs(const PassReport& pass);
    /// Machines with a termination notice, each once.
    void log_leaving(const PassReport& pass);
    /// Groups of several machine types that may use one of their nodes as the template.
    void log_mixed_groups(const PassReport& pass);
    void log_stages(const PassReport& pass);
    void log_held_back(const PassReport& pass);
    void log_reasons(const PassReport& pass);
    /// Machine types for new groups that no cloud has, each once.
    void log_unoffered(const PassReport& pass);
    /// Counts of what the pass looked at, and why it did nothing.
    void log_look(const PassReport& pass);

    void log_result(const engine::MachineRemoval& removal, const engine::ActionResult& result);
    void log_result(const engine::NodeChange& change, const engine::ActionResult& result);
    void log_result(const engine::Eviction& eviction, const engine::ActionResult& result);
    /// One line per node for the evictions of all its DaemonSet pods.
    void log_daemon_pods();
    template <class Action>
    void log_result(const Action& action, const engine::ActionResult& result) {
        log_action(config::LogLevel::info, action, more_of(action),
                   action.because + less_of(result), result.error());
    }
    static std::string more_of(const engine::Increase& increase);
    static std::string more_of(const engine::Decrease& decrease);
    /// Why the cloud agreed to fewer machines than asked for; empty: it agreed to all.
    static std::string less_of(const engine::ActionResult& result);
    template <class Action>
    static std::string more_of(const Action&) {
        return {};
    }
    /// One action with its result; `error` NULL: it is done, or this is a dry run.
    template <class Action>
    void log_action(config::LogLevel level, const Action& action, const std::string& more,
                    const std::string& because, const Error* error) {
        log_action(level, command_of(action) + more, facts_of(action), because, error);
    }
    void log_action(config::LogLevel level, const std::string& action, engine::ActionFacts facts,
                    const std::string& because, const Error* error);
    void log_once(News news, const LogRecord& record);
    /// A sentence that is its own reason.
    void log_once(config::LogLevel level, std::string_view code, const std::string& sentence);
    void write(const LogRecord& record);

    plugin_runtime::services::Logger& log_;
    const config::LogFormat format_;
    CloudProblemLog clouds_;
    std::map<std::string, DaemonPods> daemon_pods_{};  ///< evicted in this pass, by node
    std::set<News> logged_{}, logged_before_{};        ///< in this pass, in the last one
    std::set<std::string> unoffered_{};  ///< machine types in the log since the last reload
    const PassReport* pass_ = nullptr;   ///< the pass that is being logged
    bool is_reloaded_ = false;           ///< since the last pass
};

}  // namespace capstan::autoscaler::daemon
