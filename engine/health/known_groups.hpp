/// Groups that no cloud lists any more although they have nodes, as after a typo in a
/// configuration; and groups of clouds that could not be read since the start.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// At most this many groups are remembered; groups beyond them are not added.
inline constexpr std::size_t known_groups_max = 1000;

/// Records which groups are listed. A group that is not listed any more is remembered as long as
/// one of its sample_nodes exists and is in no group.
Memory remember_known_groups(Memory memory, const Snapshot& snapshot,
                             const templates::Membership& membership);

/// One sentence for each known group that is not among `groups`, by id: "group two is no longer
/// listed by any cloud: its 2 nodes stay without a group: two-1, two-2".
std::vector<std::string> describe_departed_groups(const Memory& memory,
                                                  std::span<const Group> groups);

/// `groups`, by id, with the known groups of clouds in `unread` added as unreadable groups, so that
/// the memory of these groups is kept. Returns the same list if nothing is added.
std::shared_ptr<const std::vector<Group>> with_unread_groups(
    std::shared_ptr<const std::vector<Group>> groups, const UnreadClouds& unread,
    const Memory& memory);

/// Whether the group is unreadable and has no machines, not even from an earlier read. The memory
/// of its machines is then kept.
bool is_unread(const Group& group) noexcept;

}  // namespace capstan::engine::health
