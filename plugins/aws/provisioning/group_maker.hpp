/// Makes and deletes Auto Scaling groups for node auto-provisioning: the companion
/// `capstan.cloud.autoprovision/1` of the cloud.
///
///     maker_.use(types, prices);                                  // refresh, on the strand
///     Task<MachineTypes> machine_types() { return maker_.machine_types(); }
///     Result<PlannedGroup> new_group(const Call&, const GroupPlan& plan) const {
///         return maker_.new_group(plan);
///     }
///     Task<void> create(GroupPlan plan) { return maker_.create(std::move(plan)); }
///     Task<void> destroy(NodeGroupId group) { return maker_.destroy(std::move(group)); }
///
/// A group that Capstan makes is a launch template and an Auto Scaling group with the same name:
/// minimum and desired capacity 0, one zone, one instance type, and the tags of
/// autoprovisioned_group.hpp. The name and the contents depend only on the plan and the settings,
/// so that a retry recognizes what a failed attempt has made.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/published.hpp>
#include <capstan/task.hpp>

#include "market.hpp"

namespace capstan::aws {

class GroupMaker {
public:
    /// The APIs have to outlive the maker.
    GroupMaker(const Host& host, AutoScalingApi& groups, Ec2Api& ec2, MakingConfig config);

    /// [strand] Sets the current instance types and prices. Call before the first machine_types(),
    /// and again whenever they may have changed.
    void use(std::shared_ptr<const TypeTable> types, std::shared_ptr<const PriceTable> prices);

    /// [strand] The instance types and offerings that groups can be made of. Launch template,
    /// image, subnets and the zones of types are read once in ten minutes. If a later read fails,
    /// the earlier data stays in use with a warning.
    Task<MachineTypes> machine_types();
    /// [any] `unsupported`: no such group can be made. `unavailable`: nothing was read so far.
    Result<PlannedGroup> new_group(const GroupPlan& plan) const;

    /// [strand] Idempotent: succeeds if the plan's group exists already. `conflict`: another group
    /// has the name. A launch template that a failed attempt left is replaced. If AWS refuses the
    /// group, the new launch template is deleted.
    Task<void> create(GroupPlan plan);
    /// [strand] Deletes the group, then its launch template. `not_found`; `permission`: this plugin
    /// did not make the group; `conflict`: the group has instances or a desired capacity above 0.
    Task<void> destroy(NodeGroupId id);

private:
    Task<void> read_market();
    Task<void> renew_facts();
    Task<MarketFacts> read_facts();
    Task<std::optional<AutoScalingGroup>> find_group(std::string name);
    Task<bool> is_made(PossibleGroup wanted);
    Task<void> make_launch_template(Ec2Api::NewLaunchTemplate wanted);
    Task<void> delete_launch_template(std::string name);
    Task<void> delete_leftovers();

    Host host_;
    AutoScalingApi& groups_;
    Ec2Api& ec2_;
    MakingConfig config_;
    std::shared_ptr<const TypeTable> types_{};
    std::shared_ptr<const PriceTable> prices_{};
    std::optional<MarketFacts> facts_{};
    Duration read_at_{};  ///< when facts_ were read, monotonic
    bool is_changed_ = false;
    MachineTypes machine_types_{};
    Published<Market> market_{};
    std::set<std::string> logged_warnings_{};
    /// Launch templates without a group that could not be deleted.
    std::set<std::string> leftovers_{};
    /// Names of groups with a creation or deletion that AWS did not answer, with the time by
    /// host.monotonic(). Their launch templates stay until a list shows the outcome.
    std::map<std::string, Duration> uncertain_{};
};

}  // namespace capstan::aws
