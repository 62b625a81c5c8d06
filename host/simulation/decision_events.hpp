/// What is told of decisions and of what came of them, and kept for explanations.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pass/outcome.hpp"
#include "runtime/pass_cycle.hpp"
#include "simulation/event_log.hpp"
#include "simulation/simulated_cluster.hpp"
#include "simulation/tally.hpp"

namespace capstan::simulation {

/// Pods for which the last pass could do nothing.
struct UnschedulablePods {
    std::string batch{};
    std::uint32_t count = 0;
    engine::Reason reason{};
    std::map<std::string, std::string> in_group{};  ///< the sentence of each group
};

/// A command, and when it was given.
struct GivenCommand {
    std::string text{};
    Time at{};
};

/// The first that is `words` or begins with them; NULL: none is. Any is, where there are none.
const GivenCommand* find_command(const std::vector<GivenCommand>& commands, std::string_view words);

/// What stays true from pass to pass is told once.
class DecisionEvents {
public:
    DecisionEvents(EventLog& event_log, RunStatistics& statistics, const SimulatedCluster& world)
        : event_log_(event_log), statistics_(statistics), world_(world) {}

    /// `problems`: of looking at the clouds.
    void decided(const runtime::PassResult& result, const std::vector<std::string>& problems,
                 Time now);
    /// What is told of the world from here on came of commands, and is told after them.
    void carrying_out() { event_log_.hold(); }
    void carried_out(const engine::Decision& decision, const engine::Results& results, Time now);
    /// What became of back-offs and removals from one memory to the next.
    void remembered(const engine::Memory& before, const engine::Memory& after, Time now);

    /// Since the last call, in order.
    std::vector<GivenCommand> take_commands() { return std::exchange(commands_, {}); }
    const std::vector<GivenCommand>& commands() const noexcept { return commands_; }
    const std::vector<UnschedulablePods>& unschedulable() const noexcept { return unschedulable_; }
    /// Why the last pass did not look at the other pods without a node: "fit on existing or
    /// upcoming nodes"; several reasons are joined by "or".
    const std::string& skipped() const noexcept { return skipped_; }

private:
    /// What was refused, and what the answer was about.
    struct Refused {
        std::string what{};
        ErrorCode code{};
        std::string subject{};
        auto operator<=>(const Refused&) const = default;
    };

    void note(const std::vector<std::string>& notes, Time now);
    void tell_unschedulable(std::vector<UnschedulablePods> unschedulable, Time now);
    /// One command with what became of it: told under `kind` as `text`, or as a failure.
    void tell(EventKind kind, const std::string& group, const std::string& command,
              const std::string& more, std::int64_t count, const std::string& because,
              const Error* error, Time now);
    void tell_removal(const engine::MachineRemoval& removal, std::span<const Error> errors,
                      Time now);
    void tell_evictions(const engine::Decision& decision, const engine::Results& results, Time now);
    void tell_refusals(const engine::Decision& decision, const engine::Results& results, Time now);
    /// The reason of a removal is told when it begins.
    bool is_told(const std::string& node) const { return begun_.contains(node); }

    EventLog& event_log_;
    RunStatistics& statistics_;
    const SimulatedCluster& world_;
    std::set<std::string> noted_;  ///< in the last pass
    std::set<Refused> refused_;    ///< evictions and node changes, in the last decision
    std::set<std::string> begun_;  ///< nodes with a removal that is told to be under way
    std::vector<UnschedulablePods> unschedulable_;
    std::string skipped_;
    std::vector<GivenCommand> commands_;
};

}  // namespace capstan::simulation
