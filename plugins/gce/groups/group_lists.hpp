/// The groups that are meant, as Google listed them last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../api/managed_groups.hpp"
#include "group_choice.hpp"
#include "machine_states.hpp"

namespace capstan::gce {

/// One machine of a group, from whichever list.
struct GroupMachine {
    ResourceLink link{};
    std::string id{};  ///< Google's number; empty: not made yet
    MachineStanding standing{};
    std::string machine_type{};   ///< empty: the template's
    std::string template_link{};  ///< of the version that it was made from; empty: unknown
    std::optional<Time> launched{};
    std::optional<bool> spot{};
    std::optional<Error> fault{};
    bool operator==(const GroupMachine&) const = default;
};

struct MachineList {
    std::vector<GroupMachine> machines{};  ///< by name
    int members = 0, leaving = 0;
    int unfinished = 0;          ///< members that do not run yet
    ManagedGroup row{};          ///< its group as it was listed when the machines were asked for
    std::uint64_t asked_at = 0;  ///< the moment; 0: they were never read
    Duration read_at{};          ///< by host.monotonic()
    std::optional<Duration> whole_at{};  ///< when the group itself was asked for them
    std::optional<Error> unreadable{};   ///< of the last attempt
};

struct ListedGroup {
    ManagedGroup row{};  ///< as it was read last, where `was_read`
    Choice choice{};
    std::optional<bool> is_made{};  ///< by provisioning; nothing: not known
    bool was_read = false;
    std::optional<Error> unreadable{};  ///< of the last attempt; the subject is its id
    /// Moments: of the last reading, of the last attempt, of the last change by this process.
    std::uint64_t read_at = 0, tried_at = 0, changed_at = 0;
    std::uint64_t row_version = 0;         ///< another one whenever the row changed
    std::optional<Duration> kept_until{};  ///< it was made just now, and lists may lag
    MachineList list{};

    /// A group that may be of provisioning takes part once it is known to be.
    bool takes_part() const noexcept {
        return choice.origin != Origin::candidate || is_made.value_or(false);
    }
    /// Between which sizes it is scaled.
    GroupLimits limits() const noexcept { return choice.limits; }
    /// What Google shows of its machines may change from one pass to the next.
    bool is_in_motion() const noexcept;
};

/// Whether the group carries out nothing on its machines.
bool is_at_rest(const ManagedGroup& row) noexcept;

/// [strand] All groups of each project are listed in each update, 500 of them a call.
class GroupLists {
public:
    GroupLists(const Host& host, ManagedGroupsApi& api, GroupChoice choice,
               std::size_t parallel_calls);

    /// A project or a place that cannot be listed leaves its groups as they were, and unreadable.
    /// Fails where all projects do, with the error of the first.
    Task<void> update();
    /// One group as it is now; `not_found`: it is not there, or none of those that are listed.
    Task<ManagedGroup> read(std::string id);
    /// The same for a group that was made just now: it is listed from here on.
    Task<void> read_made(std::string id);

    /// The group is about to be changed, or was: the list of its machines holds no longer.
    void note_change(const std::string& id);
    void forget(const std::string& id);
    /// Whether provisioning made it, which only its instance template tells.
    void set_made(const std::string& id, bool is_made);
    /// Groups whose instance template is to be asked about that.
    std::vector<std::string> find_candidates() const;

    /// Machines that were asked for at that moment, or why they could not be read.
    void store_machines(const std::string& id, std::vector<GroupMachine> machines,
                        const ManagedGroup& row, std::uint64_t asked_at, bool is_whole);
    void store_machine_error(const std::string& id, Error error);

    /// In the order of their ids.
    const std::map<std::string, ListedGroup>& groups() const noexcept { return groups_; }
    /// NULL: it is not known, or takes no part.
    const ListedGroup* find(const std::string& id) const;
    const GroupChoice& choice() const noexcept { return choice_; }
    /// Where groups may be that could not be listed, in sentences; none: what there is, is known.
    std::vector<std::string> find_failures() const;
    /// Another one whenever something changed that a view tells.
    std::uint64_t version() const noexcept { return version_; }
    /// A moment to compare readings with.
    std::uint64_t moment() noexcept { return ++clock_; }
    /// Whether the last update has read its row, or something since.
    bool is_of_last_update(const ListedGroup& group) const noexcept {
        return group.was_read && group.read_at >= updated_at_;
    }

private:
    void take(const std::string& project, Result<ManagedGroups> told, std::uint64_t asked_at);
    void take_unreadable(const std::string& project, const ManagedGroups& told,
                         std::uint64_t asked_at);
    void take_broken(const ManagedGroups& told, std::uint64_t asked_at);
    void take_absent(const std::string& project, std::uint64_t asked_at);
    void store(ManagedGroup row, const Choice& choice, std::uint64_t asked_at);
    void store_error(const std::string& id, Error error, std::uint64_t asked_at);
    void set_unreadable(ListedGroup& group, std::optional<Error> error);
    Error missing(const std::string& id) const;

    const Host host_;
    ManagedGroupsApi& api_;
    const GroupChoice choice_;
    const std::size_t parallel_calls_;
    std::map<std::string, ListedGroup> groups_{};
    /// Of the last update: projects as a whole (an empty place), and places.
    std::map<std::pair<std::string, Place>, Error> failures_{};
    std::uint64_t clock_ = 0, version_ = 0, updated_at_ = 0;
};

}  // namespace capstan::gce
