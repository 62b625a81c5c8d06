/// The calls of the externalgrpc protocol, with Capstan's types in place of its messages.
/// Stateless.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>

#include "grpc_channel.hpp"

namespace capstan::external_grpc {

/// The defaults that are sent to the server for options that a group does not set.
struct OptionDefaults {
    double utilization_threshold = 0.5, gpu_utilization_threshold = 0.5;  ///< 0 to 1
    bool zero_or_max = false;
    bool ignore_daemonsets_utilization = false;
    Duration unneeded_time = std::chrono::minutes(10);
    Duration unready_time = std::chrono::minutes(20);
    Duration max_node_provision_time = std::chrono::minutes(15);
    Duration max_node_startup_time = std::chrono::minutes(15);
};

/// Identifies a node to the server. Unknown fields are empty.
struct NodeReference {
    std::string provider_id{}, name{};
    Labels labels{}, annotations{};
    bool operator==(const NodeReference&) const = default;
};

/// Each call is one request. ErrorCode::unsupported: the server does not implement the call.
/// [strand]
class CloudApi {
public:
    CloudApi(Host host, ServerAddress server);

    Task<void> refresh() const;
    /// The id, limits and debug text of each group. `unavailable`: a group has no id, or two groups
    /// have the same id.
    Task<std::vector<NodeGroup>> groups() const;
    Task<int> target_size(NodeGroupId group) const;
    Task<std::vector<Machine>> machines(NodeGroupId group) const;
    /// `delta` is positive for both, the number of nodes to add or to take back.
    Task<void> increase_size(NodeGroupId group, int delta) const;
    Task<void> decrease_target_size(NodeGroupId group, int delta) const;
    Task<void> delete_nodes(NodeGroupId group, std::vector<NodeReference> nodes) const;

    // Optional calls of the protocol.
    Task<NodeTemplate> template_node(NodeGroupId group) const;
    /// Only the options that differ from `defaults`.
    Task<GroupOptions> options(NodeGroupId group, OptionDefaults defaults) const;
    /// The price of the node for the next hour.
    Task<double> hourly_price(NodeReference node) const;

private:
    Host host_;
    GrpcChannel channel_;
};

}  // namespace capstan::external_grpc
