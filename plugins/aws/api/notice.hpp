/// What EventBridge tells of instances that leave, as a queue's messages have it.
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
    std::optional<Time> at{};  ///< nothing: not known when
    bool is_over = false;      ///< was called off, or carried out: it is told no longer
    bool operator==(const Notice&) const = default;
};

/// The notices of one message's body. None: an event that is of no concern, such as an instance
/// that starts. These are:
///
/// | detail-type                              | reason            | at                        |
/// |------------------------------------------|-------------------|---------------------------|
/// | EC2 Spot Instance Interruption Warning   | spot_interruption | two minutes after `time`  |
/// | EC2 Instance Rebalance Recommendation    | rebalance         | not known                 |
/// | AWS Health Event, EC2's scheduledChange  | maintenance       | `detail.startTime`        |
/// | EC2 Instance State-change Notification   | other             | `time`                    |
/// | EC2 Instance-terminate Lifecycle Action  | other             | `time`                    |
///
/// Of states these count: stopping, stopped, shutting-down, terminated; with "running" it is over,
/// as of an instance that comes out of a warm pool. A scheduled change that is "closed" is over. A
/// lifecycle hook that writes into the queue without EventBridge is understood, too. A time that is
/// none is not known. An error (`invalid_argument`): it is no JSON, no such envelope, or an event
/// of these kinds without an instance.
Result<std::vector<Notice>> read_notices(std::string_view body);

/// Which of two is told of an instance: a notice that is more certain, of equal ones the later.
bool takes_the_place(const Notice& later, const Notice& earlier) noexcept;

}  // namespace capstan::aws
