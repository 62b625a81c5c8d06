#include "runtime/daemon/pass_report.hpp"

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

}  // namespace capstan::runtime
