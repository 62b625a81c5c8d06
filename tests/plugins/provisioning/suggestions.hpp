/// Pods and machines for tests, and suggestions as short texts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/builders.hpp>

#include "provisioning.hpp"

namespace capstan::provisioning {

inline constexpr const char* type_label = "node.kubernetes.io/instance-type";
inline constexpr const char* zone_label = "topology.kubernetes.io/zone";

/// A machine type with `cores` of 4 GiB each.
inline MachineType machine(std::string name, std::int64_t cores,
                           std::vector<std::string> zones = {"a"}) {
    MachineType out{.name = std::move(name),
                    .labels = {{"kubernetes.io/arch", "amd64"}, {"kubernetes.io/os", "linux"}},
                    .capacity = {{"cpu", cores * 1000}, {"memory", cores << 32}, {"pods", 110}}};
    out.allocatable = out.capacity;
    for (std::string& zone : zones) out.offerings.push_back({.zone = std::move(zone)});
    return out;
}

inline PodEquivalenceGroup pod(std::string name, Labels selector = {}, std::uint32_t count = 1) {
    PodEquivalenceGroup out{
        .ns = "default", .example = std::move(name), .requests = {{"cpu", 500}}};
    out.node_selector = std::move(selector);
    out.count = count;
    return out;
}

inline Toleration tolerates_team(std::string value) {
    return {.key = "team", .op = Toleration::Op::equal, .value = std::move(value)};
}

inline Suggestions suggest(const std::vector<PodEquivalenceGroup>& pods,
                           const std::vector<MachineType>& machines, const Config& config = {}) {
    return suggest_groups({.pods = pods, .machines = machines}, config);
}

/// "large{x=a}" for each group, with taints after a '!'.
inline std::vector<std::string> brief(const Suggestions& suggestions) {
    std::vector<std::string> out;
    for (const auto& [plan, because] : suggestions.groups) {
        std::string text = plan.machine_type + "{";
        for (const auto& [key, value] : plan.labels)
            text += (text.back() == '{' ? "" : ",") + key + "=" + value;
        text += "}";
        for (const Taint& taint : plan.taints) text += "!" + to_string(taint);
        out.push_back(text);
    }
    return out;
}

}  // namespace capstan::provisioning
