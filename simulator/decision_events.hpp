/// The events of decisions and of their results, and the commands given, for steps that check them.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/actions_under_way.hpp"
#include "autoscaler/pass_cycle.hpp"
#include "engine/pass/outcome.hpp"
#include "simulator/event_log.hpp"
#include "simulator/run_statistics.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

/// Pods of one batch for which the last pass found no group.
struct UnschedulablePods {
    std::string batch{};
    std::uint32_t count = 0;
    engine::Reason reason{};
    std::map<std::string, std::string> in_group{};  ///< why the pods do not fit, by group
};

/// A command of the autoscaler to a cloud or the API server, and when it was given.
struct GivenCommand {
    std::string text{};
    Time at{};
};

/// The first command that is `words` or begins with them; empty `words` match any. NULL: none.
const GivenCommand* find_command(const std::vector<GivenCommand>& commands, std::string_view words);

/// Writes the events of each pass to the event log. A note, a refusal or an unschedulable batch
/// that stays the same from pass to pass is written once.
class DecisionEvents {
public:
    DecisionEvents(EventLog& event_log, RunStatistics& statistics, const SimulatedCluster& cluster)
        : event_log_(event_log), statistics_(statistics), cluster_(cluster) {}

    /// Writes notes and unschedulable pods. `problems`: errors of refreshing the clouds.
    void decided(const autoscaler::PassResult& result, const std::vector<Error>& problems,
                 Time now);
    /// Writes the results of actions that earlier passes did not wait for.
    void ended(const std::vector<autoscaler::ActionsUnderWay::Ended>& actions, Time now);
    /// To be called before a decision is carried out: events of the cluster from here on are
    /// consequences of its commands, so carried_out() writes them after the commands.
    void carrying_out() { event_log_.hold(); }
    void carried_out(const engine::Decision& decision, const engine::Results& results, Time now);
    /// Writes how back-offs and removals differ between two memories.
    void remembered(const engine::Memory& before, const engine::Memory& after, Time now);

    /// The commands since the last call, in order.
    std::vector<GivenCommand> take_commands() { return std::exchange(commands_, {}); }
    const std::vector<GivenCommand>& commands() const noexcept { return commands_; }
    const std::vector<UnschedulablePods>& unschedulable() const noexcept { return unschedulable_; }
    /// Why pods that counted in the last pass need no new node: "fit on existing or upcoming
    /// nodes"; empty: there was no such pod.
    const std::string& need_no_node() const noexcept { return need_no_node_; }

private:
    /// A refused eviction or node change, and the subject of the error.
    struct Refused {
        std::string what{};
        ErrorCode code{};
        std::string subject{};
        auto operator<=>(const Refused&) const = default;
    };

    void note(const std::vector<std::string>& notes, Time now);
    void add_unschedulable(std::vector<UnschedulablePods> unschedulable, Time now);
    /// Writes one command with its result: an event of `kind`, or a failure if there is an error.
    /// `more` is appended to the text of a command that succeeded or was not answered yet.
    void add(EventKind kind, const std::string& group, const std::string& command,
             const std::string& more, std::int64_t count, const std::string& because,
             const Error* error, Time now);
    void count(const engine::MachineRemoval& gone);
    void add_removal(const engine::MachineRemoval& removal, std::span<const Error> errors,
                     Time now);
    void add_evictions(const engine::Decision& decision, const engine::Results& results, Time now);
    void add_refusals(const engine::Decision& decision, const engine::Results& results, Time now);
    /// Whether an earlier event gave the reason of the node's removal: the one of its beginning.
    bool has_begun(const std::string& node) const { return begun_.contains(node); }

    EventLog& event_log_;
    RunStatistics& statistics_;
    const SimulatedCluster& cluster_;
    std::set<std::string> noted_;  ///< notes of the last pass
    std::set<Refused> refused_;    ///< of the last decision that had any evictions or node changes
    std::set<std::string> begun_;  ///< nodes with an event that their removal has begun
    std::vector<UnschedulablePods> unschedulable_;
    std::string need_no_node_;
    std::vector<GivenCommand> commands_;
};

}  // namespace capstan::simulator
