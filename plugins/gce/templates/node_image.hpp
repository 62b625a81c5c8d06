/// What a node's image is: operating system, distribution and architecture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "group_template.hpp"
#include "kube_env.hpp"

namespace capstan::gce {

enum class Distribution : std::uint8_t { cos, ubuntu, windows, unknown };

struct NodeImage {
    std::string os = "linux";  ///< "linux", "windows"
    Distribution distribution = Distribution::cos;
    std::string arch = "amd64";
    bool operator==(const NodeImage&) const = default;
};

/// kube-env's word counts before the image's own, and the image's before the machine family's.
/// Without any it is Container-Optimized OS on amd64, as upstream has it. `unsupported`: kube-env
/// names an operating system that there is not. `warnings`: a distribution or an architecture that
/// there is not.
Result<NodeImage> find_node_image(const TemplateSources& sources, const KubeEnv& env,
                                  std::vector<std::string>& warnings);

}  // namespace capstan::gce
