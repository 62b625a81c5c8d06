/// Makes managed instance groups for node auto-provisioning, and deletes them: the companion
/// `capstan.cloud.autoprovision/1` of the cloud.
///
/// A group is an instance template and a zonal MIG of one name, with target 0. Both are of the plan
/// alone, so that one that was half made is known again; the template carries the marks that say so
/// (label `capstan-made-for` and a description).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/published.hpp>
#include <capstan/task.hpp>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"
#include "../api/managed_groups.hpp"
#include "../wire/gce_client.hpp"
#include "market.hpp"

namespace capstan::gce {

class GroupMaker {
public:
    /// The client lives longer.
    GroupMaker(const Host& host, GceClient& client, MakingConfig config);

    /// [strand] Prices as they are known now; NULL: none.
    void use(std::shared_ptr<const PriceTable> prices);
    /// [strand] What groups could be made of. Template, image, zones and types are read once in ten
    /// minutes; where that fails later the earlier ones count, and the log says so.
    Task<MachineTypes> machine_types();
    /// [any] `unsupported`: these do not go together. `unavailable`: nothing was read so far.
    Result<PlannedGroup> new_group(const GroupPlan& plan) const;
    /// [strand] Done already: done. `conflict`: another group has the name. What was left by an
    /// attempt that failed is made anew; what this one leaves is cleaned up. `deadline`: Google has
    /// not said what came of it; both stay until that shows.
    Task<void> create(GroupPlan plan);
    /// [strand] The group, then its instance template. `not_found`, `permission` (not made here),
    /// `conflict` (it has machines, or some are wanted).
    Task<void> destroy(NodeGroupId id);

    /// [any] Whether the group's instance template says that this plugin made it for this cluster.
    bool is_made_here(const InstanceTemplate& of_group) const;
    /// [any] Whether a group of that name may be one that was made here. The instance template of
    /// one that may be decides; of all others it need not be read for that.
    bool may_be_made_here(const ResourceLink& group) const;

private:
    /// What came of a change, and whether it is sure.
    struct Change {
        std::optional<Error> error{};
        bool is_sure = true;
    };
    /// Since when, monotonic, it is not known whether Google has made or deleted a group.
    struct Uncertain {
        Duration since{};
        bool is_deletion = false;
    };

    Task<void> read_market();
    Task<void> renew_facts();
    Task<MarketFacts> read_facts();
    Task<std::optional<GceImage>> read_image(InstanceTemplate source);
    Task<std::vector<std::string>> find_zones(InstanceTemplate source);
    Task<void> read_types(std::string zone, MarketFacts& facts);
    Task<Change> carry_out(Task<Operation> asked, std::string action);
    Task<std::optional<ManagedGroup>> find_group(ResourceLink link);
    Task<InstanceTemplate> template_of(ManagedGroup group);
    Task<bool> is_made(PossibleGroup wanted);
    Task<Change> make_template(PossibleGroup wanted);
    Task<void> make_group(PossibleGroup wanted);
    Task<void> demand_deletable(ManagedGroup group);
    Task<void> delete_template(std::string name);
    Task<void> settle(ResourceLink group, Uncertain uncertain);
    Task<void> sweep();
    ResourceLink template_link(const std::string& name) const;
    void remember(const ResourceLink& group, bool is_deletion);

    Host host_;
    GceClient& client_;
    ManagedGroupsApi groups_;
    InstanceTemplatesApi templates_;
    LookupApi lookup_;
    MakingConfig config_;
    std::shared_ptr<const PriceTable> prices_{};
    std::optional<MarketFacts> facts_{};
    Duration read_at_{};  ///< when facts_ were read, monotonic
    bool is_changed_ = false;
    MachineTypes offers_{};
    Published<Market> market_{};
    std::set<std::string> complained_{};
    /// Instance templates of groups that are gone, and that could not be deleted.
    std::set<std::string> leftovers_{};
    std::map<ResourceLink, Uncertain> uncertain_{};
};

}  // namespace capstan::gce
