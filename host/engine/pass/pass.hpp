/// One pass: from what is to what should be done about it.
#pragma once

#include <memory>
#include <span>

#include "engine/memory.hpp"
#include "engine/pass/outcome.hpp"
#include "engine/pass_context/pass_context.hpp"
#include "engine/policies.hpp"
#include "engine/provisioning/candidate_groups.hpp"
#include "engine/scale_up/scale_up.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::pass {

/// What a pass was decided with, for explanations. Borrows what run_pass was given but the memory.
struct PassDetails {
    std::unique_ptr<const provisioning::CandidateGroups>
        groups{};  ///< the context borrows their snapshot
    std::unique_ptr<pass_context::PassContext> context{};
    std::unique_ptr<scale_up::ScaleUp> scale_up{};  ///< its placement is as the scale-up left it
};

struct CompletedPass : Outcome {
    PassDetails details{};
};

/// Same arguments, same outcome, byte for byte. `asked`: pod groups that the details can be asked
/// about though they may not be pending.
CompletedPass run_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                       const Settings& settings, const CallContext& call_context,
                       std::span<const snapshot::PodGroupId> asked = {});

}  // namespace capstan::engine::pass
