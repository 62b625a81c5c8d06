/// The operating system, distribution and architecture of a node.
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

/// Precedence: kube-env, then the image, then the machine type or its family. The default is
/// Container-Optimized OS on amd64, as upstream's. `unsupported`: kube-env names an unknown
/// operating system. An unknown distribution or architecture causes a warning.
Result<NodeImage> find_node_image(const TemplateSources& sources, const KubeEnv& env,
                                  std::vector<std::string>& warnings);

}  // namespace capstan::gce
