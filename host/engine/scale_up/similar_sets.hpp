/// The groups a growth may be shared with: similar ones on which its pods run as well.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/pass.hpp"
#include "engine/scale_up/estimate.hpp"
#include "engine/scale_up/scene.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine {

/// Similar groups, compared once a pass and not before somebody asks. Borrows its arguments.
class SimilarSets {
public:
    SimilarSets(const Scene& scene, const Policies& policies, const Circumstances& circumstances);

    /// Those similar to `group`, ascending; none where sharing is switched off, or nobody shares
    /// out, or the group is only ever empty or full.
    std::span<const GroupIndex> of(GroupIndex group);

    /// Checks that failed when the groups were compared, a sentence each.
    const std::vector<std::string>& failures() const noexcept { return failures_; }

private:
    void compare_all();

    const Scene* scene_;
    const Policies* policies_;
    const Circumstances* circumstances_;
    bool compared_ = false;
    std::vector<std::string> failures_;
    std::vector<std::vector<GroupIndex>> sets_;  // by group
};

/// The first of `pods`, an option for nodes of `own`, that does not run on a new node of `other`,
/// or that a plan keeps in the domain of `own`. Nothing: all may share.
std::optional<Subject> find_misfit(Placement& placement, const SpreadPlan& plan,
                                   std::span<const Demand> pods, ShapeId own, ShapeId other);

}  // namespace capstan::engine
