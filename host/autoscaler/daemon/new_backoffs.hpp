/// Finds the groups that a pass has backed off for a new failure.
#pragma once

#include <algorithm>
#include <vector>

#include "autoscaler/pass_report.hpp"
#include "engine/each_action.hpp"

namespace capstan::autoscaler::daemon {

struct NewBackoff {
    NodeGroupId group{};
    const engine::Backoff* backoff = nullptr;  ///< of the pass's memory
    bool was_refused = false;  ///< a call of this pass was refused; otherwise machines failed
};

/// By group. Groups that were backed off before and have not failed again are left out.
inline std::vector<NewBackoff> new_backoffs(const PassReport& pass) {
    std::vector<NewBackoff> out;
    const auto& before = pass.backoffs_before ? *pass.backoffs_before : pass.input.memory.backoffs;
    for (const auto& [group, backoff] : pass.memory.backoffs) {
        const auto known = before.find(group);
        if (known != before.end() && known->second.last_failure == backoff.last_failure) continue;
        NewBackoff fresh{.group = group, .backoff = &backoff};
        for_each_action(
            pass.decision(), pass.results,
            [&](const auto& action, const engine::ActionResult& result) {
                const engine::ActionFacts facts = facts_of(action);
                const bool is_growth = facts.delta > 0 || facts.action == "create";
                if (is_growth && facts.group == group.value() && result.refusal() != nullptr)
                    fresh.was_refused = true;
            });
        out.push_back(fresh);
    }
    return out;
}

}  // namespace capstan::autoscaler::daemon
