/// The managed instance groups (MIGs) of a Google Cloud project, as a cloud provider of the host.
#pragma once

#include <memory>

#include <capstan/autoprovision.hpp>
#include <capstan/cloud_provider.hpp>
#include <capstan/host.hpp>
#include <capstan/single_flight.hpp>

#include "config.hpp"
#include "credentials/environment.hpp"

namespace capstan::gce {

/// Implements the concepts CloudProvider and Autoprovisions; see cloud_provider.hpp and
/// autoprovision.hpp for the contract of each function.
class GceCloud {
public:
    GceCloud(Host host, GceConfig config);
    ~GceCloud();

    /// Finds the project and credentials, and reads the data files.
    Task<void> start();
    /// For `capstan doctor`, also before `start`: checks whether groups can be listed and what the
    /// IAM roles allow.
    Task<void> self_check();

    Task<SharedCloudView> refresh(RefreshRequest request);
    Task<Resized> increase(Resize request);
    Task<Resized> decrease_target(Resize request);
    Task<Removed> remove(Removal request);
    Task<NodeTemplate> describe(const NodeGroupId& group);

    /// Empty if the settings have no `provisioning`.
    Task<MachineTypes> machine_types();
    Result<PlannedGroup> new_group(const Call& call, const GroupPlan& plan) const;
    Task<void> create(GroupPlan plan);
    Task<void> destroy(NodeGroupId group);

private:
    struct Project;
    Task<std::unique_ptr<Project>> open();
    /// Throws a Failure (`unavailable`) before `start`.
    Project& project() const;
    Task<SharedCloudView> read(bool probe);
    void warn_of_duplicates() const;
    void warn_of_locations(std::string_view key, const std::vector<std::string>& locations) const;

    const Host host_;
    const GceConfig config_;
    MachineEnvironment environment_;
    std::unique_ptr<Project> project_;  ///< from `start` on
    SingleFlight<SharedCloudView> reading_;
};

}  // namespace capstan::gce
