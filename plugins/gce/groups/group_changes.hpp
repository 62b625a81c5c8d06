/// What groups are asked for: more, fewer, and the end of machines.
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

/// [strand] Machines are asked for by names, and deleted by names: sent twice neither does harm.
/// The group is read right before, and is changed only where its target is the one that was
/// expected. Changes of one group are made one after another. An operation is awaited for a few
/// seconds; one that goes on is agreed to, and lists show what it comes to. Later refreshes ask how
/// the operation has ended, and log a failure.
class GroupChanges {
public:
    struct Parts {
        GceClient& client;
        ManagedGroupsApi& api;
        GroupLists& lists;
        MachineLists& machines;
    };
    GroupChanges(const Host& host, Parts parts);

    /// By createInstances; by the target size where the group refuses that.
    Task<Resized> increase(Resize request);
    /// Down to the machines that are made, never below: by the names of those that are not.
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);

    /// Starts a round of questions about open operations, unless the last round is still under way.
    /// The round runs beside the refresh. An operation that has failed is a warning in the log.
    void look_after_operations();
    /// Before an update of the lists: the moment to hand to `see`.
    std::uint64_t moment() noexcept { return answers_.moment(); }
    /// After it: what was answered counts until the lists show it.
    void see(std::uint64_t asked_at);

private:
    /// The last request for more, by key: sent again it has the same names and the same answer.
    struct Wish {
        std::string key{};
        std::vector<std::string> names{};
        std::optional<Resized> answer{};
    };
    /// The group's row, read right before.
    Task<ManagedGroup> read(NodeGroupId id);
    Semaphore& turn_of(const NodeGroupId& group);
    Task<Resized> increase_in_turn(Resize request, int goal);
    Task<Resized> decrease_in_turn(Resize request, int goal);
    /// Members that Google has not made, and how many it has.
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
    /// The target that was agreed to: all of `names`, or as many as there were calls without error.
    Task<Resized> create(Resize request, ManagedGroup row, std::vector<std::string> names);
    Task<Resized> set_target(Resize request, int goal, ResourceLink link);
    Resized agree(const Resize& request, Resized answer);
    /// What a change came to, as far as it is known within a few seconds.
    Task<void> carry_out(Task<Operation> change, std::string group_id);
    /// As above, with all of the operation's errors.
    Task<Operation> follow(Task<Operation> change, std::string group_id);

    void note_open(const Operation& operation, std::string group_id);
    Task<void> ask_about_operations();

    Task<Removed> remove_in_turn(Removal request);
    Result<void> check_minimum(const Removal& request, const ListedGroup& listed) const;
    bool is_going(const NodeGroupId& group, const std::string& instance) const;
    void sort_out(const Removal& request, const ListedGroup& listed,
                  std::vector<ResourceLink>& going, std::vector<Error>& failed) const;
    Task<std::vector<Error>> remove_some(NodeGroupId group, std::vector<ResourceLink> instances);
    /// `target`: what was listed before; nothing: the group was not.
    void note_removal(const NodeGroupId& group, const std::vector<ResourceLink>& instances,
                      const std::vector<Error>& failed, std::optional<int> target);
    void tell_redistribution(const ManagedGroup& row);
    void forget_what_is_seen();
    bool is_awaited(const NodeGroupId& group, int listed) const;

    const Host host_;
    const Parts parts_;
    std::map<NodeGroupId, Semaphore> turns_{};
    TargetAnswers answers_{};
    std::map<NodeGroupId, Wish> wishes_{};
    /// Targets and removals that were agreed to last, by host.monotonic(), while lists may lag.
    std::map<NodeGroupId, Duration> answered_at_{}, removed_at_{};
    /// Instances whose end was agreed to and that lists may still show as members: when.
    std::map<NodeGroupId, std::map<std::string, Duration>> going_{};
    /// An operation that was still running, or could not be read, when its change was answered.
    struct OpenOperation {
        ResourceLink link{};
        std::string group_id{};
        Duration since{};
    };
    std::deque<OpenOperation> open_{};  ///< ascending by when Google was asked about it last
    StandingWarnings warnings_;
    Background background_;
};

/// How long lists may take to show a change. A lower target after that is one that others have set.
inline constexpr Duration list_lag_most = std::chrono::minutes(2);

}  // namespace capstan::gce
