/// The nodes that pods of others may move to, with those first that are the most likely to stay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/scale_up/scene.hpp"
#include "engine/scheduling/capacity_tree.hpp"
#include "engine/scheduling/placement.hpp"

namespace capstan::engine {

/// What other pods have to say about where a pod may go.
enum class Company : std::uint8_t {
    none,   ///< nothing: it is a matter of one node alone
    zones,  ///< each zone takes it or does not, whatever the node
    some,   ///< each node takes it or does not
};

/// A pod as those see it who look for a place for it.
struct Mover {
    Subject subject = 0;
    NodeIndex hint = no_node;  ///< tried first
    std::uint32_t zone = 0;    ///< by Destinations::zone_of; 0: any
    Company company = Company::some;
};

/// Two shelves of nodes: those that stay whatever comes, and those that are yet to be decided on. A
/// pod goes to the first node with room on the first shelf, else on the second. What was found to
/// have no room for a class is not looked at again for its like until room is given back. Borrows
/// scene and placement, which keeps what is seated.
class Destinations {
public:
    /// Of `staying` and `undecided` those take pods that are in a state to.
    Destinations(const Scene& scene, Placement& placement, std::span<const NodeIndex> staying,
                 std::span<const NodeIndex> undecided);

    /// Puts the pod where there is room; nothing: nowhere.
    std::optional<NodeIndex> seat(const Mover& mover);
    /// The node takes no pods from now on, and what is on it is gone.
    void close(NodeIndex node);
    /// It was found out that the node stays. Not undone, so nothing may be undone that was done
    /// before.
    void stay(NodeIndex node);
    bool is_open(NodeIndex node) const noexcept { return shelf_of_[node] != Shelf::none; }
    /// Numbers the zones; 0: in none.
    std::uint32_t zone_of(NodeIndex node) const noexcept { return zones_[node]; }

    struct Mark {
        Placement::Mark placement;
        std::size_t journal;
    };
    Mark mark() const noexcept { return {placement_->mark(), journal_.size()}; }
    void undo(const Mark& mark);

private:
    enum class Shelf : std::uint8_t { staying, undecided, none };
    struct Nodes {
        explicit Nodes(std::size_t columns) : free(columns) {}
        CapacityTree free;
        std::vector<NodeIndex> nodes{};  // by row
    };
    struct Change {
        enum class Kind : std::uint8_t { seated, closed, searched } kind = Kind::seated;
        Shelf shelf = Shelf::staying;
        std::uint32_t at = 0;  // a row; for `searched` a place in start_
        std::uint32_t subject = 0;
        std::int64_t before = 0;
    };

    void put(Shelf shelf, NodeIndex node);
    void seat_on(NodeIndex node, Subject subject);
    bool takes(const Mover& mover, NodeIndex node) const;
    std::optional<NodeIndex> search(Shelf shelf, const Mover& mover);
    std::optional<std::uint32_t> search_zone(Shelf shelf, const Mover& mover, std::uint32_t zone);
    void take_back(const Change& change);
    std::span<const Need> needs(Subject subject) const noexcept {
        return {&needs_[first_need_[subject]], first_need_[subject + 1] - first_need_[subject]};
    }
    Nodes& on(Shelf shelf) noexcept { return shelves_[static_cast<std::size_t>(shelf)]; }

    const Scene* scene_;
    Placement* placement_;
    std::vector<Nodes> shelves_{};
    std::vector<Shelf> shelf_of_{};        // by node
    std::vector<std::uint32_t> row_of_{};  // by node
    std::vector<std::uint32_t> zones_{};   // by node
    std::vector<Subject> alike_{};
    std::vector<std::uint32_t> first_need_{};
    std::vector<Need> needs_{};
    // Where a search on a shelf begins, by shelf, zone and what is asked of a node by
    // itself: there is no room before.
    std::vector<std::uint32_t> start_{};
    std::uint32_t zone_count_ = 1;
    std::vector<Change> journal_{};
};

}  // namespace capstan::engine
