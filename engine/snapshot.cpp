#include "engine/snapshot.hpp"

#include <algorithm>

#include <capstan/time_text.hpp>

namespace capstan::engine {

std::string leaving_text(const Leaving& leaving) {
    std::string reason(name_of(leaving.reason));
    std::ranges::replace(reason, '_', ' ');
    return reason + (leaving.at ? " at " + format_rfc3339(*leaving.at) : "");
}

const Group* find_group(std::span<const Group> groups, const NodeGroupId& id) noexcept {
    const auto id_of = [](const Group& group) -> const NodeGroupId& { return group.group.id; };
    const auto at = std::ranges::lower_bound(groups, id, {}, id_of);
    return at != groups.end() && id_of(*at) == id ? &*at : nullptr;
}

const Group* find_group(const Snapshot& snapshot, const NodeGroupId& id) noexcept {
    return find_group(*snapshot.groups, id);
}

bool is_zero_or_max(const Group* group) noexcept {
    return group != nullptr && group->options.zero_or_max.value_or(false);
}

bool is_unreadable(const Group* group) noexcept {
    return group != nullptr && !group->unreadable_because.empty();
}

}  // namespace capstan::engine
