/// Checks the permissions of the caller for `capstan doctor`.
///
///     Task<void> Aws::self_check() {                      // on the strand; 30 seconds
///         const RightsQuestion question{...};
///         co_await require_rights(host_, client_, question);
///     }
///
/// Read-only actions of Auto Scaling and EKS are called; those of EC2 are checked by DryRun. All
/// other actions, such as SetDesiredCapacity and those that make and delete groups, are never
/// called: IAM's policy simulation is asked, with the group's own tags. A tag that a condition
/// requires and the group lacks is a refusal. If the simulation is not permitted, or its result is
/// unknown, the permission is reported as not checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../api/auto_scaling.hpp"
#include "needed_permissions.hpp"

namespace capstan::aws {

class AwsClient;

struct RightsQuestion {
    std::string region{};
    std::vector<AutoScalingGroup> groups{};  ///< as they were read last; may be empty
    bool failed_activities = true;           ///< the setting
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

/// [strand] Checks each permission that the settings need; those on groups for each of at most ten
/// groups, which differ in their tags as far as possible. Fails if nothing can be checked: no
/// credentials, no network.
Task<std::vector<RightVerdict>> check_rights(Host host, AwsClient& client, RightsQuestion question);

/// Fails with `permission` and a sentence for each refused action with its resource. An action that
/// is only recommended is no reason to fail.
Result<void> judge_rights(const std::vector<RightVerdict>& verdicts);
/// "recommended: autoscaling:SetInstanceProtection on ... is denied: ...; with it, ...", one for
/// each resource.
std::vector<std::string> format_recommended(const std::vector<RightVerdict>& verdicts);
/// "not checked: autoscaling:SetDesiredCapacity: ...": one sentence for each reason, with the
/// actions.
std::vector<std::string> format_unchecked(const std::vector<RightVerdict>& verdicts);

/// [strand] check_rights, a warning for what was not checked, and a Failure for refused actions.
Task<void> require_rights(Host host, AwsClient& client, RightsQuestion question);

/// "arn:aws:sqs:eu-central-1:1:queue" of "https://sqs.eu-central-1.amazonaws.com/1/queue"; empty if
/// the URL has another form.
std::string queue_arn(std::string_view url, std::string_view region);

}  // namespace capstan::aws
