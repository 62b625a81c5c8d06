/// EKS: managed node groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/task.hpp>

namespace capstan::aws {

class AwsClient;

struct EksTaint {
    std::string key{};
    std::string value{};   ///< empty: none
    std::string effect{};  ///< "NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"
    bool operator==(const EksTaint&) const = default;
};

struct EksNodegroup {
    std::string name{}, cluster{};
    std::string ami_type{};       ///< "AL2023_x86_64_STANDARD"; empty: unknown
    std::string capacity_type{};  ///< "ON_DEMAND", "SPOT", "CAPACITY_BLOCK"
    std::string version{};        ///< of Kubernetes: "1.31"
    std::optional<int> disk_size_gib{};
    Labels labels{}, tags{};
    std::vector<EksTaint> taints{};
    bool operator==(const EksNodegroup&) const = default;
};

/// [strand]
class EksApi {
public:
    explicit EksApi(AwsClient& client) : client_(client) {}
    Task<EksNodegroup> describe_nodegroup(std::string cluster, std::string name);

private:
    AwsClient& client_;
};

}  // namespace capstan::aws
