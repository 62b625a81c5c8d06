/// The kinds of plugins that this host uses. Plugins of other kinds are listed and loaded, and are
/// not called.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <capstan/abi/cloud.h>
#include <capstan/abi/controller.h>
#include <capstan/abi/expander.h>
#include <capstan/abi/group_source.h>
#include <capstan/abi/similarity.h>
#include <capstan/abi/splitter.h>

namespace capstan::autoscaler {

inline constexpr std::array<std::string_view, 6> known_kinds{
    CAPSTAN_KIND_CLOUD,        CAPSTAN_KIND_CONTROLLER, CAPSTAN_KIND_EXPANDER,
    CAPSTAN_KIND_GROUP_SOURCE, CAPSTAN_KIND_SIMILARITY, CAPSTAN_KIND_SPLITTER};

inline bool is_known_kind(std::string_view kind) {
    return std::ranges::find(known_kinds, kind) != known_kinds.end();
}

}  // namespace capstan::autoscaler
