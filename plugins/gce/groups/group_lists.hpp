/// The managed instance groups that the settings select, as Google listed them last.
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

/// One machine of a group, from listManagedInstances or instances.list.
struct GroupMachine {
    ResourceLink link{};
    std::string id{};  ///< Google's number; empty: not made yet
    MachineStatus status{};
    std::string machine_type{};   ///< empty: the template's
    std::string template_link{};  ///< the instance template it was made from; empty: unknown
    std::optional<Time> launched{};
    std::optional<bool> spot{};
    std::optional<Error> fault{};
    bool operator==(const GroupMachine&) const = default;
};

struct MachineList {
    std::vector<GroupMachine> machines{};  ///< ascending by name
    int members = 0, leaving = 0;
    int unfinished = 0;          ///< members that do not run yet
    ManagedGroup row{};          ///< the group as it was listed when the machines were requested
    std::uint64_t asked_at = 0;  ///< by GroupLists::moment; 0: the machines were never read
    Duration read_at{};          ///< by host.monotonic()
    std::optional<Duration> whole_at{};  ///< the last listManagedInstances, by host.monotonic()
    std::optional<Error> unreadable{};   ///< of the last attempt, if it failed
};

struct ListedGroup {
    ManagedGroup row{};  ///< as it was listed last; empty unless `was_read`
    Choice choice{};
    std::optional<bool> is_made{};  ///< whether auto-provisioning made the group; absent: unknown
    bool was_read = false;
    std::optional<Error> unreadable{};  ///< of the last attempt; the subject is the group's id
    /// By GroupLists::moment: the last read, the last attempt, the last change by this process.
    std::uint64_t read_at = 0, tried_at = 0, changed_at = 0;
    std::uint64_t row_version = 0;         ///< changes whenever the row changes
    std::optional<Duration> kept_until{};  ///< a new group that lists may lack until then
    MachineList list{};

    /// Whether the group is in the view. A candidate is, once auto-provisioning is known to have
    /// made it.
    bool takes_part() const noexcept {
        return choice.origin != Origin::candidate || is_made.value_or(false);
    }
    GroupLimits limits() const noexcept { return choice.limits; }
    /// Whether the list of the group's machines may change from one pass to the next.
    bool is_in_motion() const noexcept;
};

/// Whether the group is stable and has no current actions.
bool is_at_rest(const ManagedGroup& row) noexcept;

/// [strand] All groups of each project are listed in each update, 500 groups a call.
class GroupLists {
public:
    GroupLists(const Host& host, ManagedGroupsApi& api, GroupChoice choice,
               std::size_t parallel_calls);

    /// If a project or place cannot be listed, its groups stay as they were and are marked
    /// unreadable. Fails only if all projects fail, with the error of the first.
    Task<void> update();
    /// Reads one group now. `not_found`: the group does not exist, or is not listed.
    Task<ManagedGroup> read(std::string id);
    /// Reads a group that was just made, and adds it to the listed groups.
    Task<void> read_made(std::string id);

    /// Call before and after a change of the group: the list of its machines is outdated.
    void note_change(const std::string& id);
    void forget(const std::string& id);
    /// Stores whether auto-provisioning made the group, which its instance template tells.
    void set_made(const std::string& id, bool is_made);
    /// Groups for which it is unknown whether auto-provisioning made them.
    std::vector<std::string> find_candidates() const;

    /// Stores the machines that were requested at `asked_at`. `is_whole`: by listManagedInstances.
    void store_machines(const std::string& id, std::vector<GroupMachine> machines,
                        const ManagedGroup& row, std::uint64_t asked_at, bool is_whole);
    void store_machine_error(const std::string& id, Error error);

    /// In the order of their ids.
    const std::map<std::string, ListedGroup>& groups() const noexcept { return groups_; }
    /// NULL if the group is unknown, or is a candidate that does not take part.
    const ListedGroup* find(const std::string& id) const;
    const GroupChoice& choice() const noexcept { return choice_; }
    /// A sentence for each project or place that could not be listed, and for each candidate whose
    /// instance template could not be read. Empty if the groups are complete.
    std::vector<std::string> find_failures() const;
    /// Changes whenever something changed that the view depends on.
    std::uint64_t version() const noexcept { return version_; }
    /// The next value of a logical clock that orders reads and changes.
    std::uint64_t moment() noexcept { return ++clock_; }
    /// Whether the group was read by the last update or after it.
    bool is_of_last_update(const ListedGroup& group) const noexcept {
        return group.was_read && group.read_at >= updated_at_;
    }

private:
    void store_list(const std::string& project, Result<ManagedGroups> answer,
                    std::uint64_t asked_at);
    void store_unreadable_places(const std::string& project, const ManagedGroups& answer,
                                 std::uint64_t asked_at);
    void store_broken(const ManagedGroups& answer, std::uint64_t asked_at);
    void store_absent(const std::string& project, std::uint64_t asked_at);
    void store(ManagedGroup row, const Choice& choice, std::uint64_t asked_at);
    void store_error(const std::string& id, Error error, std::uint64_t asked_at);
    void set_unreadable(ListedGroup& group, std::optional<Error> error);
    Error missing(const std::string& id) const;

    const Host host_;
    ManagedGroupsApi& api_;
    const GroupChoice choice_;
    const std::size_t parallel_calls_;
    std::map<std::string, ListedGroup> groups_{};
    /// Failures of the last update, by project and place; the place is empty for a whole project.
    std::map<std::pair<std::string, Place>, Error> failures_{};
    std::uint64_t clock_ = 0, version_ = 0, updated_at_ = 0;
};

}  // namespace capstan::gce
