/// The Auto Scaling groups that are meant, as AWS listed them last.
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
    std::vector<std::vector<TagFilter>> discovery{};  ///< each an alternative
    std::vector<std::string> names{};                 ///< listed whether or not they exist
    Duration refresh_every = std::chrono::minutes(1);
    std::size_t parallel_calls = 8;
};

/// Instances by what they mean for the group's size.
struct InstanceCounts {
    int members = 0, leaving = 0, unfinished = 0;  ///< unfinished: members that do not run yet
};
InstanceCounts count_instances(const AutoScalingGroup& group) noexcept;

struct ListedGroup {
    AutoScalingGroup group{};  ///< as it was read last, where `was_read`
    InstanceCounts counts{};   ///< of it
    bool was_read = false;
    std::optional<Error> unreadable{};  ///< of the last attempt; the subject is its name
    /// Moments: of the last reading, of the last attempt, of the last change by this process.
    std::uint64_t read_at = 0, tried_at = 0, changed_at = 0;

    /// What AWS shows of it may change from one pass to the next.
    bool is_in_motion() const noexcept;
};

/// [strand] All groups are listed once in `refresh_every`: a call for each expression and 100
/// groups of it, and one for 100 names. In between, groups in motion are read by their names, 100
/// at a time.
class GroupLists {
public:
    GroupLists(const Host& host, AutoScalingApi& api, ListConfig config);

    /// Reads what is due. A list that fails leaves its groups as they were, and unreadable. Fails
    /// where all lists do, with the error of the first.
    Task<void> update();
    /// One group as it is now; `not_found`: it is not there.
    Task<AutoScalingGroup> read(std::string name);

    /// The group is about to be changed, or was: what was read before holds no longer.
    void note_change(const std::string& name);
    /// Groups may have come or gone: the next update lists all.
    void expire() noexcept;

    /// In the order of their names.
    const std::map<std::string, ListedGroup>& groups() const noexcept { return groups_; }
    /// NULL: it is not known.
    const ListedGroup* find(const std::string& name) const;
    /// Why lists could not be read last time, in sentences; none: what there is, is known.
    std::vector<std::string> find_failures() const;
    /// Another one whenever something was read.
    std::uint64_t version() const noexcept { return version_; }
    /// Whether the last update has read it, or something since.
    bool is_of_last_update(const ListedGroup& group) const noexcept {
        return group.was_read && group.read_at >= updated_at_;
    }

private:
    /// What one list is about: an expression, or names.
    struct Source {
        std::vector<TagFilter> tags{};
        std::vector<std::string> asked{};  ///< where there are no tags
        std::set<std::string> names{};     ///< of the last list that succeeded, and `asked`
        std::optional<Duration> listed_at{};
        std::optional<Error> failure{};  ///< of the last attempt
    };
    std::vector<Source*> find_due();
    Task<AutoScalingGroups> list(const Source& source);
    void take(Source& source, Result<AutoScalingGroups> told, std::uint64_t asked_at);
    void take_absent(const std::vector<std::string>& names, const AutoScalingGroups& told,
                     std::uint64_t asked_at);
    void store(AutoScalingGroup group, std::uint64_t asked_at);
    void leave_out_nameless(AutoScalingGroups& told) const;
    void take_group_errors(AutoScalingGroups& told, std::uint64_t asked_at);
    void store_error(const std::string& name, Error error, std::uint64_t asked_at);
    Task<void> read_moving(std::uint64_t asked_at);
    std::vector<std::vector<std::string>> find_moving(std::uint64_t asked_at) const;
    void drop_strangers();

    const Host host_;
    AutoScalingApi& api_;
    const ListConfig config_;
    std::vector<Source> sources_;
    std::map<std::string, ListedGroup> groups_{};
    std::uint64_t clock_ = 0, version_ = 0, updated_at_ = 0;
};

}  // namespace capstan::aws
