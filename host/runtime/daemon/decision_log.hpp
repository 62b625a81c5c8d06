/// Tells the log of passes: what is done with its reason, and what is new about what is not.
#pragma once

#include <set>
#include <string>

#include "runtime/daemon/cloud_troubles.hpp"
#include "runtime/daemon/pass_report.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime {

/// What stays true from pass to pass is told once. [one thread]
class DecisionLog {
public:
    /// Borrows the log.
    explicit DecisionLog(Logger& log) : log_(log), clouds_(log) {}
    void tell(const PassReport& pass);
    /// There is another configuration: the next pass tells again of groups that no cloud lists any
    /// more, as long as they have nodes.
    void reloaded() { is_reloaded_ = true; }

private:
    void tell_departed_groups(const PassReport& pass);
    void tell_groups(const PassReport& pass);
    void tell_increases(const PassReport& pass);
    void tell_decreases(const PassReport& pass);
    void tell_removals(const PassReport& pass);
    void tell_cluster_changes(const PassReport& pass);
    void tell_eviction(const PassReport& pass, std::size_t at);
    void tell_stages(const PassReport& pass);
    void tell_reasons(const PassReport& pass);
    /// One action, with what became of it; nothing yet: it is a dry run.
    void tell_action(const PassReport& pass, LogLevel level, const std::string& action,
                     const std::string& because, const std::optional<Error>& error);
    void tell_once(LogLevel level, const std::string& sentence);

    Logger& log_;
    CloudTroubles clouds_;
    std::set<std::string> told_{}, before_{};  ///< in this pass, in the last one
    bool is_reloaded_ = false;                 ///< since the last pass
};

}  // namespace capstan::runtime
