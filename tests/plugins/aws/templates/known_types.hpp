/// Instance types and groups for tests of templates.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/base64.hpp>

#include "templates/group_template.hpp"
#include "templates/type_table.hpp"

namespace capstan::aws {

/// A type of the built-in table.
inline InstanceType type_named(std::string_view name) {
    const InstanceType* type = TypeTable::built_in().find(name);
    if (type == nullptr) throw std::invalid_argument("no such type: " + std::string(name));
    return *type;
}

/// A group "web" of these types in us-east-1a.
inline TemplateSources group_of(const std::vector<std::string>& types) {
    TemplateSources out;
    out.group.name = "web";
    out.group.zones = {"us-east-1a"};
    for (const std::string& name : types) out.types.push_back(type_named(name));
    return out;
}

inline Image amazon_linux_2023() {
    return {.id = "ami-1",
            .name = "amazon-eks-node-al2023-x86_64-standard-1.31-v20261001",
            .architecture = "x86_64",
            .virtualization_type = "hvm",
            .root_device_name = "/dev/xvda",
            .block_devices = {{.device_name = "/dev/xvda", .size_gib = 20}}};
}

inline LaunchTemplateData with_user_data(std::string_view text) {
    return {.image_id = "ami-1", .user_data = base64_encode(text)};
}

inline std::string tag(const std::string& rest) {
    return "k8s.io/cluster-autoscaler/node-template/" + rest;
}

}  // namespace capstan::aws
