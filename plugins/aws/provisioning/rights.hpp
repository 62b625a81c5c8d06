/// What `capstan doctor` finds out about the account's permissions.
///
///     Task<void> Aws::self_check() {                      // on the strand; 30 seconds
///         const RightsQuestion question{...};
///         co_await demand_rights(host_, client_, question);
///     }
///
/// What only reads is called, EC2's others are asked by DryRun. SetDesiredCapacity,
/// TerminateInstanceInAutoScalingGroup and what makes and deletes groups are never called: IAM's
/// simulation is asked with the group's own tags. Where it is not allowed, or does not know, the
/// right is told as not checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"
#include "needed_rights.hpp"

namespace capstan::aws {

class AwsClient;

struct RightsQuestion {
    std::string region{};
    std::vector<AutoScalingGroup> groups{};  ///< as they were read last; may be empty
    bool failed_activities = true;           ///< health by them is on
    bool provisioning = false;
    std::string cluster{};          ///< of provisioning
    std::string event_queue_url{};  ///< empty: none
};

struct RightVerdict {
    enum class Kind : std::uint8_t { granted, refused, not_checked };
    std::string action{};    ///< "autoscaling:SetDesiredCapacity"
    std::string resource{};  ///< an ARN; empty: none in particular
    Kind kind = Kind::not_checked;
    std::string because{};  ///< a sentence, unless granted
};

/// [strand] Of each right that the settings need; of those on groups for each of at most ten.
/// Fails where nothing can be asked: no credentials, no network.
Task<std::vector<RightVerdict>> check_rights(Host host, AwsClient& client, RightsQuestion question);

/// `permission` with a sentence for each action that is refused, the resource with it.
Result<void> judge_rights(const std::vector<RightVerdict>& verdicts);
/// "not checked: autoscaling:SetDesiredCapacity: ..."; each reason once, with its actions.
std::vector<std::string> tell_unchecked(const std::vector<RightVerdict>& verdicts);

/// [strand] Asks, logs what was not checked, and throws what is refused.
Task<void> demand_rights(Host host, AwsClient& client, RightsQuestion question);

/// "arn:aws:sqs:eu-central-1:1:queue" of "https://sqs.eu-central-1.amazonaws.com/1/queue"; empty:
/// the URL has not that shape.
std::string queue_arn(std::string_view url, std::string_view region);

}  // namespace capstan::aws
