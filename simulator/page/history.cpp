#include "simulator/page/history.hpp"

#include <algorithm>
#include <utility>

#include "engine/health/backoff.hpp"
#include "engine/health/health.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::simulator::page {
namespace {

template <class T>
void add_level(std::vector<Since<T>>& levels, Duration at, T value) {
    if (!levels.empty() && levels.back().value == value) return;
    if (!levels.empty() && levels.back().at == at) {
        levels.back().value = std::move(value);
    } else {
        levels.push_back({at, std::move(value)});
    }
}

GroupLevel level_of(const engine::Group& group, const engine::health::GroupHealth& health) {
    const engine::health::NodeCounts& nodes = health.nodes;
    return {.target = group.group.target.value_or(0),
            .ready = nodes.ready,
            .upcoming = health.upcoming.nodes(),
            .other = nodes.unready + nodes.long_starting + nodes.deleted,
            .max = group.group.max};
}

}  // namespace

Duration PassHistory::since_start(Time moment) const {
    return std::max(previous_, moment - start_);
}

void PassHistory::on_decision(const autoscaler::PassReport& pass) {
    const Time now = pass.input.call_context.now;
    previous_ = now_;
    now_ = since_start(now);
    add_levels(pass.input, pass.result);
    add_backoffs(pass.result.outcome.memory, now);
}

void PassHistory::add_levels(const autoscaler::PassInput& input,
                             const autoscaler::PassResult& result) {
    const engine::Snapshot snapshot{input.snapshot.cluster, result.groups};
    const engine::templates::Membership membership = engine::templates::make_membership(snapshot);
    const engine::health::Health health = engine::health::assess(
        snapshot, membership, result.outcome.memory, input.settings, input.call_context.time());
    const engine::snapshot::Cluster& cluster = snapshot.cluster;
    for (std::size_t i = 0; i < snapshot.groups->size(); ++i) {
        const engine::Group& group = (*snapshot.groups)[i];
        const std::string& id = group.group.id.value();
        add_level(history_.groups[id].levels, now_, level_of(group, health.groups[i]));
        for (const engine::NodeIndex node : membership.nodes[i])
            history_.group_of.try_emplace(std::string(cluster.text(cluster.node(node).name)), id);
    }
    add_level(history_.pending, now_, static_cast<int>(cluster.unbound().size()));
}

void PassHistory::add_backoffs(const engine::Memory& memory, Time now) {
    for (auto& [group, seen] : history_.groups) {
        const engine::Backoff* backoff =
            engine::health::find_backoff(memory, NodeGroupId(group), now);
        const auto open = open_.find(group);
        if (open != open_.end()) {
            // The back-off expired between two passes, or was lifted in this one.
            const std::optional<Duration>& until = open->second;
            const Duration end = until ? std::min(*until, now_) : now_;
            const bool goes_on = backoff != nullptr && (!until || *until >= now_);
            seen.back_offs.back().to = std::max(seen.back_offs.back().from, goes_on ? now_ : end);
            if (!goes_on) open_.erase(open);
        }
        if (backoff == nullptr) continue;
        if (!open_.contains(group)) {
            // The failure happened between the decision of the previous pass and that of this one.
            const Duration from = std::clamp(since_start(backoff->last_failure), previous_, now_);
            seen.back_offs.push_back({from, now_, backoff->because});
        }
        seen.back_offs.back().because = backoff->because;
        open_[group] = backoff->until ? std::optional(since_start(*backoff->until)) : std::nullopt;
    }
}

History PassHistory::take(Duration end) {
    history_.end = std::max(end, now_);
    for (const auto& [group, until] : open_) {
        Band& band = history_.groups[group].back_offs.back();
        band.to = std::max(band.from, until ? std::min(*until, history_.end) : history_.end);
    }
    open_.clear();
    return std::exchange(history_, {});
}

}  // namespace capstan::simulator::page
