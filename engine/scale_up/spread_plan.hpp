/// How many pods of a pod group go into each of the domains that it is spread over.
///
/// With topologySpreadConstraints a zone may take a pod only while its count is at most maxSkew
/// above the zone with the fewest pods. Filling one zone after the other would therefore stop in
/// the first zone. So the final distribution is computed first, by water-filling: pods go to the
/// emptiest domain until the pods are used up or the domains are full. Each domain then takes its
/// quota without waiting for the others.
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

/// How many more pods of a pod group a domain can take.
struct DomainOutlook {
    bool can_grow = false;                       ///< new nodes there would take these pods
    bool will_exist = false;                     ///< other pods open nodes there in any case
    int spare = 0;                               ///< pods that its existing nodes still take
    int per_node = 1;                            ///< pods that a new node there takes
    int most = std::numeric_limits<int>::max();  ///< upper bound of its final count
    bool operator==(const DomainOutlook&) const = default;
};

/// Distributes `pods` by water-filling so that in the end no domain has more than max_skew pods
/// above the domain with the fewest. Domains that cannot grow hold the others back. Returns the
/// pods for each domain of `spread`.
///     zones 0, 0, 0 and 7 pods            ->  3, 2, 2
///     zones 4, 0, 0 and 7 pods            ->  0, 4, 3
///     zone c cannot grow: 0, 0, 1, skew 1  ->  2, 2, 0
std::vector<int> spread_quotas(const scheduling::SpreadDomains& spread,
                               std::span<const DomainOutlook> outlook, int pods);

/// The pods that each domain may get.
struct DomainQuotas {
    std::vector<int> pods{};
    /// Domains without nodes, of which only some are needed: each has the same quota, and the
    /// choice is left to the expanders. Empty: there are none.
    std::vector<bool> is_alternative{};
};

/// The quotas, with as many domains opened as is possible with few additional nodes. The scheduler
/// does not count a domain without nodes, so opening one is worth a node only if the pods need that
/// node anyway:
///
///     no nodes, zones a to h, 4 pods of which a node takes 4    ->  1 node, in any zone
///     no nodes, zones a to c, 30 pods of which a node takes 4   ->  10, 10, 10: 9 nodes, and with
///                                                                   fewer zones at least 8
///
/// As many domains are opened as possible with at most a quarter more nodes than necessary.
DomainQuotas open_domains(const scheduling::SpreadDomains& spread,
                          std::span<const DomainOutlook> outlook, int pods);

// The plan for all pod groups that are spread over zones, made before any of their pods is placed:
// no zone has to wait for another, and one pass helps all pods.

/// What earlier attempts of a plan have shown about a domain: DomainOutlook::most and will_exist.
struct DomainLimit {
    int most = std::numeric_limits<int>::max();
    bool will_exist = false;
};
/// By counter (SpreadDomains::counter) and domain.
using LearnedLimits = std::map<std::pair<std::uint32_t, std::string>, DomainLimit>;

/// When a pod group is placed: its constraint may count pods of other pod groups, and their final
/// number has to be known before it can be planned.
enum class SpreadTurn : std::uint8_t {
    with_others,       ///< nothing to plan, or the constraint counts planned pods only
    after_others,      ///< the constraint counts unplanned pods, but not its own
    after_everything,  ///< the constraint counts unplanned pods and its own
};

/// The turns of the first `count` pod groups. `has_zones` by pod group: its pods were assigned
/// their zones already (spread_emulation.hpp), so there is nothing to plan.
std::vector<SpreadTurn> find_turns(const scheduling::Placement& placement, std::size_t count,
                                   const std::vector<bool>& has_zones);

/// The domains of a pod group that a SpreadPlan has planned.
scheduling::SpreadDomains planned_domains(const scheduling::Placement& placement,
                                          PodGroupIndex pod_group);

/// Borrows its arguments.
class SpreadPlan {
public:
    /// Pod groups with `has_zones` are not planned.
    SpreadPlan(scheduling::Placement& placement, const LearnedLimits& learned_limits,
               const std::vector<bool>& has_zones)
        : placement_(&placement), learned_limits_(&learned_limits), has_zones_(&has_zones) {}

    /// Plans `pods` of a pod group with exactly one spread constraint over domains wider than a
    /// node, if it counts its own pods; any other pod group is not planned. `template_nodes`:
    /// templates of the groups that may grow. Pod groups with a common counter are planned one on
    /// top of the other.
    void plan(PodGroupIndex pod_group, int pods, std::span<const TemplateNodeId> template_nodes,
              const std::vector<bool>& passed_over);

    bool is_planned(PodGroupIndex pod_group) const { return planned_.contains(pod_group); }
    /// Whether each pod of the pod group has its domain, and new nodes of `a` and `b` are in
    /// different domains that cannot stand in for each other.
    bool keeps_apart(PodGroupIndex pod_group, TemplateNodeId a, TemplateNodeId b) const;
    bool empty() const noexcept { return planned_.empty(); }

    /// Whether the pods that were placed obey the constraints, even if not all were placed.
    bool holds() const;
    /// The limits that the next attempt should use.
    LearnedLimits learn() const;
    /// Ends the plan: from now on the constraints are obeyed as they stand.
    void end();
    /// The pod groups of all plans that have ended.
    const std::set<PodGroupIndex>& ended() const noexcept { return ended_; }
    /// Drops the plan, after the placement has been undone to its state before the plan.
    void forget();

private:
    using Key = std::pair<std::uint32_t, std::string>;
    std::vector<DomainOutlook> look(PodGroupIndex pod_group,
                                    const scheduling::SpreadDomains& spread, int pods,
                                    std::span<const TemplateNodeId> template_nodes,
                                    const std::vector<bool>& passed_over) const;
    void find_growing(PodGroupIndex pod_group, int pods,
                      std::span<const TemplateNodeId> template_nodes,
                      std::vector<DomainOutlook>& outlook) const;
    void find_spare(PodGroupIndex pod_group, const scheduling::SpreadDomains& spread, int pods,
                    const std::vector<bool>& passed_over,
                    std::vector<DomainOutlook>& outlook) const;

    scheduling::Placement* placement_;
    const LearnedLimits* learned_limits_;
    const std::vector<bool>* has_zones_;
    std::map<PodGroupIndex, DomainQuotas> planned_;
    std::set<PodGroupIndex> ended_;
    std::map<Key, int> extra_;  // planned pods, placed or not
    std::map<Key, int> goal_;   // the final count if all planned pods are placed
};

}  // namespace capstan::engine::scale_up
