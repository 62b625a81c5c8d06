/// The engine's Placement and the naive scheduler: every step is applied to both, and their results
/// must be equal.
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

    /// The first difference; empty: none. Compares every pod group on every slot and template node.
    std::string find_disagreement();
    /// A random step: places pods; adds, splits or closes nodes; sets or removes an allowance;
    /// saves the state, or returns to a saved state.
    void step(Dice& dice);

private:
    /// How many more pods each domain takes. Replaces the spread constraint with topology key
    /// `key`.
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
    std::string compare_new(PodGroupIndex pod_group, TemplateNodeId template_node) const;
    std::string compare_find(PodGroupIndex pod_group) const;
    /// Room for at most `most` pods, found by filling the nodes in order, each with at most as many
    /// pods as the first.
    Room count_room(PodGroupIndex pod_group, Slot slot, int most) const;
    Refusal naive_why_not(const State& state, PodGroupIndex pod_group, std::size_t node) const;
    void naive_place(State& state, PodGroupIndex pod_group, std::size_t node) const;
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
    std::vector<TemplateNode> template_nodes_;
    std::vector<Pod> pods_;  ///< by pod group
    std::unique_ptr<CompiledPredicates> predicates_;
    Placement fast_;
    State now_;
    std::vector<Saved> saved_;
};

}  // namespace capstan::engine::scheduling::naive
