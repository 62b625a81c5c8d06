/// Which members of API objects decoders read. The parser skips all other members, which make up
/// most of a dump (managedFields, env, probes, images, statuses).
#pragma once

#include <span>
#include <string_view>

namespace capstan::kubernetes {

/// The members that are kept of an object, or of each object in an array.
struct KeptMembers {
    struct Member {
        std::string_view key;
        const KeptMembers* below = nullptr;  ///< what is kept of its value; NULL: everything
    };
    std::span<const Member> members;
    const KeptMembers* also = nullptr;  ///< a second table of kept members; NULL: none

    /// NULL: the member is not kept.
    const Member* find(std::string_view key) const noexcept;
};

/// The members that are kept of an object of any kind that find_kind() knows. All kinds share one
/// table, because the kind may be the last member of an object. If a decoder is changed to read
/// another member, that member must be added here.
const KeptMembers& field_mask() noexcept;
/// The same, and the members that tell when a file was written: heartbeats, renewals of Leases,
/// starts and ends of containers, times of events and managedFields. A live cluster needs none.
const KeptMembers& file_mask() noexcept;

}  // namespace capstan::kubernetes
