#include "autoscaler/pass_report.hpp"

#include <algorithm>

#include "engine/templates/membership.hpp"

namespace capstan::autoscaler {

engine::health::Health health_after(const PassReport& pass) {
    const engine::Snapshot& snapshot = pass.input.snapshot;
    const auto assess = [&](const engine::templates::Membership& membership) {
        return engine::health::assess(snapshot, membership, pass.memory, pass.input.settings,
                                      {pass.at, pass.wall_at()});
    };
    const auto& known = pass.result.membership;
    return known ? assess(*known) : assess(engine::templates::make_membership(snapshot));
}

std::string max_text(const PassReport& pass, const NodeGroupId& id) {
    const auto& groups = *pass.input.snapshot.groups;
    const auto at =
        std::ranges::find(groups, id, [](const engine::Group& g) { return g.group.id; });
    const auto max = at != groups.end() ? at->group.max : std::nullopt;
    return max ? std::to_string(*max) : "no limit";
}

}  // namespace capstan::autoscaler
