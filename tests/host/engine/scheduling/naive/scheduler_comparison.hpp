/// The engine's Placement and the slow scheduler, side by side: whatever is done to one is done to
/// the other, and they must say the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "naive/naive_scheduler.hpp"
#include "naive/random_cluster.hpp"

namespace capstan::engine::scheduling::naive {

class SchedulerComparison {
public:
    explicit SchedulerComparison(RandomCluster start);

    /// The first thing they disagree on; empty: they agree. Asks about every pod group, on every
    /// slot and every shape.
    std::string find_disagreement();
    /// Does something at random: places pods, adds, splits or closes nodes, allows pods into a
    /// domain in the place of a spread constraint, takes back.
    void step(Dice& dice);

private:
    /// What a class may do in the place of the constraint with this key: so many pods, by domain.
    struct Allowance {
        std::string key;
        std::map<std::string, int> left;
    };
    struct State {
        NaiveCluster naive_cluster{};
        std::vector<std::vector<std::size_t>> nodes_of{};  ///< by slot
        std::vector<bool> closed{};                        ///< by slot
        std::map<PodGroupIndex, Allowance> allowed{};
    };
    struct Saved {
        Placement::Mark mark;
        State state;
    };

    std::string compare(PodGroupIndex pod_group, Slot slot);
    std::string compare_new(PodGroupIndex pod_group, TemplateNodeId shape) const;
    std::string compare_find(PodGroupIndex pod_group) const;
    /// Room for `most`, at most, found by filling one node after the other, each no further than
    /// the first could be filled.
    Room count_room(PodGroupIndex pod_group, Slot slot, int most) const;
    Refusal slow_why_not(const State& state, PodGroupIndex pod_group, std::size_t node) const;
    void slow_place(State& state, PodGroupIndex pod_group, std::size_t node) const;
    std::string compare_domains(PodGroupIndex pod_group) const;
    std::string about(PodGroupIndex pod_group, const std::string& where) const;

    void place(Dice& dice);
    void add(Dice& dice);
    void split(Dice& dice);
    void close(Dice& dice);
    void allow(Dice& dice);
    void save();
    void undo();
    Slot any_slot(Dice& dice) const;

    snapshot::Cluster cluster_;
    std::vector<TemplateNode> shapes_;
    std::vector<Pod> pods_;  ///< by pod group
    std::unique_ptr<CompiledPredicates> rules_;
    Placement fast_;
    State now_;
    std::vector<Saved> saved_;
};

}  // namespace capstan::engine::scheduling::naive
