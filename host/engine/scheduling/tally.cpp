#include "engine/scheduling/tally.hpp"

#include <algorithm>

namespace capstan::engine {

Tally::Tally(const CounterTable& counters, const Topologies& lanes)
    : counters_(&counters),
      lanes_(&lanes),
      cells_(counters.cells()),
      totals_(counters.size()),
      levels_(counters.level_tables()),
      spread_lane_(lanes.size()) {
    for (CounterId id = 0; id < counters.size(); ++id) {
        if (counters[id].spread) spread_lane_[counters[id].lane] = true;
    }
    std::uint32_t end = 0;
    for (LaneId lane = 0; lane < lanes.size(); ++lane) {
        first_.push_back(end);
        end += lanes[lane].domains;
    }
    nodes_.resize(end);
}

void Tally::push(const Place& place) {
    on_slot_.emplace_back();
    count_nodes(place, 1);
}

void Tally::pop(const Place& place) {
    on_slot_.pop_back();
    count_nodes(place, -1);
}

void Tally::split(std::uint32_t from) {
    auto copy = on_slot_[from];
    on_slot_.push_back(std::move(copy));
}

void Tally::count_nodes(const Place& place, int sign) {
    add_domains(place, sign, false);
    if (place.open) add_domains(place, sign, true);
}

void Tally::count_hosts(const Place& place, int sign) {
    add_domains(place, sign, true);
    for (const Entry& entry : on_slot_[place.slot]) {
        const Counter& counter = (*counters_)[entry.counter];
        if (counter.spread) change_level(counter.at, 0, entry.count, sign * place.nodes);
    }
}

void Tally::add_domains(const Place& place, int sign, bool per_node) {
    for (LaneId lane = 0; lane < lanes_->size(); ++lane) {
        const std::int32_t domain = (*lanes_)[lane].domain_of[place.profile];
        if (!spread_lane_[lane] || domain == no_domain) continue;
        if ((*lanes_)[lane].per_node != per_node) continue;
        nodes_[first_[lane] + static_cast<std::uint32_t>(domain)] +=
            std::int64_t{sign} * place.nodes;
    }
}

void Tally::count(CounterId id, const Place& place, int per_node) {
    const std::int32_t domain = this->domain(id, place.profile);
    if (domain == no_domain) return;
    const Counter& counter = (*counters_)[id];
    totals_[id] += std::int64_t{per_node} * place.nodes;
    if (!counter.per_node) {
        cells_[counter.at + static_cast<std::uint32_t>(domain)] += per_node * place.nodes;
        return;
    }
    const int now = change_entry(id, place.slot, per_node);
    if (counter.spread && place.open) change_level(counter.at, now - per_node, now, place.nodes);
}

int Tally::change_entry(CounterId id, std::uint32_t slot, int by) {
    std::vector<Entry>& entries = on_slot_[slot];
    const auto at = std::lower_bound(
        entries.begin(), entries.end(), id,
        [](const Entry& entry, CounterId wanted) { return entry.counter < wanted; });
    if (at == entries.end() || at->counter != id) {
        entries.insert(at, {id, by});
        return by;
    }
    const int now = at->count += by;
    if (now == 0) entries.erase(at);
    return now;
}

void Tally::change_level(std::uint32_t table, int from, int to, int nodes) {
    std::vector<std::int64_t>& level = levels_[table];
    const auto highest = static_cast<std::size_t>(std::max(from, to));
    if (highest > level.size()) level.resize(highest);
    if (from > 0) level[static_cast<std::size_t>(from) - 1] -= nodes;
    if (to > 0) level[static_cast<std::size_t>(to) - 1] += nodes;
}

int Tally::at(CounterId id, std::uint32_t slot, ProfileId profile) const noexcept {
    const Counter& counter = (*counters_)[id];
    if (!counter.per_node) {
        const std::int32_t domain = this->domain(id, profile);
        return domain == no_domain ? 0 : cells_[counter.at + static_cast<std::uint32_t>(domain)];
    }
    const std::vector<Entry>& entries = on_slot_[slot];
    const auto at = std::lower_bound(
        entries.begin(), entries.end(), id,
        [](const Entry& entry, CounterId wanted) { return entry.counter < wanted; });
    return at != entries.end() && at->counter == id ? at->count : 0;
}

Surroundings Tally::around(CounterId id, const Place& place) const noexcept {
    const Counter& counter = (*counters_)[id];
    if (counter.per_node) return around_node(counter, id, place);
    const std::int32_t own = domain(id, place.profile);
    const auto domains = static_cast<std::int32_t>((*lanes_)[counter.lane].domains);
    Surroundings out{.here = in_domain(id, own), .least_other = unbounded, .domains = 0};
    for (std::int32_t other = 0; other < domains; ++other) {
        if (nodes_in(id, other) == 0) continue;
        ++out.domains;
        if (other != own) out.least_other = std::min(out.least_other, in_domain(id, other));
    }
    return out;
}

Surroundings Tally::around_node(const Counter& counter, CounterId id, const Place& place) const {
    const std::vector<std::int64_t>& level = levels_[counter.at];
    const std::int64_t itself = place.open ? 1 : 0;  // of those that are counted
    const std::int64_t others = nodes_[first_[counter.lane]] - itself;
    Surroundings out{.here = at(id, place.slot, place.profile),
                     .least_other = unbounded,
                     .domains = static_cast<int>(others + 1)};
    std::int64_t occupied = 0;
    for (const std::int64_t there : level) occupied += there;
    if (others - occupied + (out.here > 0 ? itself : 0) > 0) {
        out.least_other = 0;
        return out;
    }
    for (std::size_t i = 0; i < level.size(); ++i) {
        const int count = static_cast<int>(i) + 1;
        if (level[i] - (out.here == count ? itself : 0) <= 0) continue;
        out.least_other = count;
        break;
    }
    return out;
}

}  // namespace capstan::engine
