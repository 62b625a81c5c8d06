#include "simulator/faults.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace capstan::simulator {
namespace {

// What is known of a kind.
constexpr unsigned about_group = 1, about_cloud = 2, about_plugin = 4;
constexpr unsigned brief = 8;    // it has no duration
constexpr unsigned draws = 16;   // its random number chooses more than a group, cloud or plugin
constexpr unsigned spares = 32;  // it changes neither machines nor lists of machines

struct KindRow {
    FaultKind kind;
    std::string_view name;
    unsigned traits;
};
/// In the order of FaultKind.
constexpr auto kind_rows = std::to_array<KindRow>({
    {FaultKind::stock_out, "stock_out", about_group | spares},
    {FaultKind::quota, "quota", about_group | spares},
    {FaultKind::api_error, "api_error", about_cloud},
    {FaultKind::throttled, "throttled", about_cloud},
    {FaultKind::unauthenticated, "unauthenticated", about_cloud},
    {FaultKind::slow_calls, "slow_calls", about_cloud},
    {FaultKind::silent, "silent", about_cloud},
    {FaultKind::removal_fails, "removal_fails", about_group | spares},
    {FaultKind::lost_machine, "lost_machine", about_group | brief},
    {FaultKind::interruption, "interruption", about_group | draws},
    {FaultKind::never_joins, "never_joins", about_group | spares},
    {FaultKind::flap, "flap", about_group | draws | spares},
    {FaultKind::eviction_error, "eviction_error", spares},
    {FaultKind::policy_denial, "policy_denial", spares},
    {FaultKind::slow_scheduler, "slow_scheduler", spares},
    {FaultKind::clock_jump, "clock_jump", brief | spares},
    {FaultKind::restart, "restart", brief | spares},
    {FaultKind::restart_midway, "restart_midway", brief | spares},
    {FaultKind::lost_lease, "lost_lease", spares},
    {FaultKind::lost_lease_midway, "lost_lease_midway", brief | spares},
    {FaultKind::unobserved, "unobserved", spares},
    {FaultKind::unwritten, "unwritten", spares},
    {FaultKind::lost_answers, "lost_answers", about_cloud},
    {FaultKind::late_answers, "late_answers", about_cloud},
    {FaultKind::stale_lists, "stale_lists", about_cloud},
    {FaultKind::partial_lists, "partial_lists", about_cloud},
    {FaultKind::cordoned, "cordoned", about_group | draws},
    {FaultKind::foreign_taint, "foreign_taint", about_group | draws},
    {FaultKind::lost_label, "lost_label", about_group | draws},
    {FaultKind::deleted_node, "deleted_node", about_group | brief | draws},
    {FaultKind::twin_node, "twin_node", about_group | draws},
    {FaultKind::lost_memory, "lost_memory", brief | draws},
    {FaultKind::old_memory, "old_memory", brief | draws},
    {FaultKind::plugin_fails, "plugin_fails", about_plugin | spares},
    {FaultKind::memory_limit, "memory_limit", spares},
    {FaultKind::takeover, "takeover", draws | spares},
});
static_assert(std::ranges::all_of(kind_rows, [](const KindRow& row) {
    return &row - kind_rows.data() == static_cast<std::ptrdiff_t>(row.kind);
}));

bool has_trait(FaultKind kind, unsigned trait) noexcept {
    return (kind_rows.at(static_cast<std::size_t>(kind)).traits & trait) != 0;
}

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

std::span<const std::string_view> names_of(FaultKind) noexcept {
    static constexpr auto names = [] {
        std::array<std::string_view, kind_rows.size()> out{};
        std::ranges::transform(kind_rows, out.begin(), &KindRow::name);
        return out;
    }();
    return names;
}
std::string_view name_of(FaultKind kind) noexcept {
    return kind_rows.at(static_cast<std::size_t>(kind)).name;
}

bool is_brief(FaultKind kind) noexcept { return has_trait(kind, brief); }
bool is_about_group(FaultKind kind) noexcept { return has_trait(kind, about_group); }
bool is_about_cloud(FaultKind kind) noexcept { return has_trait(kind, about_cloud); }
bool is_about_plugin(FaultKind kind) noexcept { return has_trait(kind, about_plugin); }
bool spares_machines(FaultKind kind) noexcept { return has_trait(kind, spares); }

bool uses_draw(const Fault& fault) noexcept {
    return has_trait(fault.kind, draws) || (is_about_group(fault.kind) && fault.group.empty()) ||
           (is_about_cloud(fault.kind) && fault.cloud.empty()) ||
           (is_about_plugin(fault.kind) && fault.plugin.empty());
}

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
