/// The table of IAM actions that the plugin needs, for `capstan doctor` and the policies of
/// deploy/aws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace capstan::aws {

/// The feature of the plugin that needs an action.
enum class RightOf : std::uint8_t {
    groups,
    protection,  ///< recommended: without it failed requests are taken back later
    addresses,   ///< recommended: without it nodes without a spec.providerID may not be found
    nodegroups,
    activities,
    provisioning,
    queue,
    doctor,
};

/// How `capstan doctor` checks the permission for an action.
enum class RightCheck : std::uint8_t {
    call,      ///< by calling the action, which only reads
    dry_run,   ///< by EC2's DryRun
    simulate,  ///< by IAM's policy simulation; the action is never called
    unneeded,  ///< not checked by itself: the checks of other actions cover it
};

struct NeededRight {
    std::string_view action{};  ///< "autoscaling:SetDesiredCapacity"
    RightOf of = RightOf::groups;
    RightCheck check = RightCheck::call;
    bool is_called = true;  ///< false: AWS requires the permission for another action
};

/// In the order of the policies in deploy/aws.
std::span<const NeededRight> needed_rights() noexcept;

/// "DescribeImages" of "ec2:DescribeImages".
constexpr std::string_view bare_action(std::string_view action) noexcept {
    return action.substr(action.find(':') + 1);
}

}  // namespace capstan::aws
