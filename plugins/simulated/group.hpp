/// One node group of the simulated cloud: what becomes of it as time passes and requests come.
#pragma once

#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "config.hpp"

namespace capstan::simulated {

/// Told the time, so that nothing here waits. The target is the number of its machines, requested
/// ones included: what a change takes away is requested anew, and requests become machines in
/// their order as soon as the cloud has any.
class Group {
public:
    /// Borrows `config`. What it starts with has booted long ago.
    Group(const GroupConfig& config, Time start);

    /// Everything that was to happen until `now` has. Before each of the others; time never steps
    /// back.
    void reach(Time now);

    /// The target afterwards. An error has changed nothing; its message does not name the group.
    Result<int> increase(const Resize& request);
    Result<int> decrease_target(const Resize& request);
    Result<Removed> remove(const Removal& request);

    NodeGroup group() const;
    std::vector<capstan::Machine> machines() const;

private:
    struct Machine {
        int number = 0;  ///< counted from 1, never used twice
        Time requested{};
        std::optional<Time> launched{};  ///< nothing: the cloud has none for it yet
    };

    int target() const noexcept { return static_cast<int>(machines_.size()); }
    int launched() const;
    int waiting() const { return target() - launched(); }
    void apply(const Change& change);
    void set_target(int target);
    void request(int count);
    void launch();
    Result<void> check(const Resize& request) const;
    Result<int> grantable(const Resize& request) const;
    MachineId id_of(const Machine& machine) const;
    MachineState state_of(const Machine& machine) const;
    std::optional<Error> error_of(const Machine& machine) const;

    const GroupConfig& config_;
    const Time start_;
    Time now_;
    std::vector<Machine> machines_;  ///< by number, so those that wait stand last
    int last_number_ = 0;
    std::optional<int> capacity_;
    std::optional<Error> failure_;
    std::vector<Change>::const_iterator next_change_;
};

}  // namespace capstan::simulated
