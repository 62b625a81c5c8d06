/// The configurations of real clouds that the project ships, and dumps of clusters for them.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace capstan::commands {

inline constexpr const char* eks = "tests/host/commands/dumps/eks.json";
inline constexpr const char* gke = "tests/host/commands/dumps/gke.json";

inline std::string text_of_file(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The file `capstan.toml` of the ConfigMap in a manifest.
inline std::string config_in(const std::string& manifest) {
    std::istringstream in(text_of_file(manifest));
    std::string out, line;
    bool is_inside = false;
    while (std::getline(in, line)) {
        if (is_inside && !line.empty() && !line.starts_with("    ")) break;
        if (is_inside) out += line.substr(std::min<std::size_t>(4, line.size())) + "\n";
        is_inside = is_inside || line == "  capstan.toml: |";
    }
    return out;
}

/// A configuration, and the plugins that are not called.
struct Shipped {
    const char* name;
    std::vector<const char*> not_called;
    const char* cloud;  ///< that has the groups
};
/// How googletest prints it.
inline void PrintTo(const Shipped& config, std::ostream* out) { *out << config.name; }

inline const std::vector<Shipped> shipped_configs{
    {"examples/aws.toml", {"aws", "provisioning"}, "aws"},
    {"examples/gce.toml", {"gce", "provisioning"}, "gce"},
    {"examples/external_grpc.toml", {"external_grpc"}, "external_grpc"},
    {"examples/grpc_expander.toml", {"external_grpc", "grpc_expander"}, "external_grpc"},
    {"examples/balancer.toml", {}, "simulated"},
    {"examples/zalando.toml", {}, "simulated"},
    {"examples/capstan.toml", {}, "simulated"},
    {"examples/kwok.toml", {}, "simulated"},
    {"deploy/aws/eks.yaml", {"aws"}, "aws"},
    {"deploy/gce/gke.yaml", {"gce"}, "gce"}};

}  // namespace capstan::commands
