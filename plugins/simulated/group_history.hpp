/// The past states of a group, which lagging lists show.
#pragma once

#include <deque>

#include "group.hpp"

namespace capstan::simulated {

/// Keeps a copy of the group after each request. The state at a time in between is computed by
/// `reach` from the copy before. States before the first copy are unknown.
class GroupHistory {
public:
    GroupHistory(const Group& group, Time now) { moments_.push_back({now, group}); }
    /// Call after a request or another change of the group, which has reached `now`.
    void note(const Group& group, Time now) { moments_.push_back({now, group}); }
    /// Replaces the settings in all copies.
    void reconfigure(const GroupConfig& config);

    /// The group at `then`, or the first copy if that is later. Drops earlier copies: later calls
    /// may not ask for an earlier time.
    const Group& at(Time then);

private:
    struct Moment {
        Time at{};
        Group group;
    };
    /// Ascending by time, never empty. The first is the one that `at` returned last.
    std::deque<Moment> moments_;
};

/// An approximation of the group's record at `then` from a later record: machines that were
/// requested after `then` are removed; machines that are gone since are not restored.
GroupRecord record_before(GroupRecord record, Time then);

}  // namespace capstan::simulated
