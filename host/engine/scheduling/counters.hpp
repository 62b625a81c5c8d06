/// Numbers of pods that dynamic predicates look at. Each is kept once, however many classes look,
/// and only those change that a pod adds to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/scheduling/topologies.hpp"

namespace capstan::engine {

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
    LaneId lane = 0;
    bool per_node = false;  ///< as the lane is
    /// Looked at by a spread constraint: pods that are being deleted do not count.
    bool spread = false;
    /// Wide: its first cell, one per domain of the lane. Per node and spread: its level table.
    std::uint32_t at = 0;
};

/// [engine thread]
class CounterTable {
public:
    /// The same question gets the same number.
    CounterId add(Counted what, std::uint32_t which, LaneId lane, const Lane& facts,
                  bool spread = false);
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

}  // namespace capstan::engine
