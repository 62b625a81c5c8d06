/// How nodes are taken together when pods are counted: by the value of a label, each for itself, or
/// all as one.
///
/// Spread, affinity and anti-affinity all ask how many pods that match a selector are in the domain
/// of a node. Asking every pod anew would be quadratic, so each such question is a counter, kept by
/// domain and changed by one whenever a pod is placed or taken away.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/scheduling/node_demands.hpp"
#include "engine/snapshot/pod_spec.hpp"

namespace capstan::engine::scheduling {

inline constexpr std::int32_t no_domain = -1;

/// The domain of each profile's nodes; no_domain: pods on them are not counted.
using DomainByProfile = std::vector<std::int32_t>;

/// Some of the nodes in their domains. With kubernetes.io/hostname for a key, as without any, each
/// node is a domain of its own, and `domain_of` says merely whether it counts: two nodes of one
/// hostname are two.
struct TopologyDomains {
    std::string key{};  ///< empty: no label is needed
    bool per_node = false;
    std::uint32_t domains = 1;  ///< beyond any domain's number
    DomainByProfile domain_of{};
    bool operator==(const TopologyDomains&) const = default;
};

using TopologyId = std::uint32_t;

/// [engine thread]
class Topologies {
public:
    Topologies() = default;
    /// Outlived by the profiles.
    explicit Topologies(const NodeProfiles& profiles) : profiles_(&profiles) {}

    /// Nodes that have the label.
    const DomainByProfile& domains_of(std::string_view key);
    TopologyId labelled(std::string_view key);
    /// Those among them that `domain_of` leaves a domain.
    TopologyId add(std::string_view key, DomainByProfile domain_of);
    TopologyId each_node() {
        return add(TopologyDomains{.per_node = true, .domain_of = everywhere()});
    }
    TopologyId whole_cluster() { return add(TopologyDomains{.domain_of = everywhere()}); }

    std::size_t size() const noexcept { return topologies_.size(); }
    const TopologyDomains& operator[](TopologyId id) const noexcept { return topologies_[id]; }
    /// The label's value in a domain of a topology; domains ascend by it.
    const std::string& value(TopologyId topology, std::int32_t domain) const {
        return keys_.at(topologies_[topology].key).values[static_cast<std::size_t>(domain)];
    }

private:
    struct Key {
        std::vector<std::string> values{};  // ascending
        DomainByProfile domain_of{};
        std::optional<TopologyId> all{};  // the topology of all nodes that have the label
    };
    Key& read(std::string_view key);
    TopologyId add(TopologyDomains topology);
    DomainByProfile everywhere() const { return DomainByProfile(profiles_->size(), 0); }

    const NodeProfiles* profiles_ = nullptr;
    std::map<std::string, Key, std::less<>> keys_;
    std::vector<TopologyDomains> topologies_;
    std::map<std::pair<std::string, DomainByProfile>, std::vector<TopologyId>> index_;
};

// Numbers of pods that dynamic predicates look at. Each is kept once, however many classes look,
// and only those change that a pod adds to.

using CounterId = std::uint32_t;

/// Which pods are counted, by a number of that kind.
enum class Counted : std::uint8_t {
    in_set,       ///< pods of a PodSet
    with_term,    ///< pods that have an anti-affinity term
    with_port,    ///< pods that take a host port which one cannot share
    with_claim,   ///< pods that use a claim
    with_volume,  ///< pods for which a volume is attached
};

struct Counter {
    Counted what = Counted::in_set;
    std::uint32_t which = 0;
    TopologyId topology = 0;
    bool per_node = false;  ///< as the topology is
    /// Looked at by a spread constraint: pods that are being deleted do not count.
    bool spread = false;
    /// Wide: its first cell, one per domain of the topology. Per node and spread: its level table.
    std::uint32_t at = 0;
};

/// [engine thread]
class CounterTable {
public:
    /// The same question gets the same number.
    CounterId add(Counted what, std::uint32_t which, TopologyId topology,
                  const TopologyDomains& facts, bool spread = false);
    std::size_t size() const noexcept { return counters_.size(); }
    const Counter& operator[](CounterId id) const noexcept { return counters_[id]; }
    std::uint32_t cells() const noexcept { return cells_; }
    std::uint32_t level_tables() const noexcept { return level_tables_; }
    /// Those that count the same pods, in different ways.
    std::span<const CounterId> counting(Counted what, std::uint32_t which) const noexcept;

private:
    std::vector<Counter> counters_;
    std::array<std::vector<std::vector<CounterId>>, 5> by_source_;
    std::uint32_t cells_ = 0, level_tables_ = 0;
};

// The nodes that a spread constraint counts on.

/// Borrows both. [engine thread]
class SpreadTopologies {
public:
    SpreadTopologies(const NodeProfiles& profiles, Topologies& topologies)
        : profiles_(profiles), topologies_(topologies) {}

    using Constraints = std::span<const snapshot::SpreadConstraint>;

    /// Nodes with the keys of `all` the pod's constraints that its selectors and tolerations let it
    /// on, as far as the policies of this constraint ask.
    TopologyId find(const snapshot::PodSpec& pod, Constraints all,
                    const snapshot::SpreadConstraint& constraint);

private:
    bool is_eligible(const snapshot::PodSpec& pod, Constraints all,
                     const snapshot::SpreadConstraint& constraint, ProfileId profile);
    DomainByProfile eligible(const snapshot::PodSpec& pod, Constraints all,
                             const snapshot::SpreadConstraint& constraint);

    const NodeProfiles& profiles_;
    Topologies& topologies_;
    // Of pods that are on every node as far as the constraint asks, by all their keys.
    std::map<std::string, TopologyId> plain_;
};

// How many pods every counter has counted, and where.

/// What spread looks at from one domain.
struct DomainCounts {
    int here = 0;         ///< pods in the domain itself
    int least_other = 0;  ///< in the emptiest of the others; `unbounded`: there is no other
    int domains = 0;      ///< this one included
};
inline constexpr int unbounded = std::numeric_limits<int>::max();

/// Nodes in slots, as a Placement has them. Sparse where nodes count for themselves: thousands of
/// counters times thousands of nodes are mostly zero. Borrows counters and topologies. [one thread]
class TopologyCounts {
public:
    struct Place {
        std::uint32_t slot = 0;
        ProfileId profile = 0;
        int nodes = 1;
        bool open = true;  ///< see TopologyCounts::open
    };

    TopologyCounts(const CounterTable& counters, const Topologies& topologies);

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
    DomainCounts around(CounterId id, const Place& place) const noexcept;
    /// Of a wide one of spread, by domain: the number of pods, and of nodes that may have some.
    int in_domain(CounterId id, std::int32_t domain) const noexcept {
        return cells_[(*counters_)[id].at + static_cast<std::uint32_t>(domain)];
    }
    std::int64_t nodes_in(CounterId id, std::int32_t domain) const noexcept {
        return nodes_[first_[(*counters_)[id].topology] + static_cast<std::uint32_t>(domain)];
    }

    struct Entry {
        CounterId counter = 0;
        int count = 0;
    };
    /// What is counted on each node of a slot for itself, ascending by counter, none of zero.
    std::span<const Entry> on(std::uint32_t slot) const noexcept { return on_slot_[slot]; }

private:
    std::int32_t domain(CounterId id, ProfileId profile) const noexcept {
        return (*topologies_)[(*counters_)[id].topology].domain_of[profile];
    }
    void add_domains(const Place& place, int sign, bool per_node);
    void count_hosts(const Place& place, int sign);
    int change_entry(CounterId id, std::uint32_t slot, int by);
    void change_level(std::uint32_t table, int from, int to, int nodes);
    DomainCounts around_node(const Counter& counter, CounterId id, const Place& place) const;

    const CounterTable* counters_;
    const Topologies* topologies_;
    std::vector<int> cells_;
    std::vector<std::int64_t> totals_;  // by counter
    std::vector<std::vector<Entry>> on_slot_;
    // By level table, how many nodes have one pod, two, and so on; those with none are the rest.
    std::vector<std::vector<std::int64_t>> levels_;
    std::vector<bool> spread_topology_;  // nodes are counted in these
    std::vector<std::uint32_t> first_;   // by topology: its first in nodes_
    std::vector<std::int64_t> nodes_;    // by domain
};

}  // namespace capstan::engine::scheduling
