/// Makes Auto Scaling groups for node auto-provisioning, and deletes them: the companion
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
/// A group is a launch template and an Auto Scaling group of one name: minimum 0, nothing desired,
/// one zone, one instance type, and the tags of made_group.hpp. Both are of the plan alone, so that
/// one that was half made is known again.
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
    /// The APIs live longer.
    GroupMaker(const Host& host, AutoScalingApi& groups, Ec2Api& ec2, MakingConfig config);

    /// [strand] Types and prices as they are known now; before the first machine_types(), and
    /// again in each pass or whenever they are others.
    void use(std::shared_ptr<const TypeTable> types, std::shared_ptr<const PriceTable> prices);

    /// [strand] What groups could be made of. Subnets, image and zones of types are read once in
    /// ten minutes; where that fails later the earlier ones count, and the log says so.
    Task<MachineTypes> machine_types();
    /// [any] `unsupported`: these do not go together. `unavailable`: nothing was read so far.
    Result<PlannedGroup> new_group(const GroupPlan& plan) const;

    /// [strand] Done already: done. `conflict`: another group has the name. What was left by an
    /// attempt that failed is made anew; what this one leaves is cleaned up.
    Task<void> create(GroupPlan plan);
    /// [strand] The group, then its launch template. `not_found`, `permission` (not made here),
    /// `conflict` (it has machines, or some are desired).
    Task<void> destroy(NodeGroupId id);

private:
    Task<void> read_market();
    Task<void> renew_facts();
    Task<MarketFacts> read_facts();
    Task<std::optional<AutoScalingGroup>> find_group(std::string name);
    Task<bool> is_made(PossibleGroup wanted);
    Task<void> make_launch_template(Ec2Api::NewLaunchTemplate wanted);
    Task<void> delete_launch_template(std::string name);
    Task<void> sweep();

    Host host_;
    AutoScalingApi& groups_;
    Ec2Api& ec2_;
    MakingConfig config_;
    std::shared_ptr<const TypeTable> types_{};
    std::shared_ptr<const PriceTable> prices_{};
    std::optional<MarketFacts> facts_{};
    Duration read_at_{};  ///< when facts_ were read, monotonic
    bool is_changed_ = false;
    MachineTypes offers_{};
    Published<Market> market_{};
    std::set<std::string> complained_{};
    /// Launch templates of groups that are gone, and that could not be deleted.
    std::set<std::string> leftovers_{};
    /// Launch templates of groups that AWS may have made or deleted: it gave no answer; since when,
    /// monotonic.
    std::map<std::string, Duration> uncertain_{};
};

}  // namespace capstan::aws
