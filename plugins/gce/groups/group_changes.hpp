/// Changes of managed instance groups: increases, decreases, and deletions of instances.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/background.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/host.hpp>
#include <capstan/semaphore.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/target_answers.hpp>
#include <capstan/task.hpp>

#include "../api/managed_groups.hpp"
#include "../api/operations.hpp"
#include "group_lists.hpp"
#include "machine_lists.hpp"

namespace capstan::gce {

/// [strand] Instances are created and deleted by name, so a request can safely be sent twice. The
/// group is read right before each change, and is changed only if its target size is the one that
/// the request expects. Changes of one group are serialized. An operation is awaited for a few
/// seconds. An operation that takes longer counts as accepted, and later lists show its outcome;
/// later refreshes also ask how it has ended, and log a failure.
class GroupChanges {
public:
    struct Parts {
        GceClient& client;
        ManagedGroupsApi& api;
        GroupLists& lists;
        MachineLists& machines;
    };
    GroupChanges(const Host& host, Parts parts);

    /// By createInstances, or by resize if the group accepts no given names.
    Task<Resized> increase(Resize request);
    /// Deletes machines that Google has not made yet, by name. Never lowers the target size below
    /// the number of machines that are made.
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);

    /// Polls open operations in the background, unless the last poll is still under way. A failed
    /// operation is logged as a warning.
    void look_after_operations();
    /// Call before an update of the lists, and pass the result to `see` after the update.
    std::uint64_t moment() noexcept { return answers_.moment(); }
    /// Call after an update of the lists. Accepted changes that the lists now show, or should show
    /// by now, are forgotten; until then the accepted numbers count in place of the listed ones.
    void see(std::uint64_t asked_at);

private:
    /// The last increase of a group. A repeated request (same key) uses the same names and gets the
    /// same answer.
    struct LastRequest {
        std::string key{};
        std::vector<std::string> names{};
        std::optional<Resized> answer{};
    };
    /// Reads the group now.
    Task<ManagedGroup> read(NodeGroupId id);
    Semaphore& lock_of(const NodeGroupId& group);
    Task<Resized> increase_locked(Resize request, int goal);
    Task<Resized> decrease_locked(Resize request, int goal);
    /// Members that Google has not made yet, and the number of members that it has made.
    struct UnmadeMachines {
        std::vector<ResourceLink> links{};
        int made = 0;
    };
    UnmadeMachines find_unmade(const NodeGroupId& group, const ListedGroup& listed) const;
    Task<Resized> take_back(Resize request, int goal, ResourceLink link,
                            std::vector<ResourceLink> going);
    bool may_lag(const NodeGroupId& group) const;
    bool suits(const Resize& request, int listed) const;
    Result<void> check(const Resize& request, int listed) const;
    std::optional<Resized> find_answer(const Resize& request, int goal, int listed) const;
    Result<std::vector<std::string>> names_for(const Resize& request, const ManagedGroup& row);
    /// Creates the instances in several calls. Returns the target size that Google accepted: with
    /// all of `names`, or with those of the calls before the first error.
    Task<Resized> create(Resize request, ManagedGroup row, std::vector<std::string> names);
    Task<Resized> set_target(Resize request, int goal, ResourceLink link);
    Resized agree(const Resize& request, Resized answer);
    /// Awaits the operation of a change for a few seconds. Throws a Failure if it failed by then.
    Task<void> carry_out(Task<Operation> change, std::string group_id);
    /// Like carry_out, but returns the operation with all of its errors.
    Task<Operation> follow(Task<Operation> change, std::string group_id);

    void note_open(const Operation& operation, std::string group_id);
    Task<void> ask_about_operations();

    Task<Removed> remove_locked(Removal request);
    Result<void> check_minimum(const Removal& request, const ListedGroup& listed) const;
    bool is_being_deleted(const NodeGroupId& group, const std::string& instance) const;
    void sort_removals(const Removal& request, const ListedGroup& listed,
                       std::vector<ResourceLink>& going, std::vector<Error>& failed) const;
    Task<std::vector<Error>> remove_some(NodeGroupId group, std::vector<ResourceLink> instances);
    /// `target`: the listed target size before the removal; nullopt if the group was not listed.
    void note_removal(const NodeGroupId& group, const std::vector<ResourceLink>& instances,
                      const std::vector<Error>& failed, std::optional<int> target);
    void warn_of_redistribution(const ManagedGroup& row);
    void forget_listed_changes();
    bool is_awaited(const NodeGroupId& group, int listed) const;

    const Host host_;
    const Parts parts_;
    std::map<NodeGroupId, Semaphore> locks_{};
    TargetAnswers answers_{};
    std::map<NodeGroupId, LastRequest> last_requests_{};
    /// When Google last accepted a target size and a removal, by host.monotonic(). Entries are
    /// dropped once lists can no longer lag behind them.
    std::map<NodeGroupId, Duration> answered_at_{}, removed_at_{};
    /// Instances that Google agreed to delete and lists may still show as members, with the time.
    std::map<NodeGroupId, std::map<std::string, Duration>> deleting_{};
    /// An operation that had not ended, or could not be read, when the host got its answer.
    struct OpenOperation {
        ResourceLink link{};
        std::string group_id{};
        Duration since{};
    };
    std::deque<OpenOperation> open_{};  ///< polled from the front; a polled one moves to the end
    StandingWarnings warnings_;
    Background background_;
};

/// How long lists may take to show a change. A lower target size after that was set by another
/// client.
inline constexpr Duration list_lag_max = std::chrono::minutes(2);

}  // namespace capstan::gce
