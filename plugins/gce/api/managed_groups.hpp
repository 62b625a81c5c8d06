/// Managed instance groups (MIGs), zonal and regional: what compute v1 says of them, and changes.
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

/// As instanceGroupManagers has it. Texts that are absent are empty, numbers 0.
struct ManagedGroup {
    ResourceLink link{};          ///< of the collection "instanceGroupManagers"
    std::string id{};             ///< Google's number: another one, another group of that name
    std::string base_name{};      ///< what names of its instances begin with
    std::string template_link{};  ///< `instanceTemplate`; of several `versions` the first
    std::vector<std::string> version_templates{};  ///< of all `versions`
    int target_size = 0, target_suspended = 0, target_stopped = 0;
    bool is_stable = false;
    std::map<std::string, int> actions{};  ///< `currentActions` but `none` that are not 0
    std::vector<std::string> zones{};      ///< regional: of its distribution policy; by name
    std::string shape{};               ///< regional: "EVEN", "BALANCED", "ANY", "ANY_SINGLE_ZONE"
    std::string update_type{};         ///< "PROACTIVE", "OPPORTUNISTIC"
    std::string replacement_method{};  ///< "SUBSTITUTE", "RECREATE"
    std::string redistribution{};      ///< "PROACTIVE", "NONE"
    std::string autoscaler{};          ///< the link of the autoscaler that sizes it
    bool is_stateful = false;
    std::vector<std::string>
        flexible_types{};  ///< machine types of its instance flexibility policy
    bool operator==(const ManagedGroup&) const = default;
};

struct ManagedInstance {
    ResourceLink link{};   ///< of the collection "instances"; its name is empty before it is made
    std::string id{};      ///< Google's number; empty or "0": not made yet
    std::string action{};  ///< "NONE", "CREATING", ...
    std::string status{};  ///< of the instance: "RUNNING"; empty: there is none
    std::string template_link{};  ///< of `version`
    std::string machine_type{};   ///< of a flexibility policy; empty: the template's
    struct Fault {
        std::string code{}, message{};
        bool operator==(const Fault&) const = default;
    };
    std::vector<Fault> faults{};  ///< of the last attempt
    bool operator==(const ManagedInstance&) const = default;
};

/// What `instances.list` says, without metadata.
struct ListedInstance {
    ResourceLink link{};
    std::string id{}, status{}, machine_type{};
    std::optional<Time> created{};
    bool is_spot = false;
    bool operator==(const ListedInstance&) const = default;
};

/// A list of which parts may be missing.
struct ManagedGroups {
    std::vector<ManagedGroup> groups{};  ///< by link
    struct Unreadable {
        Place place{};
        Error error{};
    };
    std::vector<Unreadable> unreadable{};  ///< places whose groups are not told
    /// Of entries that could not be read: the subject is "PROJECT/PLACE/NAME" where it is known.
    std::vector<Error> broken{};
};

/// [strand] The client lives longer.
class ManagedGroupsApi {
public:
    ManagedGroupsApi(const Host& host, GceClient& client) : host_(host), client_(client) {}

    /// instanceGroupManagers.aggregatedList: all of a project, a page of 500 a call.
    Task<ManagedGroups> list_all(std::string project);
    /// `not_found`: it is not there.
    Task<ManagedGroup> get(ResourceLink group);
    /// listManagedInstances, all pages.
    Task<std::vector<ManagedInstance>> list_instances(ResourceLink group);
    /// instances.list of a zone, of those fields alone that are needed.
    Task<std::vector<ListedInstance>> list_zone(std::string project, std::string zone);

    /// createInstances with names that the caller chose: sent again it has no second effect.
    Task<Operation> create_instances(const ResourceLink& group, std::vector<std::string> names);
    /// deleteInstances with skipInstancesOnValidationError: those that are gone already keep no
    /// other.
    Task<Operation> delete_instances(const ResourceLink& group,
                                     const std::vector<ResourceLink>& instances);
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

/// At most this many instances a call of create_instances and delete_instances.
inline constexpr std::size_t instances_per_call = 1000;

}  // namespace capstan::gce
