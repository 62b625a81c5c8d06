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

/// A node group as its cloud last told of it.
struct Group {
    NodeGroup group{};
    PluginInstanceId cloud{};
    /// What its cloud says a new node would be; NULL: it does not say.
    std::shared_ptr<const NodeTemplate> described{};
    std::string undescribed_because{};  ///< a sentence, where `described` is NULL
    GroupOptions options{};
    std::optional<double> price_per_hour{};  ///< of one node
    std::vector<Machine> machines{};         ///< by id
    /// What its cloud would make it of, by node auto-provisioning; NULL: it is there.
    std::shared_ptr<const GroupPlan> plan{};
    /// What was wrong when its cloud told of it last; empty: nothing. Otherwise it is as it was
    /// known before: it counts as such, and nothing is done to it or its machines.
    std::string unreadable_because{};
};

/// What a cloud would make groups of; types by name.
struct CloudMachines {
    PluginInstanceId cloud{};
    std::vector<MachineType> types{};
};

/// Clouds that could not be read since the start, and why not.
using UnreadClouds = std::map<PluginInstanceId, std::string>;

/// What clouds told themselves, each of the last moment that it was read.
using ToldViews = std::map<PluginInstanceId, std::shared_ptr<const CloudView>>;

/// Groups ascend by id; ids are unique over all clouds.
struct Snapshot {
    snapshot::Cluster cluster;
    std::shared_ptr<const std::vector<Group>> groups;
    /// Of each cloud that makes groups; NULL: there is none.
    std::shared_ptr<const std::vector<CloudMachines>> machines{};
    UnreadClouds unread{};  ///< what groups they have is not known
    /// For explanations alone, and not part of a record: machines of no group are in it.
    ToldViews told{};
};

/// "spot interruption at 2026-01-02T03:04:05Z"; without a time where that is not known.
std::string leaving_text(const Leaving& leaving);

/// NULL: there is none. `groups` ascend by id; borrows from them.
const Group* find_group(std::span<const Group> groups, const NodeGroupId& id) noexcept;
/// The same, among the groups of the snapshot.
const Group* find_group(const Snapshot& snapshot, const NodeGroupId& id) noexcept;

/// NULL is neither.
bool is_zero_or_max(const Group* group) noexcept;
/// Whether removals from the group wait, since the cloud could not tell of the group.
bool is_unreadable(const Group* group) noexcept;

}  // namespace capstan::engine
