#include "engine/health/known_groups.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::engine::health {
namespace {

/// The number of sample_nodes that are kept.
constexpr std::size_t names_max = 3;

KnownGroup make_known_group(const Snapshot& snapshot, const templates::Membership& membership,
                            std::size_t group) {
    const std::vector<NodeIndex>& nodes = membership.nodes[group];
    KnownGroup out{.cloud = (*snapshot.groups)[group].cloud,
                   .nodes = static_cast<int>(nodes.size())};
    for (std::size_t n = 0; n < std::min(nodes.size(), names_max); ++n)
        out.sample_nodes.emplace(snapshot.cluster.text(snapshot.cluster.node(nodes[n]).name));
    return out;
}

bool has_stray_node(const Snapshot& snapshot, const templates::Membership& membership,
                    const KnownGroup& known) {
    return std::ranges::any_of(known.sample_nodes, [&](const std::string& name) {
        const auto node = snapshot.cluster.find_node(name);
        return node && !membership.machine_of[*node];
    });
}

std::string departed_sentence(const NodeGroupId& id, const KnownGroup& group) {
    const auto others = group.nodes - static_cast<int>(group.sample_nodes.size());
    return "group " + id.value() + " is no longer listed by any cloud: its " +
           counted(group.nodes, "node") +
           (group.nodes == 1 ? " stays without a group: " : " stay without a group: ") +
           listed(group.sample_nodes, [](const std::string& name) { return name; }) +
           (others > 0 ? " and " + std::to_string(others) + " more" : "");
}

}  // namespace

Memory remember_known_groups(Memory memory, const Snapshot& snapshot,
                             const templates::Membership& membership) {
    const std::span<const Group> groups = *snapshot.groups;
    std::map<NodeGroupId, KnownGroup> now;
    for (auto& [id, known] : memory.known_groups) {
        const Group* group = find_group(groups, id);
        const bool stays = group == nullptr ? has_stray_node(snapshot, membership, known)
                                            : !group->unreadable_because.empty();
        if (stays) now.emplace(id, std::move(known));
    }
    for (std::size_t g = 0; g < groups.size() && now.size() < known_groups_max; ++g)
        if (groups[g].plan == nullptr)
            now.emplace(groups[g].group.id, make_known_group(snapshot, membership, g));
    memory.known_groups = std::move(now);
    return memory;
}

std::vector<std::string> describe_departed_groups(const Memory& memory,
                                                  std::span<const Group> groups) {
    std::vector<std::string> out;
    for (const auto& [id, known] : memory.known_groups)
        if (known.nodes > 0 && find_group(groups, id) == nullptr)
            out.push_back(departed_sentence(id, known));
    return out;
}

std::shared_ptr<const std::vector<Group>> with_unread_groups(
    std::shared_ptr<const std::vector<Group>> groups, const UnreadClouds& unread,
    const Memory& memory) {
    std::vector<Group> more;
    for (const auto& [id, known] : memory.known_groups) {
        const auto cloud = unread.find(known.cloud);
        if (cloud == unread.end() || find_group(*groups, id) != nullptr) continue;
        more.push_back({.group = {.id = id},
                        .cloud = known.cloud,
                        .undescribed_because = "the cloud has not been read since the start"});
        more.back().unreadable_because =
            "the cloud has not been read since the start: " + cloud->second;
    }
    if (more.empty()) return groups;
    more.insert(more.end(), groups->begin(), groups->end());
    std::ranges::sort(more, {}, [](const Group& group) -> auto& { return group.group.id; });
    return std::make_shared<const std::vector<Group>>(std::move(more));
}

bool is_unread(const Group& group) noexcept {
    return !group.unreadable_because.empty() && group.machines.empty();
}

}  // namespace capstan::engine::health
