/// The IAM actions that the plugin needs: the one table behind `doctor` and the policies of
/// deploy/aws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace capstan::aws {

/// Which part of the plugin needs it.
enum class RightOf : std::uint8_t { groups, nodegroups, activities, provisioning, queue, doctor };

/// How `doctor` finds out.
enum class RightCheck : std::uint8_t {
    call,      ///< it only reads: it is called
    dry_run,   ///< EC2's DryRun
    simulate,  ///< IAM's simulation; it is never called
    unneeded,  ///< what comes of the others tells it
};

struct NeededRight {
    std::string_view action{};  ///< "autoscaling:SetDesiredCapacity"
    RightOf of = RightOf::groups;
    RightCheck check = RightCheck::call;
    bool is_called = true;  ///< false: AWS asks for it along with another action
};

/// In the order of the policies.
std::span<const NeededRight> needed_rights() noexcept;

/// "DescribeImages" of "ec2:DescribeImages".
constexpr std::string_view bare_action(std::string_view action) noexcept {
    return action.substr(action.find(':') + 1);
}

}  // namespace capstan::aws
