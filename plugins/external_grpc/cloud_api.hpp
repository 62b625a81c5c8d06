/// The calls of the externalgrpc protocol, with Capstan's nouns in place of its messages. Nothing
/// here remembers anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>

#include "grpc_channel.hpp"

namespace capstan::external_grpc {

/// What the server takes for a group's options where the group has none of its own.
struct OptionDefaults {
    double utilization_threshold = 0.5, gpu_utilization_threshold = 0.5;  ///< 0 to 1
    bool zero_or_max = false;
    bool ignore_daemonsets_utilization = false;
    Duration unneeded_time = std::chrono::minutes(10);
    Duration unready_time = std::chrono::minutes(20);
    Duration max_node_provision_time = std::chrono::minutes(15);
    Duration max_node_startup_time = std::chrono::minutes(15);
};

/// A node as the server is told which one is meant; what is not known is empty.
struct NodeReference {
    std::string provider_id{}, name{};
    Labels labels{}, annotations{};
    bool operator==(const NodeReference&) const = default;
};

/// Each call is one request. ErrorCode::unsupported: the server does not have it. [strand]
class CloudApi {
public:
    CloudApi(Host host, ServerAddress server);

    Task<void> refresh() const;
    /// Id, bounds and debug text of each; a group without an id, or two of one, is `unavailable`.
    Task<std::vector<NodeGroup>> groups() const;
    Task<int> target_size(NodeGroupId group) const;
    Task<std::vector<Machine>> machines(NodeGroupId group) const;
    /// `delta` is how many more, or how many fewer.
    Task<void> increase_size(NodeGroupId group, int delta) const;
    Task<void> decrease_target_size(NodeGroupId group, int delta) const;
    Task<void> delete_nodes(NodeGroupId group, std::vector<NodeReference> nodes) const;

    // What servers need not have.
    Task<NodeTemplate> template_node(NodeGroupId group) const;
    /// What differs from `defaults`; a server that repeats them has none.
    Task<GroupOptions> options(NodeGroupId group, OptionDefaults defaults) const;
    /// What the node costs for an hour from now on.
    Task<double> hourly_price(NodeReference node) const;

private:
    Host host_;
    GrpcChannel channel_;
};

}  // namespace capstan::external_grpc
