/// One node group of the simulated cloud: what becomes of it as time passes and requests come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>
#include <capstan/time.hpp>

#include "config.hpp"

namespace capstan::simulated {

/// A machine as the cloud knows it.
struct MachineRecord {
    int number = 0;  ///< counted from 1, never used twice
    std::string type{};
    Time requested{};
    std::optional<Time> launched{};  ///< nothing: the cloud has none for it yet
    std::optional<Time> gone_at{};   ///< is being removed until then
    bool operator==(const MachineRecord&) const = default;
};

struct MachineStanding {
    int number = 0;
    MachineState state{};
};

/// All that a group must know of its past to go on in another process.
struct GroupRecord {
    int last_number = 0;
    std::vector<MachineRecord> machines{};  ///< by number
    bool operator==(const GroupRecord&) const = default;
};

/// Told the time, so that nothing here waits. The target is the number of its machines, requested
/// ones included and those that are being removed not: what a change takes away is requested anew,
/// and requests become machines in their order as soon as the cloud has any.
class Group {
public:
    /// `start`: from which changes count. `now`: what it starts with has booted long ago. Its
    /// machines get numbers above `last_number`.
    Group(GroupConfig config, Time start, Time now, int last_number = 0);
    /// Goes on from what was recorded at `now`; then it is to reach the present.
    Group(GroupConfig config, Time start, Time now, GroupRecord record);

    /// Everything that was to happen until `now` has. Before each of the others; time never steps
    /// back.
    void reach(Time now);
    /// From now on it is like this. Machines stay; of the changes those count that come after as
    /// many as there have been.
    void reconfigure(GroupConfig config);

    /// The target afterwards. An error has changed nothing; its message does not name the group.
    Result<Resized> increase(const Resize& request);
    Result<Resized> decrease_target(const Resize& request);
    Result<Removed> remove(const Removal& request);

    const GroupConfig& config() const noexcept { return config_; }
    /// While it stays, all that is told below stays as it is. No two groups of a process ever have
    /// the same one.
    std::uint64_t version() const noexcept { return version_; }
    NodeGroup group() const;
    /// Adds its machines to a list, as of the last time that its own was made anew.
    void tell_machines(std::vector<capstan::Machine>& out) const;
    std::vector<capstan::Machine> machines() const;  ///< as told
    std::size_t count_machines() const noexcept { return machines_.size(); }
    int last_number() const noexcept { return last_number_; }
    /// Of its machines, as they are, by number.
    std::vector<MachineStanding> standings() const;
    /// As it is; it has to be there.
    capstan::Machine machine_now(int number) const;
    GroupRecord record() const { return {last_number_, machines_}; }
    /// Takes in a machine that it does not know and that runs already, with a higher number than
    /// all it had.
    void adopt(int number, std::string type, Time launched);
    /// The machine of that number runs, whatever the clock says of it. It has to be there.
    void begin_running(int number);

private:
    using Machine = MachineRecord;

    // What happens to it.
    void note_change();
    Time next_difference() const;
    std::optional<Time> next_vanishing() const;
    std::optional<Time> next_event() const;
    void happen();
    void apply(const Change& change);
    void set_terms(const Change& change);
    void begin_listing(Time now);
    void vanish(const Change& change);
    void run(int count);
    void set_target(int target);
    void request(int count);
    void launch();

    // What it is asked for.
    Result<void> check(const Resize& request) const;
    int machines_left(const Resize& request) const;
    std::optional<Error> refusal(const MachineId& machine) const;

    // What it tells.
    int target() const;
    int launched() const;
    int waiting() const;
    std::vector<capstan::Machine> list() const;
    void list(std::vector<capstan::Machine>& out) const;
    capstan::Machine tell(const Machine& machine, const std::string& id_start) const;
    std::string id_start() const;
    MachineId id_of(const Machine& machine) const;
    MachineState state_of(const Machine& machine) const;
    std::optional<Error> error_of(const Machine& machine) const;

    GroupConfig config_;
    Time start_;
    Time now_;
    std::vector<Machine> machines_;  ///< by number, so those that wait stand last
    int last_number_ = 0;
    std::optional<int> capacity_;
    std::optional<Error> failure_, removal_failure_, machine_error_;
    std::size_t changes_done_ = 0;
    /// The list as it was made last, and when it is made next; nothing: it is always as it is.
    std::vector<capstan::Machine> listed_;
    std::optional<Time> next_listing_;
    std::uint64_t version_ = 0;
    Time quiet_until_;  ///< time alone changes nothing of what it tells before that
};

}  // namespace capstan::simulated
