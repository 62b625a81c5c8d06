#include "group_history.hpp"

#include <algorithm>

namespace capstan::simulated {

void GroupHistory::reconfigure(const GroupConfig& config) {
    for (Moment& moment : moments_) moment.group.reconfigure(config);
}

const Group& GroupHistory::at(Time then) {
    while (moments_.size() > 1 && moments_[1].at <= then) moments_.pop_front();
    Moment& moment = moments_.front();
    if (moment.at <= then) moment.group.reach(then);
    return moment.group;
}

GroupRecord record_before(GroupRecord record, Time then) {
    std::erase_if(record.machines, [&](const MachineRecord& m) { return m.requested > then; });
    return record;
}

}  // namespace capstan::simulated
