/// Launch templates and launch configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/labels.hpp>

namespace capstan::aws {

struct LaunchTemplateRef {
    std::string id{}, name{};  ///< one of the two may be empty
    std::string version{};     ///< "3", "$Latest", "$Default"; empty: "$Default"

    /// "lt-0abc, version 3"
    std::string text() const;
    auto operator<=>(const LaunchTemplateRef&) const = default;
};

/// Attribute-based instance type selection. EC2 is queried with `parameters` as they were read, so
/// that requirements unknown to this program count, too.
struct InstanceRequirements {
    std::optional<std::int64_t> vcpu_min{}, vcpu_max{};
    std::optional<std::int64_t> memory_mib_min{}, memory_mib_max{};
    std::optional<std::int64_t> accelerator_count_min{}, accelerator_count_max{};
    std::vector<std::string> accelerator_manufacturers{}, accelerator_types{};
    /// Names and values of the ec2 protocol: "VCpuCount.Min" and "2", "AllowedInstanceType.1" and
    /// "m5.*".
    std::vector<std::pair<std::string, std::string>> parameters{};

    bool operator==(const InstanceRequirements&) const = default;
};

struct BlockDevice {
    std::string device_name{};
    std::optional<std::int64_t> size_gib{};
    std::string volume_type{}, snapshot_id{};
    bool operator==(const BlockDevice&) const = default;
};

/// The contents of a launch template's version, or of a launch configuration.
struct LaunchTemplateData {
    std::string instance_type{};  ///< empty: by `requirements`, or set by the group's overrides
    std::string image_id{};       ///< "ami-...", or "resolve:ssm:..." if it could not be resolved
    /// The SSM parameter that names the image (empty: none), and why it could not be resolved
    /// (empty: it was).
    std::string image_parameter{}, image_error{};
    std::string user_data{};  ///< base64
    std::optional<InstanceRequirements> requirements{};
    std::vector<BlockDevice> block_devices{};
    bool spot = false;
    std::string spot_max_price{};
    int efa_interfaces = 0;
    Labels instance_tags{};
    std::string version{};  ///< the number, also for "$Latest"; empty for a launch configuration
    bool operator==(const LaunchTemplateData&) const = default;
};

}  // namespace capstan::aws
