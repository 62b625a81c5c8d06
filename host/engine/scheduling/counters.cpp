#include "engine/scheduling/counters.hpp"

namespace capstan::engine {

CounterId CounterTable::add(Counted what, std::uint32_t which, LaneId lane, const Lane& facts,
                            bool spread) {
    auto& sources = by_source_[static_cast<std::size_t>(what)];
    if (which >= sources.size()) sources.resize(which + 1);
    for (const CounterId id : sources[which]) {
        if (counters_[id].lane == lane && counters_[id].spread == spread) return id;
    }
    const auto id = static_cast<CounterId>(counters_.size());
    sources[which].push_back(id);
    Counter counter{
        .what = what, .which = which, .lane = lane, .per_node = facts.per_node, .spread = spread};
    if (!facts.per_node) {
        counter.at = cells_;
        cells_ += facts.domains;
    } else if (spread) {
        counter.at = level_tables_++;
    }
    counters_.push_back(counter);
    return id;
}

std::span<const CounterId> CounterTable::counting(Counted what,
                                                  std::uint32_t which) const noexcept {
    const auto& sources = by_source_[static_cast<std::size_t>(what)];
    if (which >= sources.size()) return {};
    return sources[which];
}

}  // namespace capstan::engine
