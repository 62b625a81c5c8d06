#include "needed_permissions.hpp"

#include <array>

namespace capstan::aws {
namespace {

using enum RightCheck;

constexpr std::array<NeededRight, 25> all_rights{{
    {"autoscaling:DescribeAutoScalingGroups", RightOf::groups, call},
    {"autoscaling:DescribeLaunchConfigurations", RightOf::groups, call},
    {"autoscaling:DescribeScalingActivities", RightOf::activities, call},
    {"ec2:DescribeImages", RightOf::groups, dry_run},
    {"ec2:DescribeInstanceTypes", RightOf::groups, dry_run},
    {"ec2:DescribeLaunchTemplateVersions", RightOf::groups, dry_run},
    {"ec2:GetInstanceTypesFromInstanceRequirements", RightOf::groups, dry_run},
    {"autoscaling:SetDesiredCapacity", RightOf::groups, simulate},
    {"autoscaling:TerminateInstanceInAutoScalingGroup", RightOf::groups, simulate},
    {"autoscaling:SetInstanceProtection", RightOf::protection, simulate},
    {"ec2:DescribeInstances", RightOf::addresses, dry_run},
    {"eks:DescribeNodegroup", RightOf::nodegroups, call},
    {"ec2:DescribeSubnets", RightOf::provisioning, dry_run},
    {"ec2:DescribeInstanceTypeOfferings", RightOf::provisioning, dry_run},
    {"autoscaling:CreateAutoScalingGroup", RightOf::provisioning, simulate},
    {"autoscaling:CreateOrUpdateTags", RightOf::provisioning, simulate, false},
    {"autoscaling:DeleteAutoScalingGroup", RightOf::provisioning, simulate},
    {"ec2:CreateLaunchTemplate", RightOf::provisioning, simulate},
    {"ec2:DeleteLaunchTemplate", RightOf::provisioning, simulate},
    {"ec2:CreateTags", RightOf::provisioning, unneeded, false},
    {"ec2:RunInstances", RightOf::provisioning, unneeded, false},
    {"iam:PassRole", RightOf::provisioning, unneeded, false},
    {"sqs:ReceiveMessage", RightOf::queue, simulate},
    {"sqs:DeleteMessage", RightOf::queue, simulate},
    {"iam:SimulatePrincipalPolicy", RightOf::doctor, unneeded},
}};

}  // namespace

std::span<const NeededRight> needed_rights() noexcept { return all_rights; }

}  // namespace capstan::aws
