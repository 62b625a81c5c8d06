/// The Auto Scaling groups of an AWS account, as a cloud provider of the host.
#pragma once

#include <memory>

#include <capstan/autoprovision.hpp>
#include <capstan/cloud_provider.hpp>
#include <capstan/single_flight.hpp>

#include "config.hpp"
#include "credentials/environment.hpp"

namespace capstan::aws {

/// Implements the concepts CloudProvider and Autoprovisions; see cloud_provider.hpp and
/// autoprovision.hpp for the contract of each function.
class AwsCloud {
public:
    AwsCloud(Host host, AwsConfig config);
    ~AwsCloud();

    /// Finds the region and credentials, reads the data files, and starts listening to the queue.
    Task<void> start();
    /// For `capstan doctor`, also before `start`: checks whether groups can be listed and what the
    /// IAM policies allow.
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
    struct Account;
    Task<std::unique_ptr<Account>> open();
    /// Throws a Failure (`unavailable`) before `start`.
    Account& account() const;
    Task<SharedCloudView> read(bool probe);
    void warn_of_duplicates() const;

    const Host host_;
    const AwsConfig config_;
    MachineEnvironment environment_;
    std::unique_ptr<Account> account_;  ///< from `start` on
    SingleFlight<SharedCloudView> reading_;
};

}  // namespace capstan::aws
