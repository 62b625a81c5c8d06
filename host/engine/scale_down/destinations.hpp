/// The nodes that pods of others may move to, with those first that are the most likely to stay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/pass_context/pass_context.hpp"
#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine::scale_down {

/// What other pods have to say about where a pod may go.
enum class ConstraintScope : std::uint8_t {
    none,   ///< nothing: it is a matter of one node alone
    zones,  ///< each zone takes it or does not, whatever the node
    some,   ///< each node takes it or does not
};

/// A pod as the search for its new place sees it.
struct RelocatingPod {
    scheduling::PodGroupIndex pod_group = 0;
    snapshot::NodeIndex hint = snapshot::no_node;  ///< tried first
    std::uint32_t zone = 0;                        ///< by Destinations::zone_of; 0: any
    ConstraintScope company = ConstraintScope::some;
};

/// Two tiers of nodes: those that stay whatever comes, and those that are yet to be decided on. A
/// pod goes to the first node with room in the first tier, else in the second. What was found to
/// have no room for a class is not looked at again for its like until room is given back. Borrows
/// context and placement, which keeps what is assigned.
class Destinations {
public:
    /// Of `staying` and `undecided` those take pods that are in a state to.
    Destinations(const pass_context::PassContext& context, scheduling::Placement& placement,
                 std::span<const snapshot::NodeIndex> staying,
                 std::span<const snapshot::NodeIndex> undecided);

    /// Puts the pod where there is room; nothing: nowhere.
    std::optional<snapshot::NodeIndex> assign(const RelocatingPod& mover);
    /// The node takes no pods from now on, and what is on it is gone.
    void close(snapshot::NodeIndex node);
    /// It was found out that the node stays. Not undone, so nothing may be undone that was done
    /// before.
    void stay(snapshot::NodeIndex node);
    bool is_open(snapshot::NodeIndex node) const noexcept { return tier_of_[node] != Tier::none; }
    /// Numbers the zones; 0: in none.
    std::uint32_t zone_of(snapshot::NodeIndex node) const noexcept { return zones_[node]; }

    struct Mark {
        scheduling::Placement::Mark placement;
        std::size_t journal;
    };
    Mark mark() const noexcept { return {placement_->mark(), journal_.size()}; }
    void undo(const Mark& mark);

private:
    enum class Tier : std::uint8_t { staying, undecided, none };
    struct Nodes {
        explicit Nodes(std::size_t columns) : free(columns) {}
        scheduling::CapacityTree free;
        std::vector<snapshot::NodeIndex> nodes{};  // by row
    };
    struct Change {
        enum class Kind : std::uint8_t { assigned, closed, searched } kind = Kind::assigned;
        Tier tier = Tier::staying;
        std::uint32_t at = 0;  // a row; for `searched` a place in start_
        std::uint32_t pod_group = 0;
        std::int64_t before = 0;
    };

    void put(Tier tier, snapshot::NodeIndex node);
    void assign_to(snapshot::NodeIndex node, scheduling::PodGroupIndex pod_group);
    bool takes(const RelocatingPod& mover, snapshot::NodeIndex node) const;
    std::optional<snapshot::NodeIndex> search(Tier tier, const RelocatingPod& mover);
    std::optional<std::uint32_t> search_zone(Tier tier, const RelocatingPod& mover,
                                             std::uint32_t zone);
    void take_back(const Change& change);
    std::span<const scheduling::Need> needs(scheduling::PodGroupIndex pod_group) const noexcept {
        return {&needs_[first_need_[pod_group]],
                first_need_[pod_group + 1] - first_need_[pod_group]};
    }
    Nodes& on(Tier tier) noexcept { return tiers_[static_cast<std::size_t>(tier)]; }

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    std::vector<Nodes> tiers_{};
    std::vector<Tier> tier_of_{};          // by node
    std::vector<std::uint32_t> row_of_{};  // by node
    std::vector<std::uint32_t> zones_{};   // by node
    std::vector<scheduling::PodGroupIndex> alike_{};
    std::vector<std::uint32_t> first_need_{};
    std::vector<scheduling::Need> needs_{};
    // Where a search in a tier begins, by tier, zone and what is asked of a node by
    // itself: there is no room before.
    std::vector<std::uint32_t> start_{};
    std::uint32_t zone_count_ = 1;
    std::vector<Change> journal_{};
};

}  // namespace capstan::engine::scale_down
