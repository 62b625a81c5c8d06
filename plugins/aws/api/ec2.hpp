/// EC2: launch templates, images, instance types, instances and subnets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/task.hpp>

#include "instance_type.hpp"
#include "launch_template.hpp"

namespace capstan::aws {

class AwsClient;

struct Image {
    std::string id{}, name{}, description{};
    std::string architecture{};  ///< "x86_64", "arm64", ...
    std::string virtualization_type{}, platform{}, root_device_name{};
    std::vector<BlockDevice> block_devices{};
};

struct Subnet {
    std::string id{}, zone{}, zone_id{};
    Labels tags{};
};

/// The private addresses of an instance.
struct InstanceAddress {
    std::string id{};
    /// IPv4 address, IPv6 address and DNS name, if they exist. A new instance may have none yet.
    std::vector<std::string> addresses{};
};

/// [strand] Each function is one action and reads all pages.
class Ec2Api {
public:
    explicit Ec2Api(AwsClient& client) : client_(client) {}

    /// An image that is named by an SSM parameter ("resolve:ssm:...") is resolved by a second
    /// request. If AWS refuses that request, `image_id` stays the parameter and `image_error` has
    /// the reason. `not_found`: the version does not exist.
    Task<LaunchTemplateData> describe_launch_template_version(LaunchTemplateRef ref);
    /// The images by id; ids of images that do not exist are ignored, and so is "resolve:ssm:...",
    /// which EC2 resolves only in a launch template.
    Task<std::vector<Image>> describe_images(std::vector<std::string> ids);
    /// All types if `names` is empty, else the named types that exist. A type without a readable
    /// number of cores or memory is left out.
    Task<std::vector<InstanceType>> describe_instance_types(std::vector<std::string> names);
    /// The names of the types that satisfy the requirements.
    Task<std::vector<std::string>> find_types(InstanceRequirements requirements,
                                              std::string architecture,
                                              std::string virtualization_type);
    /// The subnets that have all of the tags. "*" in a value is a wildcard of EC2.
    Task<std::vector<Subnet>> find_subnets(Labels tags);
    /// The zones in which each type is offered, as pairs of type and zone.
    Task<std::vector<std::pair<std::string, std::string>>> describe_type_offerings();

    /// The addresses of those instances that exist; at least one id, and at most 200.
    Task<std::vector<InstanceAddress>> describe_addresses(std::vector<std::string> ids);

    struct NewLaunchTemplate {
        std::string name{};
        LaunchTemplateRef source{};  ///< all that is not set here is copied from this version
        std::string instance_type{};
        std::string user_data{};  ///< base64; empty: the source's
        Labels tags{}, instance_tags{};
    };
    Task<LaunchTemplateRef> create_launch_template(NewLaunchTemplate launch_template);
    Task<void> delete_launch_template(std::string name);

    /// Checks by DryRun whether the action is permitted. Absent if it is. Only the code
    /// `permission` says that it is not; any other error leaves that open.
    Task<std::optional<Error>> dry_run(std::string action);

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
