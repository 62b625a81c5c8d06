/// A cloud behind a server of cluster-autoscaler's externalgrpc protocol.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <capstan/cloud_provider.hpp>
#include <capstan/target_setter.hpp>

#include "cloud_api.hpp"
#include "config.hpp"
#include "group_details.hpp"
#include "node_cache.hpp"

namespace capstan::external_grpc {

/// A CloudProvider; see cloud_provider.hpp.
class ExternalCloud {
public:
    ExternalCloud(Host host, CloudConfig config);

    Task<void> start();
    Task<void> stop();
    /// For `capstan doctor`: whether the server answers.
    Task<void> self_check();

    Task<SharedCloudView> refresh();
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    /// One call for each machine, as cluster-autoscaler does. For a group with the option
    /// zero_or_max one call with all machines. With `keep_target` it is `unsupported`.
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(NodeGroupId group);

private:
    struct GroupRead {
        int target = 0;
        std::vector<Machine> machines{};
    };
    Task<CloudView> read();
    Task<GroupRead> read_group(NodeGroupId group);
    Task<TargetSetter::Current> read_current(NodeGroupId group, bool with_machines);
    Task<Resized> change_target(Resize request, int change);
    Task<Resized> send_change(NodeGroupId group, int change, int target);
    Result<void> check_minimum(const Removal& request) const;
    Task<void> remove_batch(NodeGroupId group, std::vector<MachineId> machines);
    /// Call before a change: the cached view is outdated.
    void note_change();
    void add_details(const GroupDetails& details, NodeGroup& group) const;
    const NodeGroup* find_group(const NodeGroupId& id) const;

    const Host host_;
    const CloudConfig config_;
    const CloudApi api_;
    KnownNodes nodes_;
    GroupDetailsCache details_;
    TargetSetter targets_;
    std::map<NodeGroupId, NodeGroup> groups_{};  ///< as they were read last
    std::optional<SharedCloudView> view_{};      ///< cached until the next change
    Duration viewed_at_{};
    std::uint64_t changes_ = 0;
};

}  // namespace capstan::external_grpc
