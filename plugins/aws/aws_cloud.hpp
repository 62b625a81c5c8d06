/// The Auto Scaling groups of an AWS account.
#pragma once

#include <memory>

#include <capstan/autoprovision.hpp>
#include <capstan/cloud_provider.hpp>
#include <capstan/single_flight.hpp>

#include "config.hpp"
#include "credentials/environment.hpp"

namespace capstan::aws {

/// A CloudProvider that Autoprovisions; see cloud_provider.hpp and autoprovision.hpp.
class AwsCloud {
public:
    AwsCloud(Host host, AwsConfig config);
    ~AwsCloud();

    /// Region, credentials and files of data.
    Task<void> start();
    /// For a doctor, started or not: whether groups can be listed, and what the policies allow.
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
    struct Account;
    Task<std::unique_ptr<Account>> open();
    /// A Failure before `start`.
    Account& account() const;
    Task<SharedCloudView> read();
    void tell_duplicates() const;

    const Host host_;
    const AwsConfig config_;
    MachineEnvironment environment_;
    std::unique_ptr<Account> account_;  ///< from `start` on
    SingleFlight<SharedCloudView> reading_;
};

}  // namespace capstan::aws
