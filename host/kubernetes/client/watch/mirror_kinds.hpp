/// The kinds that a mirror follows.
#pragma once

#include <span>
#include <string_view>

#include "kubernetes/client/paths.hpp"

namespace capstan::kubernetes {

struct MirrorKind {
    ApiResource resource;
    /// What decisions use it for, after "needed to": "see the nodes".
    std::string_view purpose;
    std::string_view field_selector{};
    /// Decisions go on without it where a server has not got it: volumes that need what is not
    /// there fit nowhere, and pods belong to no Service.
    bool is_optional = false;
};

/// One for each that find_kind() knows.
std::span<const MirrorKind> mirror_kinds() noexcept;

}  // namespace capstan::kubernetes
