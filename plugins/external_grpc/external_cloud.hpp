/// A cloud behind a server of cluster-autoscaler's externalgrpc protocol.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <capstan/cloud_provider.hpp>
#include <capstan/target_answers.hpp>

#include "cloud_api.hpp"
#include "config.hpp"
#include "group_details.hpp"
#include "known_nodes.hpp"

namespace capstan::external_grpc {

/// A CloudProvider; see cloud_provider.hpp.
class ExternalCloud {
public:
    ExternalCloud(Host host, CloudConfig config);

    Task<void> start();
    Task<void> stop();
    /// For a doctor: whether the server answers.
    Task<void> self_check();

    Task<SharedCloudView> refresh();
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    /// One call for each machine, as cluster-autoscaler does; of a group that is only ever empty or
    /// full one for all.
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(NodeGroupId group);

private:
    struct GroupRead {
        int target = 0;
        std::vector<Machine> machines{};
    };
    Task<CloudView> read();
    Task<GroupRead> read_group(NodeGroupId group);
    Task<Resized> resize(Resize request, int change);
    /// An error: the request would pass the group's bounds as they were read last.
    Result<void> check_bounds(const Resize& request, int goal) const;
    Result<void> check_minimum(const Removal& request) const;
    Task<void> remove_batch(NodeGroupId group, std::vector<MachineId> machines);
    /// Something is about to change: what was read holds no longer.
    void note_change();
    void tell(const GroupDetails& details, NodeGroup& group) const;
    const NodeGroup* find_group(const NodeGroupId& id) const;

    const Host host_;
    const CloudConfig config_;
    const CloudApi api_;
    KnownNodes nodes_;
    AllDetails details_;
    TargetAnswers answers_{};
    std::map<NodeGroupId, NodeGroup> groups_{};  ///< as they were read last
    std::optional<SharedCloudView> view_{};      ///< holds until something is changed
    Duration viewed_at_{};
    std::uint64_t changes_ = 0;
};

}  // namespace capstan::external_grpc
