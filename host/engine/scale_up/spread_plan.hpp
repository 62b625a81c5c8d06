/// How many pods of a pod group go into each of the domains that it is spread over.
///
/// With topologySpreadConstraints a zone may take a pod only while it is not too far above the
/// least zone. Placing one zone after the other would therefore stop at maxSkew in the first of
/// them. So the end is worked out first: pods are poured into the domains like water, none above
/// what it can hold, and each domain then takes its quota without waiting for the others.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_up {

/// What may become of a domain.
struct DomainOutlook {
    bool can_grow = false;                       ///< new nodes there would take the class
    bool will_exist = false;                     ///< others open it, if the class does not
    int spare = 0;                               ///< pods that nodes which are there still take
    int most = std::numeric_limits<int>::max();  ///< counted there, at the end; never more
    bool operator==(const DomainOutlook&) const = default;
};

/// Shares `pods` out by water-filling so that, when all have come, no domain holds more than
/// max_skew above the least. Domains that cannot grow hold the others back. By domain of `spread`.
///     zones 0, 0, 0 and 7 pods            ->  3, 2, 2
///     zones 4, 0, 0 and 7 pods            ->  0, 4, 3
///     zone c cannot grow: 0, 0, 1, skew 1  ->  2, 2, 0
std::vector<int> spread_quotas(const scheduling::SpreadDomains& spread,
                               std::span<const DomainOutlook> outlook, int pods);

// Where the pods of classes go that are spread over zones, decided before any of them is placed:
// no zone need wait for another, and one pass helps them all.

/// What an attempt has taught about domains: by counter and domain.
struct DomainLimit {
    int most = std::numeric_limits<int>::max();
    bool will_exist = false;
};
using Hindsights = std::map<std::pair<std::uint32_t, std::string>, DomainLimit>;

/// When the pods of a class may be planned.
enum class SpreadTurn : std::uint8_t {
    with_others,       ///< nothing to plan, or only planned pods add to its count
    after_others,      ///< others add to the count, and the class itself does not
    after_everything,  ///< others add to the count, and so does the class
};

/// By pod group, for the first `count`. `has_zones` by pod group: its pods were given their domains
/// already (spread_emulation.hpp), which is nothing to plan.
std::vector<SpreadTurn> find_turns(const scheduling::Placement& placement, std::size_t count,
                                   const std::vector<bool>& has_zones);

/// Borrows its arguments.
class SpreadPlan {
public:
    /// Pods that have zones already are left as they are.
    SpreadPlan(scheduling::Placement& placement, const Hindsights& hindsights,
               const std::vector<bool>& has_zones)
        : placement_(&placement), hindsights_(&hindsights), has_zones_(&has_zones) {}

    /// Plans `pods` of a class that one wide constraint spreads and that adds to its own count;
    /// others are left to the rule as it stands. `shapes` are those of groups that may grow.
    /// Classes with a counter in common are planned on what was planned before them.
    void plan(scheduling::PodGroupIndex pod_group, int pods,
              std::span<const scheduling::TemplateNodeId> shapes,
              const std::vector<bool>& passed_over);

    bool is_planned(scheduling::PodGroupIndex pod_group) const {
        return planned_.contains(pod_group);
    }
    /// Whether each pod of the class has its domain, and new nodes of the shapes are in two.
    bool keeps_apart(scheduling::PodGroupIndex pod_group, scheduling::TemplateNodeId a,
                     scheduling::TemplateNodeId b) const;
    bool empty() const noexcept { return planned_.empty(); }

    /// Whether what has been placed obeys the constraints, though not all of it may have been.
    bool holds() const;
    /// What the next attempt should know.
    Hindsights learn() const;
    /// From now on the rule holds as it stands.
    void end();
    /// Classes that were planned when a plan ended.
    const std::set<scheduling::PodGroupIndex>& ended() const noexcept { return ended_; }
    /// After the placement has been undone to what it was before the plan.
    void forget();

private:
    using Key = std::pair<std::uint32_t, std::string>;
    std::vector<DomainOutlook> look(scheduling::PodGroupIndex pod_group,
                                    const scheduling::SpreadDomains& spread, int pods,
                                    std::span<const scheduling::TemplateNodeId> shapes,
                                    const std::vector<bool>& passed_over) const;
    void find_growing(scheduling::PodGroupIndex pod_group,
                      std::span<const scheduling::TemplateNodeId> shapes,
                      std::vector<DomainOutlook>& outlook) const;
    void find_spare(scheduling::PodGroupIndex pod_group, const scheduling::SpreadDomains& spread,
                    int pods, const std::vector<bool>& passed_over,
                    std::vector<DomainOutlook>& outlook) const;

    scheduling::Placement* placement_;
    const Hindsights* hindsights_;
    const std::vector<bool>* has_zones_;
    std::map<scheduling::PodGroupIndex, std::vector<int>> planned_;  // quotas by domain
    std::set<scheduling::PodGroupIndex> ended_;
    std::map<Key, int> extra_;  // planned, and maybe not placed yet
    std::map<Key, int> goal_;   // what is counted at the end if all goes well
};

}  // namespace capstan::engine::scale_up
