/// Managed instance groups as a cloud of the host.
#pragma once

#include <memory>

#include <capstan/autoprovision.hpp>
#include <capstan/cloud_provider.hpp>
#include <capstan/host.hpp>
#include <capstan/single_flight.hpp>

#include "config.hpp"
#include "credentials/environment.hpp"

namespace capstan::gce {

/// A CloudProvider that Autoprovisions; see cloud_provider.hpp and autoprovision.hpp.
class GceCloud {
public:
    GceCloud(Host host, GceConfig config);
    ~GceCloud();

    /// Project, credentials and files of data.
    Task<void> start();
    /// For a doctor, started or not: whether groups can be listed, and what the roles allow.
    Task<void> self_check();

    Task<SharedCloudView> refresh();
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(const NodeGroupId& group);

    /// None where the settings have no `provisioning`.
    Task<MachineTypes> machine_types();
    Result<PlannedGroup> new_group(const Call& call, const GroupPlan& plan) const;
    Task<void> create(GroupPlan plan);
    Task<void> destroy(NodeGroupId group);

private:
    struct Project;
    Task<std::unique_ptr<Project>> open();
    /// A Failure before `start`.
    Project& project() const;
    Task<SharedCloudView> read();
    void tell_duplicates() const;

    const Host host_;
    const GceConfig config_;
    MachineEnvironment environment_;
    std::unique_ptr<Project> project_;  ///< from `start` on
    SingleFlight<SharedCloudView> reading_;
};

}  // namespace capstan::gce
