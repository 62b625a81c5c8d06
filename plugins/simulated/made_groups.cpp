#include "made_groups.hpp"

#include <algorithm>
#include <array>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "machine.hpp"

namespace capstan::simulated {
namespace {

Labels labels_of(const std::string& zone, bool spot) {
    Labels out;
    if (!zone.empty()) out.emplace(well_known::zone_label, zone);
    if (spot) out.emplace(well_known::lifecycle_label, "spot");
    return out;
}

const std::optional<Price>& price_of(const MachineTypeConfig& type, bool spot) {
    return spot ? type.spot_price : type.price;
}

std::vector<MachineOffering> type_offers(const MachineTypeConfig& type) {
    std::vector<MachineOffering> out;
    for (const std::string& zone : type.zones) {
        for (const bool spot : {false, true}) {
            if (spot ? !type.spot : !type.on_demand) continue;
            const auto& price = price_of(type, spot);
            out.push_back({.zone = zone,
                           .spot = spot,
                           .labels = labels_of(zone, spot),
                           .price_per_hour = price ? price->per_hour : std::nullopt,
                           .currency = price ? price->currency : Price{}.currency});
        }
    }
    return out;
}

const MachineTypeConfig* find_type(const Config& config, std::string_view name) {
    const auto at = std::ranges::find(config.machine_types, name, &MachineTypeConfig::name);
    return at == config.machine_types.end() ? nullptr : &*at;
}

bool is_offered(const MachineTypeConfig& type, const std::string& zone, bool spot) {
    return (spot ? type.spot : type.on_demand) && std::ranges::count(type.zones, zone) > 0;
}

/// The labels of the machine and the plan merged; fails if they contradict each other.
Result<Labels> join(Labels own, const Labels& wanted) {
    for (const auto& [key, value] : wanted) {
        const auto [at, is_new] = own.emplace(key, value);
        if (!is_new && at->second != value) {
            return fail(ErrorCode::unsupported, "its machines have " + key + "=" + at->second +
                                                    ", the plan requires " + value);
        }
    }
    return own;
}

}  // namespace

MachineTypes machine_types_of(const Config& config) {
    MachineTypes out;
    for (const MachineTypeConfig& type : config.machine_types) {
        out.types.push_back({.name = type.name,
                             .labels = type.node.labels,
                             .taints = type.node.taints,
                             .capacity = type.node.capacity,
                             .allocatable = type.node.allocatable,
                             .offerings = type_offers(type)});
    }
    return out;
}

Result<GroupConfig> make_group(const Config& config, const GroupPlan& plan) {
    const MachineTypeConfig* const type = find_type(config, plan.machine_type);
    if (type == nullptr)
        return fail(ErrorCode::unsupported, "unknown machine type " + plan.machine_type);
    if (!is_offered(*type, plan.zone, plan.spot)) {
        return fail(ErrorCode::unsupported, std::string(plan.spot ? "spot " : "") +
                                                plan.machine_type + " is not offered in zone " +
                                                in_quotes(plan.zone));
    }
    GroupConfig out = type->group;
    out.id = NodeGroupId(plan.name);
    out.node = type->node;
    out.node.name = plan.name;
    out.node.zone = plan.zone;
    for (auto& [key, value] : labels_of(plan.zone, plan.spot))
        out.node.labels.insert_or_assign(key, value);
    CAPSTAN_TRY(out.node.labels, join(std::move(out.node.labels), plan.labels));
    out.node.taints.insert(out.node.taints.end(), plan.taints.begin(), plan.taints.end());
    out.node.fingerprint = fingerprint_of(out.node);
    out.price = price_of(*type, plan.spot);
    out.spot = plan.spot;
    out.is_made = true;
    return out;
}

}  // namespace capstan::simulated
