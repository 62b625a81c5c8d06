#include "autoscaler/dump/node_of_machine.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <capstan/ascii.hpp>
#include <capstan/node_template.hpp>
#include <capstan/well_known.hpp>

#include "engine/templates/well_known_labels.hpp"

namespace capstan::autoscaler::dump {

engine::snapshot::NodeObject node_of_machine(const engine::Group& group, const Machine& machine,
                                             std::string name, Time wall) {
    NodeTemplate look = *group.described;
    // As kubelets and cloud controllers do, under present and deprecated names.
    engine::templates::fill_fields(look);
    engine::templates::fill_labels(look);
    engine::snapshot::NodeObject node{.name = std::move(name),
                                      .provider_id = machine.id.value(),
                                      .labels = look.labels,
                                      .annotations = look.annotations,
                                      .taints = look.taints,
                                      .capacity = look.capacity,
                                      .allocatable = look.allocatable,
                                      .ready_since = wall,
                                      .created = wall,
                                      .addresses = machine.addresses};
    set_own_labels(machine, node);
    return node;
}

void set_own_labels(const Machine& machine, engine::snapshot::NodeObject& node) {
    node.labels.insert_or_assign(std::string(well_known::hostname_label), node.name);
    if (machine.zone.empty()) return;
    for (const std::string_view key : {well_known::zone_label, well_known::beta_zone_label})
        node.labels.insert_or_assign(std::string(key), machine.zone);
}

std::string NodeNames::make(const std::string& group_id, const Machine& machine,
                            const std::function<bool(const std::string&)>& is_taken) {
    const std::string group = group_id.substr(group_id.rfind('/') + 1);
    const std::string& id = machine.id.value();
    const std::string number = id.substr(id.find_last_of("/-") + 1);
    const bool is_number =
        !number.empty() && std::ranges::all_of(number, [](char c) { return is_ascii_digit(c); });
    std::string name = group + "-" + number;
    if (is_number && !is_taken(name)) return name;
    do {
        name = group + "-" + std::to_string(++last_number_[group]);
    } while (is_taken(name));
    return name;
}

}  // namespace capstan::autoscaler::dump
