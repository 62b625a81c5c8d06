/// Managed instance groups (MIGs), zonal and regional: reads and changes by compute v1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../wire/gce_client.hpp"
#include "../wire/resource_link.hpp"
#include "operations.hpp"

namespace capstan::gce {

/// A resource of instanceGroupManagers. Absent strings are empty, absent numbers 0.
struct ManagedGroup {
    ResourceLink link{};          ///< of the collection "instanceGroupManagers"
    std::string id{};             ///< Google's number; a recreated group has another one
    std::string base_name{};      ///< the prefix of its instances' names
    std::string template_link{};  ///< `instanceTemplate`, or that of the first of `versions`
    std::vector<std::string> version_templates{};  ///< of all `versions`
    int target_size = 0, target_suspended = 0, target_stopped = 0;
    bool is_stable = false;
    std::map<std::string, int> actions{};  ///< `currentActions` above 0, without `none`
    std::vector<std::string> zones{};      ///< regional: of the distribution policy; ascending
    std::string shape{};               ///< regional: "EVEN", "BALANCED", "ANY", "ANY_SINGLE_ZONE"
    std::string update_type{};         ///< "PROACTIVE", "OPPORTUNISTIC"
    std::string replacement_method{};  ///< "SUBSTITUTE", "RECREATE"
    std::string redistribution{};      ///< "PROACTIVE", "NONE"
    std::string autoscaler{};          ///< the link of Google's autoscaler of the group
    bool is_stateful = false;
    std::vector<std::string>
        flexible_types{};  ///< machine types of its instance flexibility policy
    bool operator==(const ManagedGroup&) const = default;
};

struct ManagedInstance {
    ResourceLink link{};   ///< of the collection "instances"; its name is empty before it is made
    std::string id{};      ///< Google's number; empty or "0": not made yet
    std::string action{};  ///< "NONE", "CREATING", ...
    std::string status{};  ///< of the instance: "RUNNING"; empty: no instance exists
    std::string template_link{};  ///< of `version`
    std::string machine_type{};   ///< by an instance flexibility policy; empty: the template's
    struct Fault {
        std::string code{}, message{};
        bool operator==(const Fault&) const = default;
    };
    std::vector<Fault> faults{};  ///< of the last attempt
    bool operator==(const ManagedInstance&) const = default;
};

/// An instance of `instances.list`, without metadata.
struct ListedInstance {
    ResourceLink link{};
    std::string id{}, status{}, machine_type{};
    std::optional<Time> created{};
    bool is_spot = false;
    bool operator==(const ListedInstance&) const = default;
};

/// A list that may be incomplete.
struct ManagedGroups {
    std::vector<ManagedGroup> groups{};  ///< ascending by link
    struct Unreadable {
        Place place{};
        Error error{};
    };
    std::vector<Unreadable> unreadable{};  ///< places with missing groups
    /// Errors of entries that could not be parsed. The subject is "PROJECT/PLACE/NAME" if known.
    std::vector<Error> broken{};
};

/// [strand] The client has to outlive the object.
class ManagedGroupsApi {
public:
    ManagedGroupsApi(const Host& host, GceClient& client) : host_(host), client_(client) {}

    /// instanceGroupManagers.aggregatedList: all groups of a project, 500 a page.
    Task<ManagedGroups> list_all(std::string project);
    /// `not_found`: the group does not exist.
    Task<ManagedGroup> get(ResourceLink group);
    /// Gets one group in one request that is not repeated, to find out whether Google throttles.
    Task<void> probe(ResourceLink group);
    /// listManagedInstances, all pages.
    Task<std::vector<ManagedInstance>> list_instances(ResourceLink group);
    /// instances.list of a zone, limited to the fields of ListedInstance.
    Task<std::vector<ListedInstance>> list_zone(std::string project, std::string zone);

    /// createInstances with names that the caller chose. Idempotent.
    Task<Operation> create_instances(const ResourceLink& group, std::vector<std::string> names);
    /// deleteInstances with skipInstancesOnValidationError: instances that no longer exist do not
    /// prevent the deletion of the others.
    Task<Operation> delete_instances(const ResourceLink& group,
                                     const std::vector<ResourceLink>& instances);
    /// recreateInstances: the instances are deleted and made again with their names, and the target
    /// size stays.
    Task<Operation> recreate_instances(const ResourceLink& group,
                                       const std::vector<ResourceLink>& instances);
    /// Never sent twice: another client may have changed the target size in between.
    Task<Operation> resize(const ResourceLink& group, int size);

    struct NewGroup {
        ResourceLink link{};
        std::string template_link{}, base_name{}, description{};
        std::vector<std::pair<std::string, std::string>> named_ports{};
        bool operator==(const NewGroup&) const = default;
    };
    Task<Operation> insert(const NewGroup& group);
    Task<Operation> remove(const ResourceLink& group);

private:
    Host host_;
    GceClient& client_;
};

/// Google's maximum number of instances for create_instances and delete_instances.
inline constexpr std::size_t instances_per_call = 1000;

}  // namespace capstan::gce
