/// What instances are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/labels.hpp>

namespace capstan::aws {

struct LaunchTemplateRef {
    std::string id{}, name{};  ///< one may be empty
    std::string version{};     ///< "3", "$Latest", "$Default"; empty: "$Default"

    /// "lt-0abc, version 3"
    std::string text() const;
    auto operator<=>(const LaunchTemplateRef&) const = default;
};

/// Attribute-based selection. What is asked of EC2 is the parameters as they were read, so that
/// one that is not known here is not lost.
struct InstanceRequirements {
    std::optional<std::int64_t> vcpu_min{}, vcpu_max{};
    std::optional<std::int64_t> memory_mib_min{}, memory_mib_max{};
    std::optional<std::int64_t> accelerator_count_min{}, accelerator_count_max{};
    std::vector<std::string> accelerator_manufacturers{}, accelerator_types{};
    /// "VCpuCount.Min" and "2", "AllowedInstanceType.1" and "m5.*": as the ec2 protocol has them.
    std::vector<std::pair<std::string, std::string>> parameters{};

    bool operator==(const InstanceRequirements&) const = default;
};

struct BlockDevice {
    std::string device_name{};
    std::optional<std::int64_t> size_gib{};
    std::string volume_type{}, snapshot_id{};
    bool operator==(const BlockDevice&) const = default;
};

/// Of a launch template's version, or of a launch configuration.
struct LaunchTemplateData {
    std::string instance_type{};  ///< empty: by requirements, or left to the group
    std::string image_id{};       ///< "ami-..." or "resolve:ssm:..."
    /// Of an image that is told as a parameter: that, and why it is not resolved; empty: it is.
    std::string image_parameter{}, image_trouble{};
    std::string user_data{};  ///< base64, as AWS has it
    std::optional<InstanceRequirements> requirements{};
    std::vector<BlockDevice> block_devices{};
    bool spot = false;
    std::string spot_max_price{};
    int efa_interfaces = 0;
    Labels instance_tags{};
    std::string version{};  ///< the number behind "$Latest"; empty of a launch configuration
    bool operator==(const LaunchTemplateData&) const = default;
};

}  // namespace capstan::aws
