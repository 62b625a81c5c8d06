/// The ways to grow that there are: one for each group that may grow and helps somebody.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/policies.hpp"
#include "engine/scale_up/ledger.hpp"
#include "engine/scale_up/prospects.hpp"
#include "engine/scale_up/scene.hpp"
#include "engine/scale_up/similar_sets.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine {

struct Option {
    GroupIndex group = 0;
    int nodes = 0;  ///< of a group that is only ever empty or full all of its room
    std::shared_ptr<const Prospect> prospect{};
    /// Similar groups that may grow and on which all of its pods run, ascending.
    std::vector<GroupIndex> similar{};
};

/// Borrows its arguments.
class OptionMaker {
public:
    /// `places` by subject: the number under which plugins know it.
    OptionMaker(const Scene& scene, SimilarSets& similar, Placement& placement,
                std::vector<std::uint32_t> places)
        : scene_(&scene),
          similar_(&similar),
          placement_(&placement),
          prospects_(placement, std::move(places)) {}

    /// By group. An option goes no further than the limits and the maxima, its own and those of
    /// `similar`, let it. `pods` by subject: those that are still to be helped.
    std::vector<Option> make(const std::vector<int>& pods, const Ledger& ledger,
                             const SpreadPlan& plan);

private:
    std::optional<Option> make_one(GroupIndex group, const Ledger& ledger, const SpreadPlan& plan);
    std::vector<GroupIndex> sharing(const Option& option, const SpreadPlan& plan);
    /// Of any option.
    int max_nodes() const noexcept;
    int most_nodes(const Option& option, const Ledger& ledger) const;

    const Scene* scene_;
    SimilarSets* similar_;
    Placement* placement_;
    Prospects prospects_;
    std::vector<bool> open_;  // by group: it may grow
    /// Of this round: whether all pods of a prospect run on another shape.
    std::map<std::pair<const Prospect*, ShapeId>, bool> run_on_;
};

}  // namespace capstan::engine
