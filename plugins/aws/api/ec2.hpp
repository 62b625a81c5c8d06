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

/// [strand] Each function is one action, with all of its pages.
class Ec2Api {
public:
    explicit Ec2Api(AwsClient& client) : client_(client) {}

    /// An image that is told as a parameter ("resolve:ssm:...") is resolved by a second request;
    /// where AWS refuses that the parameter stays, with the reason. `not_found`: there is no such
    /// version.
    Task<LaunchTemplateData> describe_launch_template_version(LaunchTemplateRef ref);
    /// Those of the ids that exist. "resolve:ssm:..." is no id, and left out: EC2 resolves it of a
    /// launch template alone.
    Task<std::vector<Image>> describe_images(std::vector<std::string> ids);
    /// All where `names` is empty, else those of the names that exist. A type whose processors or
    /// memory cannot be read is left out.
    Task<std::vector<InstanceType>> describe_instance_types(std::vector<std::string> names);
    /// The names of types that satisfy the requirements.
    Task<std::vector<std::string>> find_types(InstanceRequirements requirements,
                                              std::string architecture,
                                              std::string virtualization_type);
    /// Subnets that carry all of the tags; "*" in a value stands for any text, as EC2 has it.
    Task<std::vector<Subnet>> find_subnets(Labels tags);
    /// Zones in which each type is offered: pairs of type and zone.
    Task<std::vector<std::pair<std::string, std::string>>> describe_type_offerings();

    struct NewLaunchTemplate {
        std::string name{};
        LaunchTemplateRef source{};  ///< what is not said here is taken from it
        std::string instance_type{};
        std::string user_data{};  ///< base64; empty: the source's
        Labels tags{}, instance_tags{};
    };
    Task<LaunchTemplateRef> create_launch_template(NewLaunchTemplate launch_template);
    Task<void> delete_launch_template(std::string name);

    /// Whether the action would be allowed, asked by DryRun. Nothing: it is. An error of another
    /// code than `permission` does not say that it is not.
    Task<std::optional<Error>> dry_run(std::string action);

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
