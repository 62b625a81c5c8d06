/// How many pods every counter has counted, and where.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/scheduling/counters.hpp"
#include "engine/scheduling/topologies.hpp"

namespace capstan::engine {

/// What spread looks at from one domain.
struct Surroundings {
    int here = 0;         ///< pods in the domain itself
    int least_other = 0;  ///< in the emptiest of the others; `unbounded`: there is no other
    int domains = 0;      ///< this one included
};
inline constexpr int unbounded = std::numeric_limits<int>::max();

/// Nodes in slots, as a Placement has them. Sparse where nodes count for themselves: thousands of
/// counters times thousands of nodes are mostly zero. Borrows counters and lanes. [one thread]
class Tally {
public:
    struct Place {
        std::uint32_t slot = 0;
        ProfileId profile = 0;
        int nodes = 1;
        bool open = true;  ///< see Tally::open
    };

    Tally(const CounterTable& counters, const Topologies& lanes);

    /// Nodes come, without pods, in a new slot; or go, as the last. Where they are not open they
    /// are domains of spread constraints that are wider than a node, and of no other.
    void push(const Place& place);
    void pop(const Place& place);
    /// Each node of the slot becomes a domain of spread constraints over single nodes, or ends to
    /// be one. Before that it is one for nothing but what looks at it (`around`).
    void open(const Place& place) { count_hosts(place, 1); }
    void shut(const Place& place) { count_hosts(place, -1); }
    /// A new slot with a part of what is in another.
    void split(std::uint32_t from);
    void unsplit() { on_slot_.pop_back(); }
    /// Nodes of a slot become domains of spread constraints, or end to be: of those over single
    /// nodes only if they are open. What is on them is counted apart.
    void count_nodes(const Place& place, int sign);
    /// `per_node` more pods (below zero: fewer) on each node.
    void count(CounterId id, const Place& place, int per_node);

    /// Whether pods there are counted at all.
    bool counts(CounterId id, ProfileId profile) const noexcept {
        return domain(id, profile) != no_domain;
    }
    int at(CounterId id, std::uint32_t slot, ProfileId profile) const noexcept;
    std::int64_t total(CounterId id) const noexcept { return totals_[id]; }
    /// Of a counter of spread, where it counts. One node of a slot that is not open sees none of
    /// the others of its slot.
    Surroundings around(CounterId id, const Place& place) const noexcept;
    /// Of a wide one of spread, by domain: the number of pods, and of nodes that may have some.
    int in_domain(CounterId id, std::int32_t domain) const noexcept {
        return cells_[(*counters_)[id].at + static_cast<std::uint32_t>(domain)];
    }
    std::int64_t nodes_in(CounterId id, std::int32_t domain) const noexcept {
        return nodes_[first_[(*counters_)[id].lane] + static_cast<std::uint32_t>(domain)];
    }

    struct Entry {
        CounterId counter = 0;
        int count = 0;
    };
    /// What is counted on each node of a slot for itself, ascending by counter, none of zero.
    std::span<const Entry> on(std::uint32_t slot) const noexcept { return on_slot_[slot]; }

private:
    std::int32_t domain(CounterId id, ProfileId profile) const noexcept {
        return (*lanes_)[(*counters_)[id].lane].domain_of[profile];
    }
    void add_domains(const Place& place, int sign, bool per_node);
    void count_hosts(const Place& place, int sign);
    int change_entry(CounterId id, std::uint32_t slot, int by);
    void change_level(std::uint32_t table, int from, int to, int nodes);
    Surroundings around_node(const Counter& counter, CounterId id, const Place& place) const;

    const CounterTable* counters_;
    const Topologies* lanes_;
    std::vector<int> cells_;
    std::vector<std::int64_t> totals_;  // by counter
    std::vector<std::vector<Entry>> on_slot_;
    // By level table, how many nodes have one pod, two, and so on; those with none are the rest.
    std::vector<std::vector<std::int64_t>> levels_;
    std::vector<bool> spread_lane_;     // nodes are counted in these
    std::vector<std::uint32_t> first_;  // by lane: its first in nodes_
    std::vector<std::int64_t> nodes_;   // by domain
};

}  // namespace capstan::engine
