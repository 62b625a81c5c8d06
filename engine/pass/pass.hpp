/// One pass: from a snapshot and the memory to a decision and the new memory.
///
/// A pass is a pure function. It brings the memory up to date with the snapshot, then plans
/// repairs, scale-up and scale-down, and takes the next steps of each removal. It does not wait and
/// carries nothing out.
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

/// The state that a pass decided on, for explanations. Borrows all arguments of run_pass but the
/// memory.
struct PassDetails {
    /// `context` borrows the snapshot in `groups`.
    std::unique_ptr<const provisioning::CandidateGroups> groups{};
    std::unique_ptr<pass_context::PassContext> context{};
    std::unique_ptr<scale_up::ScaleUp> scale_up{};  ///< its placement is that after the scale-up
};

struct CompletedPass : Outcome {
    PassDetails details{};
};

/// The same arguments give the same outcome, byte for byte. `asked`: pod equivalence groups that
/// the details can answer for even if they are not pending.
CompletedPass run_pass(const Snapshot& snapshot, Memory memory, const Policies& policies,
                       const Settings& settings, const CallContext& call_context,
                       std::span<const PodGroupId> asked = {});

}  // namespace capstan::engine::pass
