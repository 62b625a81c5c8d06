/// Makes and deletes managed instance groups for node auto-provisioning: the companion
/// `capstan.cloud.autoprovision/1` of the cloud.
///
/// A group that Capstan makes is an instance template and a zonal MIG with the same name and target
/// size 0. The name and the contents depend only on the plan and the settings, so that a retry
/// recognizes what a failed attempt has made. The instance template's labels mark the group as made
/// by Capstan (`capstan-made-for`).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <capstan/failed_changes.hpp>
#include <capstan/host.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/published.hpp>
#include <capstan/task.hpp>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"
#include "../api/managed_groups.hpp"
#include "../api/open_operations.hpp"
#include "../wire/gce_client.hpp"
#include "market.hpp"

namespace capstan::gce {

class GroupMaker {
public:
    /// The parts have to outlive the maker.
    struct Parts {
        GceClient& client;
        OpenOperations& operations;
        FailedChanges& failed;
    };
    GroupMaker(const Host& host, Parts parts, MakingConfig config);

    /// [strand] Sets the current prices; NULL: none are known.
    void use(std::shared_ptr<const PriceTable> prices);
    /// [strand] The machine types and offerings that groups can be made of. Instance template,
    /// image, zones and machine types are read once in ten minutes. If a later read fails, the
    /// earlier data stays in use with a warning.
    Task<MachineTypes> machine_types();
    /// [any] `unsupported`: no such group can be made. `unavailable`: nothing was read so far.
    Result<PlannedGroup> new_group(const GroupPlan& plan) const;
    /// [strand] Idempotent: succeeds if the plan's group exists already. `conflict`: another group
    /// has the name. An instance template that a failed attempt left is replaced. If Google refuses
    /// the group, the new instance template is deleted. `deadline`: the outcome is unknown; group
    /// and template stay until it shows. If the operation fails later, the view has the group with
    /// a failed machine for a while.
    Task<void> create(GroupPlan plan);
    /// [strand] Deletes the group, then its instance template. `not_found`; `permission`: this
    /// plugin did not make the group; `conflict`: the group has machines or a target above 0.
    Task<void> destroy(NodeGroupId id);

    /// [any] Whether the group's instance template says that this plugin made it for this cluster.
    bool is_made_here(const InstanceTemplate& of_group) const;
    /// [any] Whether this plugin may have made the group, by its name. If so, its instance template
    /// decides; the instance templates of all other groups need not be read for that.
    bool may_be_made_here(const ResourceLink& group) const;

private:
    /// The outcome of a change, and whether it is certain.
    struct Change {
        std::optional<Error> error{};
        bool is_sure = true;
        std::optional<ResourceLink> operation{};  ///< absent: it has ended
    };
    /// A creation or deletion of a group with unknown outcome, since a time by host.monotonic().
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
    void await_group(const PossibleGroup& wanted, const ResourceLink& operation);
    Task<void> require_deletable(ManagedGroup group);
    Task<void> delete_template(std::string name);
    Task<void> settle(ResourceLink group, Uncertain uncertain);
    Task<void> delete_leftovers();
    ResourceLink template_link(const std::string& name) const;
    void note_uncertain(const ResourceLink& group, bool is_deletion);

    Host host_;
    const Parts parts_;
    ManagedGroupsApi groups_;
    InstanceTemplatesApi templates_;
    LookupApi lookup_;
    MakingConfig config_;
    std::shared_ptr<const PriceTable> prices_{};
    std::optional<MarketFacts> facts_{};
    Duration read_at_{};  ///< when facts_ were read, monotonic
    bool is_changed_ = false;
    MachineTypes machine_types_{};
    Published<Market> market_{};
    std::set<std::string> logged_warnings_{};
    /// Instance templates without a group that could not be deleted.
    std::set<std::string> leftovers_{};
    std::map<ResourceLink, Uncertain> uncertain_{};
};

}  // namespace capstan::gce
