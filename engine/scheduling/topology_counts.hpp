/// Counters of pods by topology domain. A domain is all nodes with one value of a label, a single
/// node, or the whole cluster.
///
/// Spread, affinity and anti-affinity all ask how many pods that match a selector are in the domain
/// of a node. A walk over all pods for each such question would be quadratic. So each question is a
/// counter with a number for each domain, and placing or removing a pod changes only these numbers.
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

/// The nodes are in no domain of the topology.
inline constexpr std::int32_t no_domain = -1;

/// By ProfileId, the domain of the profile's nodes; no_domain: pods on these nodes are not counted.
using DomainByProfile = std::vector<std::int32_t>;

/// A topology: a set of nodes, divided into domains.
struct TopologyDomains {
    std::string key{};  ///< the topology key; empty: no label is needed
    /// Each node is a domain of its own, as with the key kubernetes.io/hostname, even where two
    /// nodes have one hostname. `domain_of` is then 0 for every node that counts.
    bool per_node = false;
    std::uint32_t domains = 1;  ///< how many domain numbers there are, from 0; 1 with `per_node`
    /// Nodes with a taint that the pods do not tolerate are in no domain (nodeTaintsPolicy Honor).
    bool without_tainted = false;
    DomainByProfile domain_of{};
    bool operator==(const TopologyDomains&) const = default;
};

using TopologyId = std::uint32_t;

/// All topologies in use; equal topologies get equal ids. [engine thread]
class Topologies {
public:
    Topologies() = default;
    /// Borrows the profiles.
    explicit Topologies(const NodeProfiles& profiles) : profiles_(&profiles) {}

    /// The domains of the topology of all nodes that have the label.
    const DomainByProfile& domains_of(std::string_view key);
    /// The topology of all nodes that have the label.
    TopologyId labelled(std::string_view key);
    /// The topology of the nodes to which `domain_of` gives a domain. `domain_of` is that of
    /// domains_of(key) with some domains replaced by no_domain.
    TopologyId add(std::string_view key, DomainByProfile domain_of, bool without_tainted = false);
    /// Every node is a domain.
    TopologyId each_node() {
        return add(TopologyDomains{.per_node = true, .domain_of = everywhere()});
    }
    /// One domain with all nodes.
    TopologyId whole_cluster() { return add(TopologyDomains{.domain_of = everywhere()}); }

    std::size_t size() const noexcept { return topologies_.size(); }
    const TopologyDomains& operator[](TopologyId id) const noexcept { return topologies_[id]; }
    /// The label's value in a domain of a topology. Domain numbers ascend by this value.
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

// The counters that dynamic predicates read. Pod equivalence groups that ask the same question
// share one counter. A pod changes only the counters that it adds to.

using CounterId = std::uint32_t;

/// Which pods a counter counts. `Counter::which` is an index into the list named here.
enum class Counted : std::uint8_t {
    in_set,       ///< pods of a set (PodSetId)
    with_term,    ///< pods that have an anti-affinity term (TermId)
    with_port,    ///< pods that take a host port in conflict with one of InterPodIndex::ports
    with_claim,   ///< pods that use one of InterPodIndex::claims
    with_volume,  ///< pods for which one of InterPodIndex::volumes is attached
};

struct Counter {
    Counted what = Counted::in_set;
    std::uint32_t which = 0;
    TopologyId topology = 0;
    bool per_node = false;  ///< TopologyDomains::per_node of the topology
    /// Read by a spread constraint: pods that are being deleted do not count.
    bool spread = false;
    /// Not per node: the counter's first cell, with one cell per domain. Per node and read by a
    /// spread constraint: the counter's level table.
    std::uint32_t at = 0;
};

/// The definitions of all counters; their values are in TopologyCounts. [engine thread]
class CounterTable {
public:
    /// Equal arguments get equal ids. `facts` is the topology.
    CounterId add(Counted what, std::uint32_t which, TopologyId topology,
                  const TopologyDomains& facts, bool spread = false);
    std::size_t size() const noexcept { return counters_.size(); }
    const Counter& operator[](CounterId id) const noexcept { return counters_[id]; }
    std::uint32_t cells() const noexcept { return cells_; }
    std::uint32_t level_tables() const noexcept { return level_tables_; }
    /// The counters that count these pods: for each topology at most two, one of them for spread
    /// constraints.
    std::span<const CounterId> counting(Counted what, std::uint32_t which) const noexcept;

private:
    std::vector<Counter> counters_;
    std::array<std::vector<std::vector<CounterId>>, 5> by_source_;
    std::uint32_t cells_ = 0, level_tables_ = 0;
};

// The nodes on which a spread constraint counts pods.

/// Borrows profiles and topologies. [engine thread]
class SpreadTopologies {
public:
    SpreadTopologies(const NodeProfiles& profiles, Topologies& topologies)
        : profiles_(profiles), topologies_(topologies) {}

    using Constraints = std::span<const snapshot::SpreadConstraint>;

    /// The topology of the nodes that are eligible for the constraint. Such a node has the topology
    /// keys of `all` constraints of the pod. It also matches the pod's node selector and required
    /// node affinity (nodeAffinityPolicy Honor) and has no taint that the pod does not tolerate
    /// (nodeTaintsPolicy Honor).
    TopologyId find(const snapshot::PodSpec& pod, Constraints all,
                    const snapshot::SpreadConstraint& constraint);

private:
    bool is_eligible(const snapshot::PodSpec& pod, Constraints all,
                     const snapshot::SpreadConstraint& constraint, ProfileId profile);
    DomainByProfile eligible(const snapshot::PodSpec& pod, Constraints all,
                             const snapshot::SpreadConstraint& constraint);

    const NodeProfiles& profiles_;
    Topologies& topologies_;
    // Topologies of constraints with policies that exclude no node, by the constraint's key and the
    // keys of all constraints of the pod.
    std::map<std::string, TopologyId> without_policies_;
};

// The values of the counters.

/// A domain compared with the others of its topology, as a spread constraint needs it.
struct DomainCounts {
    int here = 0;         ///< pods in the domain itself
    int least_other = 0;  ///< pods in the emptiest other domain; `unbounded`: there is no other
    int domains = 0;      ///< number of domains that remain, this one included
};
inline constexpr int unbounded = std::numeric_limits<int>::max();

/// The value of each counter by domain, for nodes in slots (see placement.hpp). Counters per node
/// are stored sparsely, since thousands of counters times thousands of nodes are mostly zero.
/// Borrows counters and topologies. [one thread]
class TopologyCounts {
public:
    /// A slot as the counters see it.
    struct Place {
        std::uint32_t slot = 0;
        ProfileId profile = 0;
        int nodes = 1;                 ///< in the slot
        bool has_host_domains = true;  ///< see add_host_domains
    };

    TopologyCounts(const CounterTable& counters, const Topologies& topologies);

    /// Adds a slot without pods, and its nodes to the domains of spread constraints (count_nodes).
    void push(const Place& place);
    /// Removes the last slot, which has no pods.
    void pop(const Place& place);
    /// Makes each node of the slot a domain of the spread constraints over single nodes. Before
    /// that, other nodes are not compared with it; `domain_counts` of the slot itself still works.
    void add_host_domains(const Place& place) { count_host_domains(place, 1); }
    /// Undoes add_host_domains.
    void remove_host_domains(const Place& place) { count_host_domains(place, -1); }
    /// Adds a slot for nodes that were in `from`; the pods on each node stay counted.
    void split(std::uint32_t from);
    /// Undoes the last split.
    void unsplit() { on_slot_.pop_back(); }
    /// Adds the nodes of a slot to the domains of spread constraints (`sign` 1) or removes them
    /// (-1). The constraints over single nodes are included only with `has_host_domains`. The
    /// counts of pods do not change.
    void count_nodes(const Place& place, int sign);
    /// Adds the nodes of a slot to the draining domains of spread constraints (`sign` 1), or
    /// removes them (-1): domains without pods, except where tainted nodes are in no domain.
    void count_draining(const Place& place, int sign);
    /// Counts `per_node` more pods (below zero: fewer) on each node of the slot.
    void count(CounterId id, const Place& place, int per_node);

    /// Whether the counter counts pods on nodes with this profile.
    bool counts(CounterId id, ProfileId profile) const noexcept {
        return domain(id, profile) != no_domain;
    }
    /// Pods in the domain of each node of the slot; 0 where they are not counted.
    int at(CounterId id, std::uint32_t slot, ProfileId profile) const noexcept;
    /// Pods in all domains together.
    std::int64_t total(CounterId id) const noexcept { return totals_[id]; }
    /// The domain of a node of the slot. Only for a counter of a spread constraint that counts
    /// there. Per node and without `has_host_domains`, the other nodes of the slot are left out.
    DomainCounts domain_counts(CounterId id, const Place& place) const noexcept;
    /// Pods in a domain. Only for counters that are not per node.
    int in_domain(CounterId id, std::int32_t domain) const noexcept {
        return cells_[(*counters_)[id].at + static_cast<std::uint32_t>(domain)];
    }
    /// Nodes in a domain; per node, all nodes with host domains are in domain 0. Only for counters
    /// of spread constraints.
    std::int64_t nodes_in(CounterId id, std::int32_t domain) const noexcept {
        return nodes_[place_in_nodes(id, domain)];
    }

    /// The value of a counter per node.
    struct Entry {
        CounterId counter = 0;
        int count = 0;
    };
    /// The counters per node that are not zero on each node of the slot, ascending by counter.
    std::span<const Entry> on(std::uint32_t slot) const noexcept { return on_slot_[slot]; }

private:
    std::int32_t domain(CounterId id, ProfileId profile) const noexcept {
        return (*topologies_)[(*counters_)[id].topology].domain_of[profile];
    }
    std::size_t place_in_nodes(CounterId id, std::int32_t domain) const noexcept {
        return first_[(*counters_)[id].topology] + static_cast<std::uint32_t>(domain);
    }
    void add_domains(const Place& place, int sign, bool per_node);
    void count_host_domains(const Place& place, int sign);
    int change_entry(CounterId id, std::uint32_t slot, int by);
    void change_level(std::uint32_t table, int from, int to, int nodes);
    DomainCounts domain_counts_of_node(const Counter& counter, CounterId id,
                                       const Place& place) const;

    const CounterTable* counters_;
    const Topologies* topologies_;
    std::vector<int> cells_;            // counters that are not per node, by domain
    std::vector<std::int64_t> totals_;  // by counter
    std::vector<std::vector<Entry>> on_slot_;
    // By level table, how many nodes have one pod, two pods, and so on. Nodes without a pod are not
    // in it.
    std::vector<std::vector<std::int64_t>> levels_;
    std::vector<bool> spread_topology_;   // by topology: a spread constraint uses it
    std::vector<std::uint32_t> first_;    // by topology: the place of its domain 0 in nodes_
    std::vector<std::int64_t> nodes_;     // nodes by domain, only of topologies of spread
    std::vector<std::int64_t> draining_;  // likewise, for nodes that drain
};

}  // namespace capstan::engine::scheduling
