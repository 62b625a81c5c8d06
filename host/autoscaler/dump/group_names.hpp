/// The names that a cloud gives to the node groups of a dump.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/dump/group_guess.hpp"
#include "autoscaler/dump/status_map.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::autoscaler::dump {

struct NamedGroup {
    GuessedGroup group{};
    std::optional<StatusGroup> status{};  ///< absent: the status ConfigMap does not name the group
    std::size_t zones = 1;                ///< in which it has nodes
};

/// Finds the guessed groups of each group of the status. A managed instance group of GKE is known
/// by the names of its nodes, any other group by its pool and its zone:
///     gke-prod-web-1a2b3c4d-grp        nodes gke-prod-web-1a2b3c4d-...
///     eks-web-a-34c1b2d0-77aa-...      pool web-a; not pool web, if there is a pool web-a
///     web.eu-central-1b                pool web in the zone eu-central-1b
/// Guessed groups of the same name become one group, whose template is that of the largest of them.
/// Groups that the status does not name stay as they were guessed. Sorted by id.
std::vector<NamedGroup> name_groups(std::vector<GuessedGroup> guessed,
                                    std::span<const engine::snapshot::NodeObject> nodes,
                                    const std::vector<StatusGroup>& status);

/// The id that the cloud plugin for Google Cloud gives to the group: "shop/us-central1-a/web" for a
/// link such as "https://www.googleapis.com/compute/v1/projects/shop/zones/us-central1-a/
/// instanceGroups/web", which is upstream's name. Any other text is returned as it is.
std::string group_id_of_link(const std::string& name);

/// The id of the managed instance group of a GKE node pool, from the names and provider ids of its
/// nodes. Absent: they are not named as GKE names the nodes of one group.
std::optional<std::string> find_gke_group(const GuessedGroup& group,
                                          std::span<const engine::snapshot::NodeObject> nodes);

}  // namespace capstan::autoscaler::dump
