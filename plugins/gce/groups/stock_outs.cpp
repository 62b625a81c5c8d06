#include "stock_outs.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <capstan/ascii.hpp>

#include "../wire/gce_error.hpp"

namespace capstan::gce {
namespace {

constexpr Duration stock_out_memory = std::chrono::minutes(5);

bool chooses_zones(const ManagedGroup& group) {
    return group.shape == "BALANCED" || group.shape == "ANY";
}

bool is_name_character(char c) { return is_ascii_lower(c) || is_ascii_digit(c) || c == '-'; }

}  // namespace

void StockOuts::note(const std::string& group_id, const ManagedGroup& group,
                     const std::string& zone, const Error& fault) {
    if (!is_stock_out(fault) || !chooses_zones(group)) return;
    const Duration now = host_.monotonic();
    const auto episode = episodes_.try_emplace(group_id, Episode{now, now}).first;
    if (now - episode->second.last >= stock_out_memory) episode->second.first = now;
    episode->second.last = now;
    const std::vector<std::string> zones = zone.empty() ? group.zones : std::vector{zone};
    for (const std::string& each : zones) seen_at_[{group_id, each}] = now;
}

bool StockOuts::is_out(const std::string& group_id, const std::string& zone) const {
    const auto at = seen_at_.find({group_id, zone});
    return at != seen_at_.end() && host_.monotonic() - at->second < stock_out_memory;
}

bool StockOuts::has_lasted(const std::string& group_id) const {
    const auto at = episodes_.find(group_id);
    return at != episodes_.end() && at->second.last - at->second.first >= stock_out_memory;
}

Error StockOuts::judge(Error fault, const std::string& group_id, const ManagedGroup& group) const {
    if (!is_stock_out(fault)) return fault;
    fault.code = ErrorCode::out_of_capacity;
    if (!chooses_zones(group) || has_lasted(group_id)) return fault;
    const auto other =
        std::find_if(group.zones.begin(), group.zones.end(),
                     [&](const std::string& zone) { return !is_out(group_id, zone); });
    if (other == group.zones.end()) return fault;
    fault.code = ErrorCode::conflict;
    fault.message += "; " + *other + " has not been out of stock recently, so Google may create " +
                     "the next instance there";
    return fault;
}

void StockOuts::forget_old() {
    std::erase_if(seen_at_, [&](const auto& entry) {
        return host_.monotonic() - entry.second >= stock_out_memory;
    });
    std::erase_if(episodes_, [&](const auto& entry) {
        return host_.monotonic() - entry.second.last >= stock_out_memory;
    });
}

std::string zone_of_failure(const ResourceLink& instance, const std::string& message) {
    if (instance.place.scope == Scope::zone && !instance.place.name.empty())
        return instance.place.name;
    constexpr std::string_view before = "zones/";
    const std::size_t at = message.find(before);
    if (at == std::string::npos) return {};
    const std::string_view rest = std::string_view(message).substr(at + before.size());
    const auto end = std::find_if_not(rest.begin(), rest.end(), &is_name_character);
    return {rest.begin(), end};
}

}  // namespace capstan::gce
