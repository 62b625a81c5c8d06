/// Notices of EventBridge about instances that AWS is about to terminate, from messages of a queue.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>

namespace capstan::aws {

struct Notice {
    std::string instance_id{};
    LeaveReason reason = LeaveReason::other;
    std::optional<Time> at{};  ///< absent: the time is unknown
    bool is_over = false;      ///< cancelled or done: ends an earlier notice with the same reason
    bool operator==(const Notice&) const = default;
};

/// Parses the body of one message. Empty if the event is irrelevant, such as an instance that
/// starts. The relevant events are:
///
/// | detail-type                              | reason            | at                        |
/// |------------------------------------------|-------------------|---------------------------|
/// | EC2 Spot Instance Interruption Warning   | spot_interruption | two minutes after `time`  |
/// | EC2 Instance Rebalance Recommendation    | rebalance         | not known                 |
/// | AWS Health Event, EC2's scheduledChange  | maintenance       | `detail.startTime`        |
/// | EC2 Instance State-change Notification   | other             | `time`                    |
/// | EC2 Instance-terminate Lifecycle Action  | other             | `time`                    |
///
/// The relevant states are stopping, stopped, shutting-down and terminated. The state "running"
/// ends an earlier notice of one of these states (`is_over`): an instance may leave a warm pool. A
/// scheduled change that is "closed" is over, too. Messages of a lifecycle hook that writes into
/// the queue without EventBridge are understood as well. A malformed time is unknown.
/// `invalid_argument`: the body is not valid JSON, has no such envelope, or is one of these events,
/// other than a Health event, without an instance.
Result<std::vector<Notice>> read_notices(std::string_view body);

/// Whether `later` replaces `earlier` as the notice of an instance: it does unless it is less
/// certain. From most to least certain: spot_interruption, other, maintenance, all other reasons.
bool supersedes(const Notice& later, const Notice& earlier) noexcept;

}  // namespace capstan::aws
