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

/// Labels with the same meaning as a field, under new and old names.
constexpr std::array labels_in_fields{well_known::arch_label,
                                      well_known::beta_arch_label,
                                      well_known::os_label,
                                      well_known::beta_os_label,
                                      well_known::instance_type_label,
                                      well_known::beta_instance_type_label,
                                      well_known::zone_label,
                                      well_known::beta_zone_label,
                                      well_known::beta_region_label};

std::string mark_of(const std::optional<std::string>& described,
                    const std::optional<std::string>& actual) {
    if (described == actual) return {};
    return !described ? "not in template" : !actual ? "not on node" : "differs";
}

/// A difference of less than a twentieth of a percent is one as well.
std::string mark_of_amounts(std::int64_t described, std::int64_t actual) {
    if (described == actual) return {};
    if (described <= 0) return "not in template";
    if (actual <= 0) return "not on node";
    const double share = static_cast<double>(actual) / static_cast<double>(described) - 1;
    const std::string size = percent(share < 0 ? -share : share);
    if (size == "0%") return "differs";
    return size + (share < 0 ? " less" : " more");
}

class FieldComparison {
public:
    FieldComparison(const NodeTemplate& described, const NodeTemplate& actual,
                    std::string_view provider_id)
        : template_(described), node_(actual), provider_id_(provider_id) {}

    void add_text(const std::string& name, const std::string& described,
                  const std::string& actual) {
        if (!described.empty() || !actual.empty())
            add(name, as_optional(described), as_optional(actual));
    }
    void add_amounts(const std::string& of, const Resources& described, const Resources& actual) {
        std::set<std::string> names;
        for (const auto& [resource, amount] : described) names.insert(resource);
        for (const auto& [resource, amount] : actual) names.insert(resource);
        for (const std::string& name : names)
            add_amount(of, name, described.find(name), actual.find(name));
    }
    void add_labels() {
        std::set<std::string> keys;
        for (const auto& [key, value] : template_.labels) keys.insert(key);
        for (const auto& [key, value] : node_.labels) keys.insert(key);
        for (const std::string& key : keys) {
            const std::optional<std::string> actual = find(node_.labels, key);
            if (!is_left_out(key, actual)) add("label " + key, find(template_.labels, key), actual);
        }
    }
    void add_taints() {
        const Labels described = by_key(template_.taints), actual = by_key(node_.taints);
        std::set<std::string> keys;
        for (const auto& [key, text] : described) keys.insert(key);
        for (const auto& [key, text] : actual) keys.insert(key);
        for (const std::string& key : keys)
            add("taint " + key, find(described, key), find(actual, key));
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
    void add(std::string name, std::optional<std::string> described,
             std::optional<std::string> actual) {
        std::string mark = mark_of(described, actual);
        fields_.push_back(
            {std::move(name), std::move(described), std::move(actual), std::move(mark)});
    }
    void add_amount(const std::string& of, const std::string& resource,
                    std::optional<std::int64_t> described, std::optional<std::int64_t> actual) {
        if (described.value_or(0) == 0 && actual.value_or(0) == 0) return;
        const auto text = [&](std::optional<std::int64_t> amount) {
            return amount ? std::optional(format_amount(resource, *amount)) : std::nullopt;
        };
        fields_.push_back({of + " " + resource, text(described), text(actual),
                           mark_of_amounts(described.value_or(0), actual.value_or(0))});
    }
    /// Whether the label has the same meaning as a field, or names the node itself.
    bool is_left_out(const std::string& key, const std::optional<std::string>& actual) const {
        if (key == well_known::hostname_label) return true;
        if (std::ranges::find(labels_in_fields, key) != labels_in_fields.end()) return true;
        if (!actual || actual->empty()) return false;
        return *actual == node_.name || provider_id_ == *actual ||
               provider_id_.ends_with("/" + *actual);
    }
    /// The taints of each key as text, without the key: "gpu:NoSchedule", or several of them.
    static Labels by_key(const std::vector<Taint>& taints) {
        std::map<std::string, std::set<std::string>> texts;
        for (const Taint& taint : taints)
            texts[taint.key].insert(to_string(taint).substr(taint.key.size() + 1));
        Labels out;
        for (const auto& [key, all] : texts)
            out.emplace(key, listed(all, [](const std::string& text) { return text; }));
        return out;
    }

    const NodeTemplate& template_;
    const NodeTemplate& node_;
    std::string_view provider_id_;
    std::vector<TemplateField> fields_{};
};

/// The youngest template candidate; of several, the first by name.
std::optional<NodeIndex> find_youngest(const Snapshot& snapshot, const Membership& membership,
                                       std::size_t group, Time wall) {
    std::optional<NodeIndex> out;
    for (const NodeIndex n : membership.nodes[group]) {
        const snapshot::NodeRow& node = snapshot.cluster.node(n);
        if (!why_not_template_candidate(node, find_machine(snapshot, membership, n), wall).empty())
            continue;
        if (!out || node.created > snapshot.cluster.node(*out).created) out = n;
    }
    return out;
}

std::string why_no_node(const Snapshot& snapshot, const Membership& membership, std::size_t group,
                        Time wall) {
    const std::vector<NodeIndex>& nodes = membership.nodes[group];
    if (nodes.empty()) return "the group has no node";
    const snapshot::NodeRow& node = snapshot.cluster.node(nodes.front());
    const std::string name(snapshot.cluster.text(node.name));
    const std::string why(
        why_not_template_candidate(node, find_machine(snapshot, membership, nodes.front()), wall));
    if (nodes.size() == 1) return "its only node, " + name + ", " + why;
    return "none of its " + counted(static_cast<std::int64_t>(nodes.size()), "node") +
           " can serve as a template: " + name + " " + why;
}

std::string remark_on(const Group& group, const Machine* machine) {
    // A cloud may know the fingerprint only once it has described the group.
    const std::string& now = group.group.template_fingerprint.empty()
                                 ? group.described->fingerprint
                                 : group.group.template_fingerprint;
    std::string out;
    if (machine != nullptr && !machine->template_fingerprint.empty() && !now.empty() &&
        machine->template_fingerprint != now)
        out = "the node was created from another template (" + machine->template_fingerprint +
              ") than new nodes" +
              (group.group.debug.empty() ? "" : " (" + group.group.debug + ")");
    if (group.described->variants > 1)
        out += (out.empty() ? "" : "; ") +
               ("the template has the smallest values of " +
                std::to_string(group.described->variants)) +
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

std::vector<TemplateField> compare_fields(NodeTemplate described, NodeTemplate actual,
                                          const std::string& provider_id,
                                          const Settings& settings) {
    for (NodeTemplate* const node : {&described, &actual}) {
        fill_fields(*node);
        fill_labels(*node);
        node->taints = lasting_taints(node->taints, settings);
    }
    FieldComparison out(described, actual, provider_id);
    out.add_text("machine type", described.machine_type, actual.machine_type);
    out.add_text("zone", described.zone, actual.zone);
    out.add_text("arch", described.arch, actual.arch);
    out.add_text("os", described.os, actual.os);
    out.add_amounts("capacity", described.capacity, actual.capacity);
    out.add_amounts("allocatable", described.allocatable, actual.allocatable);
    out.add_labels();
    out.add_taints();
    return out.take();
}

TemplateComparison compare_template(const Snapshot& snapshot, const Membership& membership,
                                    std::size_t group, const Settings& settings, Time wall) {
    const Group& of = (*snapshot.groups)[group];
    const std::optional<NodeIndex> youngest = find_youngest(snapshot, membership, group, wall);
    TemplateComparison out;
    if (youngest) out.node = snapshot.cluster.text(snapshot.cluster.node(*youngest).name);
    if (of.described == nullptr) {
        out.not_compared_because = of.undescribed_because.empty()
                                       ? "the cloud does not describe new nodes"
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
