/// Groups that no cloud lists any more though nodes of theirs are there, as after a typo in a
/// configuration; and those of clouds that could not be read since the start.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/memory.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// Of which groups it is known, at most, the first by id.
inline constexpr std::size_t known_groups_max = 1000;

/// Notes which groups are listed. One that is not is known as long as one of the nodes that are
/// known of it is there and in no group.
Memory remember_known_groups(Memory memory, const Snapshot& snapshot,
                             const templates::Membership& membership);

/// One sentence for each known group that is not among `groups`, by id: "no cloud lists group two
/// any more: its 2 nodes stay and are in no group: two-1, two-2".
std::vector<std::string> tell_departed_groups(const Memory& memory, std::span<const Group> groups);

/// `groups`, by id, and as unreadable ones the known groups of clouds that could not be read yet:
/// so nothing that is remembered of them is forgotten. Without such clouds the same list.
std::shared_ptr<const std::vector<Group>> with_unread_groups(
    std::shared_ptr<const std::vector<Group>> groups, const UnreadClouds& unread,
    const Memory& memory);

/// Whether nothing is told of the group's machines now, so that what is remembered of them stays.
bool is_unread(const Group& group) noexcept;

}  // namespace capstan::engine::health
