/// The Auto Scaling groups that the settings select, as AWS listed them last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

struct ListConfig {
    /// A group is selected if its tags match at least one of these expressions.
    std::vector<std::vector<TagFilter>> discovery{};
    std::vector<std::string> names{};  ///< groups by name; a missing one is reported as unreadable
    Duration refresh_every = std::chrono::minutes(1);
    std::size_t parallel_calls = 8;
};

/// Numbers of instances by Membership; `unfinished` are members that do not run yet.
struct InstanceCounts {
    int members = 0, leaving = 0, unfinished = 0;
    int protected_members = 0;  ///< from scale-in
};
InstanceCounts count_instances(const AutoScalingGroup& group) noexcept;

struct ListedGroup {
    AutoScalingGroup group{};  ///< as it was read last; empty unless `was_read`
    InstanceCounts counts{};   ///< of `group`
    bool was_read = false;
    /// The error of the last attempt, if it failed; the subject is the group's name.
    std::optional<Error> unreadable{};
    /// Values of the lists' logical clock: at the last successful read, at the last attempt, and at
    /// the last change by this process.
    std::uint64_t read_at = 0, tried_at = 0, changed_at = 0;

    /// Whether what AWS shows of the group may change from one pass to the next: the group was
    /// changed since it was read, could not be read, does not have its desired size, or has
    /// instances that start or terminate.
    bool is_in_motion() const noexcept;
};

/// [strand] All groups are listed once in `refresh_every`: each tag expression and the names of the
/// settings, 100 groups a call. In between, only groups in motion are read by name, 100 a call.
class GroupLists {
public:
    GroupLists(const Host& host, AutoScalingApi& api, ListConfig config);

    /// Reads what is due. If a list fails, its groups stay as they were and are marked unreadable.
    /// Fails only if all lists fail, with the error of the first, or if no list is due and all
    /// calls for groups in motion fail, the first because AWS throttles.
    Task<void> update();
    /// Reads one group now. `not_found`: the group does not exist.
    Task<AutoScalingGroup> read(std::string name);

    /// Call before and after a change of the group: what was read before is outdated.
    void note_change(const std::string& name);
    /// Call when groups were created or deleted: the next update lists all groups.
    void expire() noexcept;

    /// In the order of their names.
    const std::map<std::string, ListedGroup>& groups() const noexcept { return groups_; }
    /// NULL if the group is unknown.
    const ListedGroup* find(const std::string& name) const;
    /// A sentence for each list that could not be read last time. Empty if the groups are complete.
    std::vector<std::string> find_failures() const;
    /// Changes whenever something was read.
    std::uint64_t version() const noexcept { return version_; }
    /// Whether the group was read by the last update or after it.
    bool is_of_last_update(const ListedGroup& group) const noexcept {
        return group.was_read && group.read_at >= updated_at_;
    }

private:
    /// What one list asks for: a tag expression, or groups by name.
    struct Source {
        std::vector<TagFilter> tags{};
        std::vector<std::string> asked{};  ///< names of groups, if `tags` is empty
        std::set<std::string> names{};     ///< `asked` and the groups of the last successful list
        std::optional<Duration> listed_at{};
        std::optional<Error> failure{};  ///< of the last attempt
    };
    std::vector<Source*> find_due();
    Task<AutoScalingGroups> list(const Source& source);
    void store_list(Source& source, Result<AutoScalingGroups> answer, std::uint64_t asked_at);
    void store_absent(const std::vector<std::string>& names, const AutoScalingGroups& answer,
                      std::uint64_t asked_at);
    void store(AutoScalingGroup group, std::uint64_t asked_at);
    void leave_out_nameless(AutoScalingGroups& answer) const;
    void store_group_errors(AutoScalingGroups& answer, std::uint64_t asked_at);
    void store_error(const std::string& name, Error error, std::uint64_t asked_at);
    Task<std::vector<Error>> read_moving(std::uint64_t asked_at);
    std::vector<std::vector<std::string>> find_moving(std::uint64_t asked_at) const;
    void drop_unlisted();

    const Host host_;
    AutoScalingApi& api_;
    const ListConfig config_;
    std::vector<Source> sources_;
    std::map<std::string, ListedGroup> groups_{};
    std::uint64_t clock_ = 0, version_ = 0, updated_at_ = 0;
};

}  // namespace capstan::aws
