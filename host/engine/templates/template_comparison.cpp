#include "engine/templates/template_comparison.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/templates/node_taints.hpp"
#include "engine/templates/templates.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::templates {
namespace {

/// Labels that fields say as well, and their old names.
constexpr std::array told_by_fields{well_known::arch_label,
                                    well_known::beta_arch_label,
                                    well_known::os_label,
                                    well_known::beta_os_label,
                                    well_known::instance_type_label,
                                    well_known::beta_instance_type_label,
                                    well_known::zone_label,
                                    well_known::beta_zone_label,
                                    well_known::beta_region_label};

std::string mark_of(const std::optional<std::string>& told,
                    const std::optional<std::string>& seen) {
    if (told == seen) return {};
    return !told ? "not told" : !seen ? "not there" : "differs";
}

/// A difference of less than a twentieth of a percent is one as well.
std::string mark_of_amounts(std::int64_t told, std::int64_t seen) {
    if (told == seen) return {};
    if (told <= 0) return "not told";
    if (seen <= 0) return "not there";
    const double share = static_cast<double>(seen) / static_cast<double>(told) - 1;
    const std::string size = percent(share < 0 ? -share : share);
    if (size == "0%") return "differs";
    return size + (share < 0 ? " less" : " more");
}

class FieldComparison {
public:
    FieldComparison(const NodeTemplate& told, const NodeTemplate& seen,
                    std::string_view provider_id)
        : told_(told), seen_(seen), provider_id_(provider_id) {}

    void add_text(const std::string& name, const std::string& told, const std::string& seen) {
        if (!told.empty() || !seen.empty()) add(name, as_optional(told), as_optional(seen));
    }
    void add_amounts(const std::string& of, const Resources& told, const Resources& seen) {
        std::set<std::string> names;
        for (const auto& [resource, amount] : told) names.insert(resource);
        for (const auto& [resource, amount] : seen) names.insert(resource);
        for (const std::string& name : names)
            add_amount(of, name, told.find(name), seen.find(name));
    }
    void add_labels() {
        std::set<std::string> keys;
        for (const auto& [key, value] : told_.labels) keys.insert(key);
        for (const auto& [key, value] : seen_.labels) keys.insert(key);
        for (const std::string& key : keys) {
            const std::optional<std::string> seen = find(seen_.labels, key);
            if (!is_left_out(key, seen)) add("label " + key, find(told_.labels, key), seen);
        }
    }
    void add_taints() {
        const Labels told = by_key(told_.taints), seen = by_key(seen_.taints);
        std::set<std::string> keys;
        for (const auto& [key, text] : told) keys.insert(key);
        for (const auto& [key, text] : seen) keys.insert(key);
        for (const std::string& key : keys) add("taint " + key, find(told, key), find(seen, key));
    }
    std::vector<TemplateField> take() { return std::move(fields_); }

private:
    static std::optional<std::string> as_optional(const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    }
    static std::optional<std::string> find(const Labels& among, const std::string& key) {
        const auto at = among.find(key);
        return at == among.end() ? std::nullopt : std::optional(at->second);
    }
    void add(std::string name, std::optional<std::string> told, std::optional<std::string> seen) {
        std::string mark = mark_of(told, seen);
        fields_.push_back({std::move(name), std::move(told), std::move(seen), std::move(mark)});
    }
    void add_amount(const std::string& of, const std::string& resource,
                    std::optional<std::int64_t> told, std::optional<std::int64_t> seen) {
        if (told.value_or(0) == 0 && seen.value_or(0) == 0) return;
        const auto text = [&](std::optional<std::int64_t> amount) {
            return amount ? std::optional(format_amount(resource, *amount)) : std::nullopt;
        };
        fields_.push_back({of + " " + resource, text(told), text(seen),
                           mark_of_amounts(told.value_or(0), seen.value_or(0))});
    }
    /// What says the same as a field, or is of one node alone.
    bool is_left_out(const std::string& key, const std::optional<std::string>& seen) const {
        if (key == well_known::hostname_label) return true;
        if (std::ranges::find(told_by_fields, key) != told_by_fields.end()) return true;
        if (!seen || seen->empty()) return false;
        return *seen == seen_.name || provider_id_ == *seen || provider_id_.ends_with("/" + *seen);
    }
    /// "gpu:NoSchedule", or several.
    static Labels by_key(const std::vector<Taint>& taints) {
        std::map<std::string, std::set<std::string>> texts;
        for (const Taint& taint : taints)
            texts[taint.key].insert(to_string(taint).substr(taint.key.size() + 1));
        Labels out;
        for (const auto& [key, all] : texts)
            out.emplace(key, listed(all, [](const std::string& text) { return text; }));
        return out;
    }

    const NodeTemplate& told_;
    const NodeTemplate& seen_;
    std::string_view provider_id_;
    std::vector<TemplateField> fields_{};
};

/// Of nodes that can stand for a new one, the youngest; of several the first by name.
std::optional<snapshot::NodeIndex> find_youngest(const Snapshot& snapshot,
                                                 const Membership& membership, std::size_t group,
                                                 Time wall) {
    std::optional<snapshot::NodeIndex> out;
    for (const snapshot::NodeIndex n : membership.nodes[group]) {
        const snapshot::NodeRow& node = snapshot.cluster.node(n);
        if (!why_no_model(node, find_machine(snapshot, membership, n), wall).empty()) continue;
        if (!out || node.created > snapshot.cluster.node(*out).created) out = n;
    }
    return out;
}

std::string why_no_node(const Snapshot& snapshot, const Membership& membership, std::size_t group,
                        Time wall) {
    const std::vector<snapshot::NodeIndex>& nodes = membership.nodes[group];
    if (nodes.empty()) return "the group has no node";
    const snapshot::NodeRow& node = snapshot.cluster.node(nodes.front());
    const std::string name(snapshot.cluster.text(node.name));
    const std::string why(
        why_no_model(node, find_machine(snapshot, membership, nodes.front()), wall));
    if (nodes.size() == 1) return "its only node, " + name + ", " + why;
    return "none of its " + counted(static_cast<std::int64_t>(nodes.size()), "node") +
           " can stand for a new one: " + name + " " + why;
}

std::string remark_on(const Group& group, const Machine* machine) {
    const std::string& now = group.group.template_fingerprint;
    std::string out;
    if (machine != nullptr && !machine->template_fingerprint.empty() && !now.empty() &&
        machine->template_fingerprint != now)
        out = "the node was made from another template than new nodes are";
    if (group.described->variants > 1)
        out += (out.empty() ? "" : "; ") +
               ("the template has the least of " + std::to_string(group.described->variants)) +
               " machine types";
    return out;
}

NodeTemplate node_as_template(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) {
    return {.name = std::string(cluster.text(node.name)),
            .labels = snapshot::to_labels(cluster, node.labels),
            .taints = {node.taints.begin(), node.taints.end()},
            .capacity = *node.capacity,
            .allocatable = *node.allocatable};
}

}  // namespace

std::size_t TemplateComparison::differences() const noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(fields, [](const TemplateField& field) { return !field.is_same(); }));
}

std::vector<TemplateField> compare_fields(NodeTemplate told, NodeTemplate seen,
                                          const std::string& provider_id,
                                          const Settings& settings) {
    for (NodeTemplate* const node : {&told, &seen}) {
        fill_fields(*node);
        fill_labels(*node);
        node->taints = lasting_taints(node->taints, settings);
    }
    FieldComparison out(told, seen, provider_id);
    out.add_text("machine type", told.machine_type, seen.machine_type);
    out.add_text("zone", told.zone, seen.zone);
    out.add_text("arch", told.arch, seen.arch);
    out.add_text("os", told.os, seen.os);
    out.add_amounts("capacity", told.capacity, seen.capacity);
    out.add_amounts("allocatable", told.allocatable, seen.allocatable);
    out.add_labels();
    out.add_taints();
    return out.take();
}

TemplateComparison compare_template(const Snapshot& snapshot, const Membership& membership,
                                    std::size_t group, const Settings& settings, Time wall) {
    const Group& of = (*snapshot.groups)[group];
    const std::optional<snapshot::NodeIndex> youngest =
        find_youngest(snapshot, membership, group, wall);
    TemplateComparison out;
    if (youngest) out.node = snapshot.cluster.text(snapshot.cluster.node(*youngest).name);
    if (of.described == nullptr) {
        out.not_compared_because = of.undescribed_because.empty()
                                       ? "its cloud describes no new node"
                                       : of.undescribed_because;
        return out;
    }
    if (!youngest) {
        out.not_compared_because = why_no_node(snapshot, membership, group, wall);
        return out;
    }
    const snapshot::NodeRow& node = snapshot.cluster.node(*youngest);
    out.remark = remark_on(of, find_machine(snapshot, membership, *youngest));
    out.fields = compare_fields(*of.described, node_as_template(snapshot.cluster, node),
                                std::string(snapshot.cluster.text(node.provider_id)), settings);
    return out;
}

}  // namespace capstan::engine::templates
