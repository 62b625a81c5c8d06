#include "engine/templates/template_comparison.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/quantity.hpp>

#include "engine/templates/node_taints.hpp"
#include "engine/templates/observed_nodes.hpp"
#include "engine/templates/templates.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine {
namespace {

/// Of nodes that are as old the first by name.
std::optional<NodeIndex> find_youngest_model(const Snapshot& snapshot, const Membership& membership,
                                             std::size_t group, Time wall) {
    const Cluster& cluster = snapshot.cluster;
    std::optional<NodeIndex> out;
    const auto is_younger = [&](NodeIndex a, NodeIndex b) {
        const NodeRow &one = cluster.node(a), &other = cluster.node(b);
        return std::tuple(other.created, cluster.text(one.name)) <
               std::tuple(one.created, cluster.text(other.name));
    };
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const auto& machine = membership.machine_of[n];
        if (!machine || machine->group != group) continue;
        if (!why_no_model(cluster.node(n), find_machine(snapshot, membership, n), wall).empty())
            continue;
        if (!out || is_younger(n, *out)) out = n;
    }
    return out;
}

using FieldTexts = std::map<std::string, std::string>;

FieldTexts amount_texts(const Resources& amounts) {
    FieldTexts out;
    for (const auto& [resource, amount] : amounts)
        if (amount != 0) out[resource] = format_amount(resource, amount);
    return out;
}

FieldTexts label_texts(const Labels& labels) {
    FieldTexts out;
    for (const auto& [key, value] : labels)
        if (key != hostname_label) out[key] = value.empty() ? "\"\"" : value;
    return out;
}

FieldTexts taint_texts(const std::vector<Taint>& taints) {
    FieldTexts out;
    for (const Taint& taint : taints)
        out[taint.key + ":" + std::string(name_of(taint.effect))] =
            taint.value.empty() ? "\"\"" : taint.value;
    return out;
}

void add_fields(const std::string& kind, const FieldTexts& described, const FieldTexts& node,
                std::vector<TemplateField>& out) {
    std::map<std::string, TemplateField> rows;
    for (const auto& [name, text] : described) rows[name].described = text;
    for (const auto& [name, text] : node) rows[name].node = text;
    for (auto& [name, row] : rows) {
        row.field = kind + " " + name;
        out.push_back(std::move(row));
    }
}

}  // namespace

TemplateComparison compare_template(const Snapshot& snapshot, const Membership& membership,
                                    std::size_t group, const Settings& settings, Time wall) {
    const NodeTemplate* const described = (*snapshot.groups)[group].described.get();
    if (described == nullptr) return {.not_compared_because = "its cloud tells of no template"};
    const auto youngest = find_youngest_model(snapshot, membership, group, wall);
    if (!youngest)
        return {.not_compared_because = "no node of it is ready and as a new one will be"};
    const NodeRow& node = snapshot.cluster.node(*youngest);
    const NodeTraits traits = traits_of(snapshot.cluster, node, settings);
    TemplateComparison out{.node = std::string(snapshot.cluster.text(node.name))};
    add_fields("capacity", amount_texts(described->capacity), amount_texts(traits.capacity),
               out.fields);
    add_fields("allocatable", amount_texts(described->allocatable),
               amount_texts(traits.allocatable), out.fields);
    add_fields("label", label_texts(described->labels), label_texts(traits.labels), out.fields);
    add_fields("taint", taint_texts(lasting_taints(described->taints, settings)),
               taint_texts(traits.taints), out.fields);
    return out;
}

}  // namespace capstan::engine
