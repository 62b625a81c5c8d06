/// Changes of managed instance groups: increases, decreases, and deletions of instances.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/failed_changes.hpp>
#include <capstan/host.hpp>
#include <capstan/standing_warnings.hpp>
#include <capstan/target_setter.hpp>
#include <capstan/task.hpp>

#include "../api/managed_groups.hpp"
#include "../api/open_operations.hpp"
#include "group_lists.hpp"
#include "machine_lists.hpp"
#include "template_reader.hpp"

namespace capstan::gce {

/// How long lists may take to show a change. A lower target size after that was set by another
/// client.
inline constexpr Duration list_lag_max = std::chrono::minutes(2);

/// [strand] Instances are created and deleted by name, so a request can safely be sent twice, and
/// ends no other machine. The group is read right before each change (TargetSetter). What Google
/// has agreed to is counted by the host. Here only names are remembered until lists show them:
/// names that were asked for, and instances that were asked to end.
///
/// An operation is awaited for a few seconds. An operation that takes longer counts as accepted; if
/// it fails later, its machines are shown as failed (FailedChanges).
class GroupChanges {
public:
    struct Parts {
        GceClient& client;
        ManagedGroupsApi& api;
        GroupLists& lists;
        MachineLists& machines;
        TemplateReader& templates;
        OpenOperations& operations;
        FailedChanges& failed;
    };
    GroupChanges(const Host& host, Parts parts);

    /// By createInstances, or by resize if the group accepts no given names.
    Task<Resized> increase(Resize request);
    /// Deletes machines that Google has not made yet, by name. If there are fewer of them, only
    /// these are deleted, and the answer has the target that is left. `conflict`: there are none,
    /// or the lists do not show the last increase yet.
    Task<Resized> decrease_target(Resize request);
    /// Deletes the machines, by name; with `keep_target` they are recreated.
    Task<Removed> remove(Removal request);

    /// Call after an update of the lists. Forgets names that the lists now show, or should show by
    /// now.
    void observe();
    /// Shows instances that are recreated as machines that are being deleted, until Google has made
    /// them anew: they keep their names.
    void show_in(CloudView& view) const;
    /// Changes whenever `show_in` may show something else.
    std::uint64_t version() const noexcept { return version_; }

private:
    /// The last increase of a group.
    struct Increase {
        std::string key{};
        std::vector<std::string> names{};  ///< a repeated request (same key) uses them again
        std::set<std::string> awaited{};   ///< names that no list has shown yet
        int resized_to = 0;                ///< by resize; 0: by names
        Duration at{};                     ///< by host.monotonic()
    };
    struct Recreated {
        std::string id{};  ///< Google's number of the old instance
        Duration at{};
    };
    using LateErrors = std::function<void(const std::vector<Error>&)>;

    Task<ManagedGroup> read(NodeGroupId id);
    /// The state of the group without the number of machines, since changes by name end no other
    /// machine.
    Task<TargetSetter::Current> read_row(NodeGroupId id);
    /// The same, and reads the machines.
    Task<TargetSetter::Current> read_all(NodeGroupId id);
    /// The same, with the number of machines.
    Task<TargetSetter::Current> read_for_resize(NodeGroupId id);

    Result<std::vector<std::string>> names_for(const Resize& request, const ManagedGroup& row);
    /// Creates the instances in several calls. Returns the target size that Google accepted: with
    /// all names, or with those of the calls before the first error.
    Task<Resized> create(Resize request);
    Task<void> create_some(NodeGroupId group, ManagedGroup row, std::vector<std::string> names);
    Task<Resized> resize(Resize request, int target);
    Task<Resized> take_back(Resize request);
    std::vector<ResourceLink> find_unmade(const NodeGroupId& group,
                                          const ListedGroup& listed) const;
    bool is_shown(const Increase& increase, const ListedGroup& listed) const;

    Task<Removed> remove_locked(Removal request);
    Result<void> check_minimum(const Removal& request, const ListedGroup& listed) const;
    bool is_being_deleted(const NodeGroupId& group, const std::string& instance) const;
    void sort_removals(const Removal& request, const ListedGroup& listed,
                       std::vector<ResourceLink>& going, std::vector<Error>& failed) const;
    Task<std::vector<Error>> remove_some(NodeGroupId group, std::vector<ResourceLink> instances,
                                         bool keep_target);
    void note_removal(const NodeGroupId& group, const std::vector<ResourceLink>& instances,
                      const std::vector<Error>& failed, bool keep_target);
    void warn_of_redistribution(const ManagedGroup& row);

    /// Awaits the operation of a change for a few seconds. If it fails later, `late` gets its
    /// errors.
    Task<Operation> follow(Task<Operation> change, NodeGroupId group, LateErrors late);
    /// Like follow, but throws a Failure if the operation has failed.
    Task<void> carry_out(Task<Operation> change, NodeGroupId group, LateErrors late);
    void note_change(const NodeGroupId& group);
    void show_failed_creation(const NodeGroupId& group, const ManagedGroup& row,
                              const std::vector<std::string>& names,
                              const std::vector<Error>& errors);
    void show_failed_removal(const NodeGroupId& group, const std::vector<ResourceLink>& instances,
                             const std::vector<Error>& errors);
    void forget_removed();

    const Host host_;
    const Parts parts_;
    TargetSetter targets_;
    std::map<NodeGroupId, Increase> increases_{};
    /// When this process last changed the group, by host.monotonic(): its machines are read in each
    /// pass for list_lag_max.
    std::map<NodeGroupId, Duration> changed_at_{};
    /// Instances that Google agreed to delete and lists may still show as members, with the time.
    std::map<NodeGroupId, std::map<std::string, Duration>> deleting_{};
    std::map<NodeGroupId, std::map<std::string, Recreated>> recreated_{};
    std::uint64_t version_ = 0;
    StandingWarnings warnings_;
};

}  // namespace capstan::gce
