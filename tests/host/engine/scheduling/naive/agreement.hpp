/// The engine's Placement and the slow scheduler, side by side: whatever is done to one is done to
/// the other, and they must say the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "naive/naive_scheduler.hpp"
#include "naive/random_cluster.hpp"

namespace capstan::engine::naive {

class SideBySide {
public:
    explicit SideBySide(RandomCluster start);

    /// The first thing they disagree on; empty: they agree. Asks about every subject, on every
    /// slot and every shape.
    std::string find_disagreement();
    /// Does something at random: places pods, adds, splits or closes nodes, takes back.
    void step(Dice& dice);

private:
    struct Past {
        Placement::Mark mark;
        World world;
        std::vector<std::vector<std::size_t>> nodes_of;
        std::vector<bool> closed;
    };

    std::string compare(Subject subject, Slot slot);
    std::string compare_new(Subject subject, ShapeId shape) const;
    std::string compare_find(Subject subject) const;
    /// How many of `wanted` find room, one after the other, each on the node of the slot with the
    /// fewest of them.
    int count_room(Subject subject, Slot slot, int wanted) const;
    std::string about(Subject subject, const std::string& where) const;

    void place(Dice& dice);
    void add(Dice& dice);
    void split(Dice& dice);
    void close(Dice& dice);
    void remember();
    void take_back();
    Slot any_slot(Dice& dice) const;

    Cluster cluster_;
    std::vector<NodeShape> shapes_;
    std::vector<Pod> pods_;  ///< by subject
    std::unique_ptr<Rules> rules_;
    Placement fast_;
    World slow_;
    std::vector<std::vector<std::size_t>> nodes_of_;  ///< by slot
    std::vector<bool> closed_;                        ///< by slot
    std::vector<Past> past_;
};

}  // namespace capstan::engine::naive
