/// Everything one pass looks at, taken at one moment. Immutable and cheap to copy.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <capstan/cloud_provider.hpp>
#include <capstan/cloud_view.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>
#include <capstan/time.hpp>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

/// A node group as its cloud last reported it.
struct Group {
    NodeGroup group{};
    PluginInstanceId cloud{};
    /// The cloud's template of a new node; NULL: the cloud gives none.
    std::shared_ptr<const NodeTemplate> described{};
    std::string undescribed_because{};  ///< why `described` is NULL, in a sentence
    GroupOptions options{};
    std::optional<double> price_per_hour{};  ///< of one node
    std::vector<Machine> machines{};         ///< by id
    std::optional<Duration> target_lag{};    ///< CloudView::target_lag
    /// The plan by which its cloud would make the group (node auto-provisioning); NULL: the group
    /// exists.
    std::shared_ptr<const GroupPlan> plan{};
    /// Why the cloud could not report the group this time, or why requests to the cloud are backed
    /// off; empty: neither. Such a group counts with its last known values, and nothing is done to
    /// it or its machines.
    std::string unreadable_because{};
};

/// The machine types of which a cloud can make groups, by name.
struct CloudMachines {
    PluginInstanceId cloud{};
    std::vector<MachineType> types{};
};

/// Clouds that have never been read since the start, and why not.
using UnreadClouds = std::map<PluginInstanceId, std::string>;

/// The last view that was read of each cloud.
using CloudViews = std::map<PluginInstanceId, std::shared_ptr<const CloudView>>;

/// Groups ascend by id; ids are unique over all clouds.
struct Snapshot {
    snapshot::Cluster cluster;
    std::shared_ptr<const std::vector<Group>> groups;
    /// An element for each cloud that creates groups; NULL: no cloud does.
    std::shared_ptr<const std::vector<CloudMachines>> machines{};
    UnreadClouds unread{};  ///< the groups of these clouds are not known
    /// For explanations alone, and not part of a record: also has machines of no group.
    CloudViews cloud_views{};
};

/// "spot interruption at 2026-01-02T03:04:05Z"; without a time if the time is not known.
std::string leaving_text(const Leaving& leaving);

/// NULL: there is no such group. `groups` ascend by id; borrows from them.
const Group* find_group(std::span<const Group> groups, const NodeGroupId& id) noexcept;
/// Finds the group among those of the snapshot; NULL: there is none.
const Group* find_group(const Snapshot& snapshot, const NodeGroupId& id) noexcept;

/// Whether the group is only ever empty or full (GroupOptions::zero_or_max). NULL: false.
bool is_zero_or_max(const Group* group) noexcept;
/// Whether Group::unreadable_because is set, so that removals in the group wait. NULL: false.
bool is_unreadable(const Group* group) noexcept;

}  // namespace capstan::engine
