/// The groups a growth may be shared with: similar ones on which its pods run as well.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/pass.hpp"
#include "engine/scale_up/estimate.hpp"
#include "engine/scale_up/price_parity.hpp"
#include "engine/scale_up/scene.hpp"
#include "engine/scale_up/similar_groups.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine {

/// Similar groups. Two are compared once a pass, and not before one of them is asked about. Groups
/// whose nodes do not cost the same share nothing, whatever the checks say, unless
/// Settings::balance_across_prices is on. Borrows its arguments.
class SimilarSets {
public:
    SimilarSets(const Scene& scene, const Policies& policies, const Circumstances& circumstances);

    /// Those similar to `group` that could grow when the pass began, and that nodes may be shared
    /// with, ascending; none where sharing is switched off, or there is no splitter, or the group
    /// is only ever empty or full. A group that would have to be made is among them only if `group`
    /// is for the same template.
    std::span<const GroupIndex> of(GroupIndex group);
    /// All that the checks call similar to `group`, also those that cannot grow, and those with a
    /// price gap.
    std::vector<GroupIndex> all_of(GroupIndex group);
    /// As engine::find_price_gap; of groups that all_of named together.
    std::optional<std::string> price_gap(GroupIndex own, GroupIndex other) const;

    /// Checks that failed when groups were compared, a sentence each.
    std::vector<std::string> failures() const;

private:
    /// What groups to make have in common that are for one template: cloud, machine type, spot,
    /// labels and taints.
    using Family =
        std::tuple<PluginInstanceId, std::string, bool, Labels, std::vector<std::string>>;
    static Family family_of(const Group& to_make);

    void prepare();
    std::vector<GroupIndex> find(GroupIndex group, std::span<const std::size_t> others);
    std::vector<std::size_t> with_siblings(GroupIndex group,
                                           std::span<const std::size_t> there) const;
    bool keeps_apart(GroupIndex group, std::size_t other) const;  // by a price gap

    const Scene* scene_;
    const Policies* policies_;
    const Circumstances* circumstances_;
    bool is_off_;
    std::optional<SimilarGroups> similar_{};          // of groups with a template that may share
    std::vector<GroupIndex> groups_{};                // by their place in it
    std::vector<Offering> offerings_{};               // by place
    std::vector<std::optional<std::size_t>> places_;  // by group
    std::vector<std::size_t> open_{}, all_{};         // places of groups that exist, ascending
    std::map<Family, std::vector<std::size_t>> to_make_{};  // places of groups to make, ascending
    std::vector<std::optional<std::vector<GroupIndex>>> sets_;  // by group
};

/// The first of `pods`, an option for nodes of `own`, that does not run on a new node of `other`,
/// or that a plan keeps in the domain of `own`. Nothing: all may share.
std::optional<Subject> find_misfit(Placement& placement, const SpreadPlan& plan,
                                   std::span<const Demand> pods, ShapeId own, ShapeId other);

}  // namespace capstan::engine
