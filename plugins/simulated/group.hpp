/// One node group of the simulated cloud, with its state over time and requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>
#include <capstan/target_setter.hpp>
#include <capstan/time.hpp>

#include "config.hpp"

namespace capstan::simulated {

/// The stored state of a machine.
struct MachineRecord {
    int number = 0;  ///< counted from 1, never used twice
    std::string type{};
    Time requested{};
    std::optional<Time> launched{};  ///< absent: the machine waits for capacity
    std::optional<Time> gone_at{};   ///< set once the machine is removed: when it is gone
    std::optional<Leaving> leaves{};
    bool operator==(const MachineRecord&) const = default;
};

struct MachineStatus {
    int number = 0;
    MachineState state{};
};

/// The state of a group that is saved, so that it continues in another process.
struct GroupRecord {
    int last_number = 0;
    std::vector<MachineRecord> machines{};  ///< those that wait for capacity are last
    bool operator==(const GroupRecord&) const = default;
};

/// A state machine over a time that callers pass in: all that happened until a time is computed
/// when `reach` is called, so nothing here waits. The target is the number of machines, including
/// requested ones and without those that are being removed. A machine that is lost is requested
/// again, and requested machines are launched in the order of their requests as soon as the
/// capacity allows.
class Group {
public:
    /// `start`: the time from which the times of changes count. The initial machines run already at
    /// `now`. New machines get numbers above `last_number`.
    Group(GroupConfig config, Time start, Time now, int last_number = 0);
    /// Restores a group that was recorded at `now`. Call `reach` with the present time next.
    Group(GroupConfig config, Time start, Time now, GroupRecord record);

    /// Applies everything that is due until `now`. Call before each of the other functions.
    void reach(Time now);
    /// Replaces the settings. Machines stay. As many changes of the new settings are skipped as
    /// have been applied of the old ones.
    void reconfigure(GroupConfig config);

    // If one of these two fails, nothing has changed. The message does not name the group.
    /// `goal`: the new target. It is not below current().machines, so only requests are taken back.
    Result<Resized> resize(int goal, bool all_or_nothing = false);
    Result<Removed> remove(const Removal& request);

    /// The group right before a resize.
    TargetSetter::Current current() const;

    const GroupConfig& config() const noexcept { return config_; }
    /// Changes whenever one of the results below may change. Unique over all groups of a process.
    std::uint64_t version() const noexcept { return version_; }
    NodeGroup group() const;
    /// Appends the machines to `out` as the cloud lists them; with `refresh_every` the list may be
    /// outdated.
    void append_machines(std::vector<capstan::Machine>& out) const;
    std::vector<capstan::Machine> machines() const;  ///< as the cloud lists them
    std::size_t machine_count() const noexcept { return machines_.size(); }
    int last_number() const noexcept { return last_number_; }
    /// The current states, ascending by number.
    std::vector<MachineStatus> machine_statuses() const;
    /// The current state of one machine, which has to exist.
    capstan::Machine machine_now(int number) const;
    GroupRecord record() const { return {last_number_, machines_}; }
    /// Adds a running machine with a number above last_number().
    void adopt(int number, std::string type, Time launched);
    /// Makes the machine of that number run now, whatever its launch time. It has to exist.
    void begin_running(int number);

private:
    using Machine = MachineRecord;

    // Events.
    void note_change();
    Time next_change_time() const;
    std::optional<Time> next_deletion() const;
    std::optional<Time> next_event() const;
    void apply_next_event();
    void apply(const Change& change);
    void set_terms(const Change& change);
    void begin_listing(Time now);
    void announce(const Change& change);
    void vanish(const Change& change);
    void run(int count);
    void set_target(int target);
    void request(int count);
    void launch();

    // Requests.
    int machines_left(int more) const;
    std::optional<Error> refusal(const MachineId& machine) const;

    // Results.
    int target() const;
    int launched() const;
    int waiting() const;
    std::vector<capstan::Machine> list() const;
    void list(std::vector<capstan::Machine>& out) const;
    capstan::Machine machine_of(const Machine& machine, const std::string& id_start) const;
    std::string id_start() const;
    MachineId id_of(const Machine& machine) const;
    MachineState state_of(const Machine& machine) const;
    std::optional<Error> error_of(const Machine& machine) const;

    GroupConfig config_;
    Time start_;
    Time now_;
    std::vector<Machine> machines_;  ///< those that wait for capacity are last
    int last_number_ = 0;
    std::optional<int> capacity_;
    std::optional<Error> failure_, removal_failure_, machine_error_;
    std::size_t changes_done_ = 0;
    /// The last list, and when the next one is made. Absent: the list is always current.
    std::vector<capstan::Machine> listed_;
    std::optional<Time> next_listing_;
    std::uint64_t version_ = 0;
    Time unchanged_until_;  ///< results do not change by time alone before this
};

}  // namespace capstan::simulated
