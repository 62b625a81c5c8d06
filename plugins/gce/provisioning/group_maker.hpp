/// Makes managed instance groups for node auto-provisioning, and deletes them: the companion
/// `capstan.cloud.autoprovision/1` of the cloud.
///
/// A group is an instance template and a zonal MIG of one name, with target 0. Both are of the plan
/// alone, so that one that was half made is known again; the template carries the marks that say so
/// (label `capstan-made-for` and a description).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/published.hpp>
#include <capstan/task.hpp>

#include "market.hpp"

namespace capstan::gce {

class GroupMaker {
public:
    /// The APIs live longer.
    GroupMaker(const Host& host, ManagedGroupsApi& groups, InstanceTemplatesApi& templates,
               LookupApi& lookup, MakingConfig config);

    /// [strand] Prices as they are known now; NULL: none.
    void use(std::shared_ptr<const PriceTable> prices);
    /// [strand] What groups could be made of. Template, image, zones and types are read once in ten
    /// minutes; where that fails later the earlier ones count, and the log says so.
    Task<MachineTypes> machine_types();
    /// [any] `unsupported`: these do not go together. `unavailable`: nothing was read so far.
    Result<PlannedGroup> new_group(const GroupPlan& plan) const;
    /// [strand] Done already: done. `conflict`: another group has the name. What was left by an
    /// attempt that failed is made anew; what this one leaves is cleaned up.
    Task<void> create(GroupPlan plan);
    /// [strand] The group, then its instance template. `not_found`, `permission` (not made here),
    /// `conflict` (it has machines, or some are wanted).
    Task<void> destroy(NodeGroupId id);
    /// Whether the group's instance template says that this plugin made it for this cluster.
    bool is_made_here(const InstanceTemplate& of_group) const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::gce
