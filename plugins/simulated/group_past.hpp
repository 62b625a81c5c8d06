/// How a group was a while ago, which is what a list that lags tells of it.
#pragma once

#include <deque>

#include "group.hpp"

namespace capstan::simulated {

/// Keeps the group as it was after each request; what time alone brought between two is worked out
/// from that, as the group itself does it. What happened before it was begun is not known.
class GroupPast {
public:
    GroupPast(const Group& group, Time now) { moments_.push_back({now, group}); }
    /// It has been asked for something, or was changed from outside; it has reached `now`.
    void note(const Group& group, Time now) { moments_.push_back({now, group}); }
    /// From the beginning it was one of these settings.
    void reconfigure(const GroupConfig& config);

    /// As it was then, or when this began if that is later. Forgets what was before: later calls
    /// ask for no earlier time.
    const Group& at(Time then);

private:
    struct Moment {
        Time at{};
        Group group;
    };
    std::deque<Moment> moments_;  ///< by time, never empty; the first is the one told last
};

/// A group as it was then, as far as it can be told from what is on record later: machines that
/// were requested afterwards are missing, those that went since are not brought back.
GroupRecord record_before(GroupRecord record, Time then);

}  // namespace capstan::simulated
