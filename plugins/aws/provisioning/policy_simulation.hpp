/// Asks IAM what the caller's policies say of actions, without any of them being carried out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/task.hpp>

namespace capstan::aws {

class AwsClient;

/// The one condition key of those that are told whose value is no text, but true or false.
inline constexpr const char* launch_template_version_key =
    "autoscaling:LaunchTemplateVersionSpecified";

struct SimulatedRight {
    enum class Decision : std::uint8_t {
        allowed,
        denied,
        unknown  ///< a condition asks for what a simulation is not told
    };
    std::string action{};  ///< "autoscaling:SetDesiredCapacity"
    Decision decision = Decision::denied;
    std::string word{};                          ///< IAM's own: "implicitDeny"
    std::vector<std::string> missing_context{};  ///< condition keys that it would need
};

/// What is asked. IAM looks up no tags of the resource, so they are told as context.
struct Simulation {
    std::string principal_arn{};  ///< a role or a user
    std::vector<std::string> actions{};
    std::string resource{};  ///< an ARN
    Labels context{};        ///< by condition key: "aws:ResourceTag/team" and "a"
};

/// [strand] In the order in which IAM answers. `permission`: the caller may not ask.
Task<std::vector<SimulatedRight>> simulate_policy(AwsClient& client, Simulation asked);

}  // namespace capstan::aws
