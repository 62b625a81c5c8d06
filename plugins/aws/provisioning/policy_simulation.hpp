/// Asks IAM whether the caller's policies allow actions (SimulatePrincipalPolicy).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/task.hpp>

namespace capstan::aws {

class AwsClient;

/// The only condition key in use with a boolean value; all others have strings.
inline constexpr const char* launch_template_version_key =
    "autoscaling:LaunchTemplateVersionSpecified";

struct SimulatedRight {
    enum class Decision : std::uint8_t {
        allowed,
        denied,
        unknown  ///< a condition depends on a key that is missing in the simulation's context
    };
    std::string action{};  ///< "autoscaling:SetDesiredCapacity"
    Decision decision = Decision::denied;
    std::string word{};                          ///< IAM's own: "implicitDeny"
    std::vector<std::string> missing_context{};  ///< those condition keys
};

/// A request. IAM does not look up the resource's tags, so they are passed as context.
struct Simulation {
    std::string principal_arn{};  ///< a role or a user
    std::vector<std::string> actions{};
    std::string resource{};  ///< an ARN
    Labels context{};        ///< values by condition key: "a" by "aws:ResourceTag/team"
};

/// [strand] In the order of IAM's answer. `permission`: the caller may not use the simulation.
Task<std::vector<SimulatedRight>> simulate_policy(AwsClient& client, Simulation asked);

}  // namespace capstan::aws
