// A bound claim goes where its volume is.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/sentence.hpp>

#include "engine/scheduling/predicates/claim_conditions.hpp"
#include "engine/scheduling/predicates/selector_text.hpp"

namespace capstan::engine {
namespace {

struct TopologyLabel {
    std::string_view key, successor;  // both the same, but for the beta labels
};
constexpr std::string_view zone = "topology.kubernetes.io/zone";
constexpr std::string_view region = "topology.kubernetes.io/region";
constexpr std::array<TopologyLabel, 4> topology_labels{{
    {"failure-domain.beta.kubernetes.io/zone", zone},
    {"failure-domain.beta.kubernetes.io/region", region},
    {zone, zone},
    {region, region},
}};

/// "a__b" is a and b; nothing: one of them is empty, and the label is ignored.
std::optional<std::vector<std::string>> find_zones(std::string_view joined) {
    std::vector<std::string> out;
    while (true) {
        const std::size_t end = joined.find("__");
        if (joined.substr(0, end).empty()) return std::nullopt;
        out.emplace_back(joined.substr(0, end));
        if (end == std::string_view::npos) return out;
        joined.remove_prefix(end + 2);
    }
}

NodeSelectorTerm without_topology() {
    NodeSelectorTerm term;
    for (const TopologyLabel& label : topology_labels) {
        term.labels.push_back({std::string(label.key), Operator::does_not_exist, {}});
    }
    return term;
}

VolumeCondition zone_condition(const VolumeObject& volume, const TopologyLabel& label,
                               const std::vector<std::string>& zones) {
    const Requirement in_zone{std::string(label.key), Operator::in, zones};
    VolumeCondition out{.predicate = Predicate::volume_zone,
                        .sentence = "node(s) had no available volume zone: volume " +
                                    in_quotes(volume.name) + " wants " + describe(in_zone)};
    out.any_of = {without_topology(), {.labels = {in_zone}}};
    if (label.key != label.successor) {
        out.any_of.push_back({.labels = {{in_zone.key, Operator::does_not_exist, {}},
                                         {std::string(label.successor), Operator::in, zones}}});
    }
    return out;
}

}  // namespace

std::vector<VolumeCondition> conditions_of(const VolumeObject& volume) {
    std::vector<VolumeCondition> out;
    if (!volume.node_affinity.empty()) {
        out.push_back({Predicate::volume_binding, volume.node_affinity,
                       "node(s) didn't match PersistentVolume's node affinity: volume " +
                           in_quotes(volume.name) + " wants " + describe(volume.node_affinity)});
    }
    for (const TopologyLabel& label : topology_labels) {
        const auto at = volume.labels.find(label.key);
        if (at == volume.labels.end()) continue;
        if (const auto zones = find_zones(at->second)) {
            out.push_back(zone_condition(volume, label, *zones));
        }
    }
    return out;
}

}  // namespace capstan::engine
