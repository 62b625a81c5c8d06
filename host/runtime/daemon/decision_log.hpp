/// Tells the log of passes: what is done with its reason, and what is new about what is not.
#pragma once

#include <chrono>
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

#include "engine/each_action.hpp"
#include "runtime/daemon/pass_report.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

// Tells the log what is in the way at clouds: when it begins, rarely while it lasts, and when it
// is over.

/// Two problems of one cloud, code and subject are the same one, for sentences say how long it has
/// lasted. What begins in one pass at one cloud is one line, however many groups it is about.
/// Moments are of the clock of passes. [one thread]
class CloudTroubles {
public:
    /// What lasts is told again after so long.
    static constexpr Duration quiet = std::chrono::minutes(5);

    /// Borrows the log.
    explicit CloudTroubles(services::Logger& log) : log_(log) {}
    /// What a pass found in its way, see CloudsView::problems.
    void tell(const std::vector<Error>& problems, Time now);

private:
    using Key = std::pair<ErrorCode, std::string>;  ///< the code, and the subject
    struct Cloud {
        Time since{}, told_at{};
        std::map<Key, const Error*> present{};  ///< in this pass; borrows
        std::set<Key> told{};
    };
    void tell_begun(Cloud& cloud, Time now);
    void write(const std::vector<const Error*>& alike, const std::string& how_long);

    services::Logger& log_;
    std::map<std::string, Cloud> clouds_{};  ///< with something in the way, by "plugin eu"
};

/// What stays true from pass to pass is told once: as long as code and subject are the same, and of
/// what is a sentence alone (notes, dropped passes) the sentence. [one thread]
class DecisionLog {
public:
    /// Borrows the log. In a JSON log each record has, beside its sentence, what applies of
    /// `group`, `node`, `pod`, `delta` (machines more or fewer), `action`, `code`, `reason`, of
    /// pods without room its `reason_code` and `subject`, and `pass` (the moment of the pass, as
    /// `/api/v2/decisions` has it). The sentence of a text log says it all.
    DecisionLog(services::Logger& log, config::LogFormat format)
        : log_(log), format_(format), clouds_(log) {}
    void tell(const PassReport& pass);
    /// There is another configuration: the next pass tells again of groups that no cloud lists any
    /// more, as long as they have nodes, and of machine types that no cloud has.
    void reloaded() {
        is_reloaded_ = true;
        unoffered_.clear();
    }

private:
    /// What is told once: "refused" of "increase web", for "quota".
    struct News {
        std::string_view code{};
        std::string subject{};
        std::string reason{};
        auto operator<=>(const News&) const = default;
    };
    struct Told {
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

    void tell_ended(const ActionsUnderWay::Ended& ended);
    void tell_departed_groups(const PassReport& pass);
    void tell_backoffs(const PassReport& pass);
    /// Machines that clouds take away, each once.
    void tell_leaving(const PassReport& pass);
    /// Groups of several machine types whose new nodes are taken for like one that exists.
    void tell_mixed_groups(const PassReport& pass);
    void tell_stages(const PassReport& pass);
    void tell_reasons(const PassReport& pass);
    /// Machine types to make groups of that no cloud has, each once.
    void tell_unoffered(const PassReport& pass);
    /// What the pass looked at, and why it did nothing.
    void tell_look(const PassReport& pass);

    void see(const engine::MachineRemoval& removal, const engine::ActionResult& result);
    void see(const engine::NodeChange& change, const engine::ActionResult& result);
    void see(const engine::Eviction& eviction, const engine::ActionResult& result);
    /// One line a node for all of its DaemonSets' pods.
    void tell_daemon_pods();
    template <class Action>
    void see(const Action& action, const engine::ActionResult& result) {
        tell_action(config::LogLevel::info, action, more_of(action),
                    action.because + less_of(result), result.error());
    }
    static std::string more_of(const engine::Increase& increase);
    static std::string more_of(const engine::Decrease& decrease);
    /// Why fewer machines were agreed to than asked for; empty: all were.
    static std::string less_of(const engine::ActionResult& result);
    template <class Action>
    static std::string more_of(const Action&) {
        return {};
    }
    /// One action, with what became of it; NULL: it is done, or this is a dry run.
    template <class Action>
    void tell_action(config::LogLevel level, const Action& action, const std::string& more,
                     const std::string& because, const Error* error) {
        tell_action(level, command_of(action) + more, facts_of(action), because, error);
    }
    void tell_action(config::LogLevel level, const std::string& action, engine::ActionFacts facts,
                     const std::string& because, const Error* error);
    void tell_once(News news, const Told& told);
    /// A sentence that is its own reason.
    void tell_once(config::LogLevel level, std::string_view code, const std::string& sentence);
    void write(const Told& told);

    services::Logger& log_;
    const config::LogFormat format_;
    CloudTroubles clouds_;
    std::map<std::string, DaemonPods> daemon_pods_{};  ///< evicted in this pass, by node
    std::set<News> told_{}, before_{};                 ///< in this pass, in the last one
    std::set<std::string> unoffered_{};  ///< machine types that were told of since the last reload
    const PassReport* pass_ = nullptr;   ///< that is being told of
    bool is_reloaded_ = false;           ///< since the last pass
};

}  // namespace capstan::runtime::daemon
