/// Which members of API objects are read. The others, which make up most of a dump (managedFields,
/// env, probes, images, statuses), are stepped over while it is parsed.
#pragma once

#include <span>
#include <string_view>

namespace capstan::kubernetes {

/// Members of an object that are kept, or of each object in an array.
struct KeptMembers {
    struct Member {
        std::string_view key;
        const KeptMembers* below = nullptr;  ///< NULL: everything
    };
    std::span<const Member> members;
    const KeptMembers* also = nullptr;  ///< more of them; NULL: these are all

    /// NULL: it is not read.
    const Member* find(std::string_view key) const noexcept;
};

/// Of an object of any kind that find_kind() knows. One table for all, for an object may say its
/// kind last; a decoder that starts to read a member enters it here.
const KeptMembers& field_mask() noexcept;

}  // namespace capstan::kubernetes
