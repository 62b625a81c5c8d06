#include "runtime/daemon/pass_report.hpp"

#include <algorithm>

#include "engine/templates/membership.hpp"

namespace capstan::runtime {

engine::Health health_after(const PassReport& pass) {
    const engine::Snapshot& snapshot = pass.input.snapshot;
    const auto assess = [&](const engine::Membership& membership) {
        return engine::assess(snapshot, membership, pass.memory, pass.input.settings,
                              {pass.at, pass.shown_at()});
    };
    const auto& known = pass.result.membership;
    return known ? assess(*known) : assess(engine::make_membership(snapshot));
}

std::string max_text(const PassReport& pass, const NodeGroupId& id) {
    const auto& groups = *pass.input.snapshot.groups;
    const auto at =
        std::ranges::find(groups, id, [](const engine::Group& g) { return g.group.id; });
    const bool has_max = at != groups.end() && at->group.max;
    return has_max ? std::to_string(*at->group.max) : "no limit";
}

}  // namespace capstan::runtime
