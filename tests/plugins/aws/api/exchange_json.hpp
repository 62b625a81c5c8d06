/// Parsed responses as JSON, for comparison with the results of another parser.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/json.hpp>

#include "api/auto_scaling.hpp"
#include "api/ec2.hpp"
#include "api/eks.hpp"
#include "api/sts.hpp"
#include "provisioning/policy_simulation.hpp"
#include "wire/credentials.hpp"

namespace capstan::aws {

Json json_of(const std::string& text);
Json json_of(const Labels& labels);
Json json_of(const LaunchTemplateRef& ref);
Json json_of(const InstanceRequirements& requirements);
Json json_of(const BlockDevice& device);
Json json_of(const LaunchTemplateData& data);
Json json_of(const TypeOverride& one);
Json json_of(const MixedInstancesPolicy& policy);
Json json_of(const AsgInstance& instance);
Json json_of(const AutoScalingGroup& group);
Json json_of(const AutoScalingGroups& groups);
Json json_of(const ScalingActivity& activity);
Json json_of(const Image& image);
Json json_of(const Accelerators& accelerators);
Json json_of(const InstanceType& type);
Json json_of(const Subnet& subnet);
Json json_of(const InstanceAddress& instance);
Json json_of(const EksTaint& taint);
Json json_of(const EksNodegroup& group);
Json json_of(const CallerIdentity& identity);
Json json_of(const SimulatedRight& right);
Json json_of(const Credentials& credentials);
Json json_of(const std::pair<std::string, std::string>& pair);
Json json_of(const std::map<std::string, LaunchTemplateData>& by_name);

template <class T>
Json json_of(const std::vector<T>& values) {
    Json out = Json::array();
    for (const T& value : values) out.append(json_of(value));
    return out;
}
/// Null if absent.
template <class T>
Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json();
}

}  // namespace capstan::aws
