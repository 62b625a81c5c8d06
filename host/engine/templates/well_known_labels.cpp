#include "engine/templates/well_known_labels.hpp"

#include <array>
#include <string>

namespace capstan::engine::templates {
namespace {

struct WellKnown {
    std::string_view key, old_key;
    std::string NodeTemplate::* field;  ///< NULL: no field says it
};

constexpr std::array well_known{
    WellKnown{"kubernetes.io/arch", "beta.kubernetes.io/arch", &NodeTemplate::arch},
    WellKnown{"kubernetes.io/os", "beta.kubernetes.io/os", &NodeTemplate::os},
    WellKnown{"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type",
              &NodeTemplate::machine_type},
    WellKnown{"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone",
              &NodeTemplate::zone},
    WellKnown{"topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region", nullptr},
};
constexpr const WellKnown& machine_type = well_known[2];

/// What either label says, the newer first; empty: nothing.
std::string said(const Labels& labels, const WellKnown& known) {
    for (const std::string_view key : {known.key, known.old_key}) {
        if (const auto at = labels.find(key); at != labels.end()) return at->second;
    }
    return {};
}

}  // namespace

MachineTypeFinder::MachineTypeFinder(const snapshot::Cluster& cluster)
    : label_(cluster, machine_type.key), old_label_(cluster, machine_type.old_key) {}

void fill_fields(NodeTemplate& node) {
    for (const WellKnown& known : well_known) {
        if (known.field == nullptr || !(node.*known.field).empty()) continue;
        node.*known.field = said(node.labels, known);
    }
}

void fill_labels(NodeTemplate& node) {
    for (const WellKnown& known : well_known) {
        std::string value = said(node.labels, known);
        if (value.empty() && known.field != nullptr) value = node.*known.field;
        if (value.empty()) continue;
        node.labels.try_emplace(std::string(known.key), value);
        node.labels.try_emplace(std::string(known.old_key), value);
    }
}

}  // namespace capstan::engine::templates
