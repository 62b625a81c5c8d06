#include "simulator/faults.hpp"

#include <algorithm>

namespace capstan::simulator {

std::string_view name_of(FaultKind kind) noexcept {
    switch (kind) {
        case FaultKind::stock_out: return "stock_out";
        case FaultKind::quota: return "quota";
        case FaultKind::api_error: return "api_error";
        case FaultKind::throttled: return "throttled";
        case FaultKind::unauthenticated: return "unauthenticated";
        case FaultKind::slow_calls: return "slow_calls";
        case FaultKind::silent: return "silent";
        case FaultKind::removal_fails: return "removal_fails";
        case FaultKind::lost_machine: return "lost_machine";
        case FaultKind::interruption: return "interruption";
        case FaultKind::never_joins: return "never_joins";
        case FaultKind::flap: return "flap";
        case FaultKind::eviction_error: return "eviction_error";
        case FaultKind::policy_denial: return "policy_denial";
        case FaultKind::slow_scheduler: return "slow_scheduler";
        case FaultKind::clock_jump: return "clock_jump";
        case FaultKind::restart: return "restart";
        case FaultKind::restart_midway: return "restart_midway";
        case FaultKind::lost_lease: return "lost_lease";
        case FaultKind::lost_lease_midway: return "lost_lease_midway";
        case FaultKind::unobserved: return "unobserved";
        case FaultKind::unwritten: return "unwritten";
        case FaultKind::lost_answers: return "lost_answers";
        case FaultKind::late_answers: return "late_answers";
        case FaultKind::stale_lists: return "stale_lists";
        case FaultKind::partial_lists: return "partial_lists";
        case FaultKind::cordoned: return "cordoned";
        case FaultKind::foreign_taint: return "foreign_taint";
        case FaultKind::lost_label: return "lost_label";
        case FaultKind::deleted_node: return "deleted_node";
        case FaultKind::twin_node: return "twin_node";
        case FaultKind::lost_memory: return "lost_memory";
        case FaultKind::old_memory: return "old_memory";
        case FaultKind::plugin_fails: return "plugin_fails";
        case FaultKind::memory_limit: return "memory_limit";
        case FaultKind::takeover: return "takeover";
    }
    return "unknown";
}

namespace {

/// A fault that was not drawn in so many moments in a row never comes; this bounds the search.
constexpr std::uint64_t slots_max = 10'000'000;

std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

/// A number in [0, 1).
double unit_share(std::uint64_t random) noexcept {
    return static_cast<double>(random >> 11U) * 0x1.0p-53;
}

}  // namespace

bool is_brief(FaultKind kind) noexcept {
    return kind == FaultKind::lost_machine || kind == FaultKind::clock_jump ||
           kind == FaultKind::restart || kind == FaultKind::restart_midway ||
           kind == FaultKind::lost_lease_midway || kind == FaultKind::deleted_node ||
           kind == FaultKind::lost_memory || kind == FaultKind::old_memory;
}

bool is_about_group(FaultKind kind) noexcept {
    switch (kind) {
        case FaultKind::stock_out:
        case FaultKind::quota:
        case FaultKind::removal_fails:
        case FaultKind::lost_machine:
        case FaultKind::interruption:
        case FaultKind::never_joins:
        case FaultKind::flap:
        case FaultKind::cordoned:
        case FaultKind::foreign_taint:
        case FaultKind::lost_label:
        case FaultKind::deleted_node:
        case FaultKind::twin_node: return true;
        case FaultKind::api_error:
        case FaultKind::throttled:
        case FaultKind::unauthenticated:
        case FaultKind::slow_calls:
        case FaultKind::silent:
        case FaultKind::eviction_error:
        case FaultKind::policy_denial:
        case FaultKind::slow_scheduler:
        case FaultKind::clock_jump:
        case FaultKind::restart:
        case FaultKind::restart_midway:
        case FaultKind::lost_lease:
        case FaultKind::lost_lease_midway:
        case FaultKind::unobserved:
        case FaultKind::unwritten:
        case FaultKind::lost_answers:
        case FaultKind::late_answers:
        case FaultKind::stale_lists:
        case FaultKind::partial_lists:
        case FaultKind::lost_memory:
        case FaultKind::old_memory:
        case FaultKind::plugin_fails:
        case FaultKind::memory_limit:
        case FaultKind::takeover: return false;
    }
    return false;
}

bool is_about_cloud(FaultKind kind) noexcept {
    return kind == FaultKind::api_error || kind == FaultKind::throttled ||
           kind == FaultKind::unauthenticated || kind == FaultKind::slow_calls ||
           kind == FaultKind::silent || kind == FaultKind::lost_answers ||
           kind == FaultKind::late_answers || kind == FaultKind::stale_lists ||
           kind == FaultKind::partial_lists;
}

bool is_about_plugin(FaultKind kind) noexcept { return kind == FaultKind::plugin_fails; }

Duration takeover_skew(std::uint64_t chance) noexcept {
    constexpr std::uint64_t most = takeover_skew_max / std::chrono::seconds(1);
    return std::chrono::seconds(chance % (2 * most + 1)) - takeover_skew_max;
}

Faults::Faults(std::vector<Fault> faults, Time start, std::uint64_t seed)
    : start_(start), seed_(seed) {
    for (Fault& fault : faults) {
        sources_.push_back({.fault = std::move(fault)});
        find_next(sources_.size() - 1);
    }
}

std::uint64_t Faults::random(std::size_t source, std::uint64_t slot, std::uint64_t use) const {
    return mixed(mixed(mixed(seed_ ^ mixed(source)) ^ slot) ^ use);
}

/// Sets `next` of the source: the first moment, from its current slot on, at which the fault comes.
void Faults::find_next(std::size_t index) {
    Source& source = sources_[index];
    const Fault& fault = source.fault;
    source.next.reset();
    if (!fault.chance) {
        if (source.slot == 0) source.next = start_ + fault.from;
        return;
    }
    for (const std::uint64_t end = source.slot + slots_max; source.slot < end; ++source.slot) {
        const Duration at = fault.from + fault.every * static_cast<std::int64_t>(source.slot);
        if (fault.until && at > *fault.until) return;
        if (unit_share(random(index, source.slot, 0)) >= *fault.chance) continue;
        source.next = start_ + at;
        return;
    }
}

std::optional<Time> Faults::next_due() const {
    std::optional<Time> out;
    const auto note = [&](Time at) { out = std::min(out.value_or(at), at); };
    for (const Source& source : sources_) {
        if (source.next) note(*source.next);
    }
    for (const auto& [what, end] : active_) note(end);
    return out;
}

std::vector<FaultEvent> Faults::take_due(Time now, const std::vector<std::string>& groups) {
    std::vector<FaultEvent> out;
    for (auto at = active_.begin(); at != active_.end();) {
        if (at->second > now) {
            ++at;
            continue;
        }
        const auto& [kind, group, cloud, plugin] = at->first;
        out.push_back(
            {.kind = kind, .group = group, .cloud = cloud, .plugin = plugin, .begins = false});
        at = active_.erase(at);
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        Source& source = sources_[i];
        while (source.next && *source.next <= now) {
            begin(source, source.fault.draw.value_or(random(i, source.slot, 1)), *source.next,
                  groups, out);
            ++source.slot;
            find_next(i);
        }
    }
    return out;
}

void Faults::begin(const Source& source, std::uint64_t chance, Time at,
                   const std::vector<std::string>& groups, std::vector<FaultEvent>& out) {
    const Fault& fault = source.fault;
    FaultEvent event{.kind = fault.kind,
                     .group = fault.group,
                     .cloud = fault.cloud,
                     .plugin = fault.plugin,
                     .lasts = fault.lasts,
                     .room = fault.room,
                     .chance = chance};
    if (is_about_group(fault.kind) && fault.group.empty()) {
        if (groups.empty()) return;
        event.group = groups[chance % groups.size()];
    }
    drawn_.push_back({.kind = fault.kind,
                      .group = event.group,
                      .cloud = fault.cloud,
                      .plugin = fault.plugin,
                      .from = at - start_,
                      .lasts = fault.lasts,
                      .room = fault.room,
                      .draw = chance});
    if (!is_brief(fault.kind)) {
        const auto [known, is_new] = active_.try_emplace(
            {event.kind, event.group, event.cloud, event.plugin}, at + fault.lasts);
        known->second = std::max(known->second, at + fault.lasts);
        if (!is_new) return;
    }
    out.push_back(std::move(event));
}

}  // namespace capstan::simulator
