#include "engine/templates/templates.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/well_known.hpp>

#include "engine/templates/daemons.hpp"
#include "engine/templates/node_taints.hpp"
#include "engine/templates/observed_nodes.hpp"
#include "engine/templates/settling_nodes.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::templates {

std::string_view why_not_template_candidate(const snapshot::NodeRow& node, const Machine* machine,
                                            Time wall) {
    const auto is_deletion = [](const Taint& t) { return is_deletion_taint(t.key); };
    if (!node.ready) return "is not ready";
    const Duration ready_for = wall - node.ready_since;
    // A moment in the future was written before the clock was set back, so how long the node has
    // been ready is unknown.
    if (ready_for < stabilization_delay && ready_for > -stabilization_delay)
        return "became ready less than 1m ago";
    if (node.unschedulable) return "is cordoned";
    if (std::ranges::any_of(node.taints, is_deletion) ||
        (machine != nullptr && machine->state == MachineState::deleting)) {
        return "is being removed";
    }
    return {};
}

namespace {

/// How many of the youngest nodes have to agree on taints and labels that the cloud does not
/// describe.
constexpr std::size_t witnesses_max = 3;

class TemplateMaker {
public:
    TemplateMaker(const Snapshot& snapshot, const Membership& membership,
                  const TemplateRecords& records, const Settings& settings, const PassTime& time)
        : snapshot_(snapshot),
          membership_(membership),
          records_(records),
          settings_(settings),
          time_(time) {
        if (settings.reserve_from_nodes) learned_ = learn_reserves(snapshot.cluster);
    }

    GroupTemplate make(std::size_t g) const {
        const Group& group = (*snapshot_.groups)[g];
        const std::vector<NodeIndex>& nodes = membership_.nodes[g];
        const bool may_use_nodes = settings_.template_source == TemplateSource::mixed;
        if (may_use_nodes) {
            const ObservedNode* const observed = find_observed(group.group.id);
            const std::vector<NodeIndex> candidates = find_candidates(group, nodes, observed);
            if (!candidates.empty() && is_newer_in_cloud(group, candidates))
                return template_from_cloud(snapshot_.cluster, group, learned(), settings_,
                                           candidates);
            if (!candidates.empty())
                return template_from_node(snapshot_.cluster, group, candidates.front(), settings_,
                                          candidates);
            if (observed != nullptr) return from_memory(group, *observed);
        }
        if (group.described) return from_cloud(group);
        if (may_use_nodes && !nodes.empty()) return from_other_node(group, nodes.front());
        return {.because =
                    why_undescribed(group) + (may_use_nodes ? ", and the group has no node" : "")};
    }

private:
    /// NULL: no node of the group was observed.
    const ObservedNode* find_observed(const NodeGroupId& group) const {
        const auto record = records_.find(group);
        if (record == records_.end()) return nullptr;
        const std::optional<ObservedNode>& observed = record->second.observed;
        return observed ? &*observed : nullptr;
    }
    std::string_view why_not(NodeIndex n) const {
        return why_not_template_candidate(snapshot_.cluster.node(n),
                                          find_machine(snapshot_, membership_, n), time_.wall);
    }
    /// The youngest candidates, youngest first; of equally old ones the first by name. At most
    /// `witnesses_max`.
    std::vector<NodeIndex> find_candidates(const Group& group, std::vector<NodeIndex> nodes,
                                           const ObservedNode* observed) const {
        const auto created = [&](NodeIndex n) { return snapshot_.cluster.node(n).created; };
        std::ranges::stable_sort(nodes, std::ranges::greater(), created);
        std::vector<NodeIndex> out;
        for (const NodeIndex n : nodes) {
            const bool counts =
                why_not(n).empty() &&
                !awaits_promise(snapshot_.cluster, n, group, observed, settings_, time_.wall);
            if (counts) out.push_back(n);
            if (out.size() == witnesses_max) break;
        }
        return out;
    }
    /// Whether the cloud has changed its template since the machines of all candidates were
    /// launched.
    bool is_newer_in_cloud(const Group& group, const std::vector<NodeIndex>& candidates) const {
        const auto record = records_.find(group.group.id);
        if (group.described == nullptr || record == records_.end() || !record->second.has_changed)
            return false;
        return std::ranges::none_of(candidates, [&](NodeIndex n) {
            return is_of_template(snapshot_.cluster.node(n),
                                  find_machine(snapshot_, membership_, n), record->second, time_);
        });
    }
    static std::string why_undescribed(const Group& group) {
        return group.undescribed_because.empty() ? "the cloud does not describe new nodes"
                                                 : group.undescribed_because;
    }
    /// From a node that is not a template candidate.
    GroupTemplate from_other_node(const Group& group, NodeIndex n) const {
        GroupTemplate out = template_from_node(snapshot_.cluster, group, n, settings_);
        out.because.append(", which ").append(why_not(n)).append("; ");
        out.because += why_undescribed(group);
        return out;
    }
    GroupTemplate from_cloud(const Group& group) const {
        return template_from_cloud(snapshot_.cluster, group, learned(), settings_);
    }
    GroupTemplate from_memory(const Group& group, const ObservedNode& observed) const {
        return template_from_memory(snapshot_.cluster, group, observed, learned(), settings_);
    }
    const Reserves* learned() const { return settings_.reserve_from_nodes ? &learned_ : nullptr; }

    const Snapshot& snapshot_;
    const Membership& membership_;
    const TemplateRecords& records_;
    const Settings& settings_;
    PassTime time_;
    Reserves learned_;
};

}  // namespace

std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Membership& membership,
                                          const TemplateRecords& records, const Settings& settings,
                                          const PassTime& time) {
    CAPSTAN_ASSERT(membership.nodes.size() == snapshot.groups->size(),
                   "the membership is of another snapshot");
    const TemplateMaker maker(snapshot, membership, records, settings, time);
    std::vector<GroupTemplate> out;
    out.reserve(snapshot.groups->size());
    for (std::size_t g = 0; g < snapshot.groups->size(); ++g) out.push_back(maker.make(g));
    return out;
}

std::vector<GroupTemplate> make_templates(const Snapshot& snapshot, const Settings& settings,
                                          const PassTime& time, const TemplateRecords& records) {
    return make_templates(snapshot, make_membership(snapshot), records, settings, time);
}

namespace {

/// The kubelet's default of maxPods.
constexpr std::int64_t usual_max_pods = 110;
/// The cpu that clouds count for a static kube-proxy, in thousandths.
constexpr std::int64_t kube_proxy_cpu = 100;

NodeTemplate unnamed_copy(NodeTemplate node, const Group& group, const Settings& settings) {
    node.name = "template-node-for-" + group.group.id.value();
    node.taints = lasting_taints(node.taints, settings);
    node.labels.insert_or_assign(std::string(well_known::hostname_label),
                                 std::string(hostname_of_templates));
    // The template is changed, so the cloud's fingerprint no longer applies.
    node.fingerprint.clear();
    return node;
}

GroupTemplate finished(const snapshot::Cluster& cluster, NodeTemplate node,
                       scheduling::TemplateNode template_node, std::string because) {
    template_node.labels = node.labels;
    template_node.taints = node.taints;
    node.free = template_node.allocatable - taken_by(cluster, template_node.daemons);
    return {.node = std::make_shared<const NodeTemplate>(std::move(node)),
            .template_node = std::move(template_node),
            .because = std::move(because)};
}

void fill_from_cloud(NodeTemplate& node, const NodeTemplate& described) {
    for (const auto& [resource, amount] : described.capacity) {
        if (node.capacity.find(resource)) continue;
        node.capacity.set(resource, amount);
        node.allocatable.set(resource, described.allocatable.find(resource).value_or(amount));
    }
}

/// Fills in amounts that a cloud may leave out because they follow from the others.
void fill_amounts(NodeTemplate& node) {
    if (node.capacity.empty()) node.capacity = node.allocatable;
    if (!node.capacity.find("pods")) node.capacity.set("pods", usual_max_pods);
    for (const auto& [resource, amount] : node.capacity) {
        if (!node.allocatable.find(resource)) node.allocatable.set(resource, amount);
    }
}

/// What static pods take by the cloud's own figures.
Resources taken_by_static_pods(const NodeTemplate& node) {
    Resources out;
    for (const auto& [resource, free] : node.free) {
        const std::int64_t taken = node.allocatable.amount(resource) - free;
        if (taken > 0) out.set(resource, taken);
    }
    return out;
}

Resources without_kube_proxy(Resources taken) {
    const auto give_back = [&](std::string_view resource, std::int64_t most) {
        const std::int64_t amount = taken.amount(resource);
        if (amount > 0) taken.set(resource, amount - std::min(amount, most));
    };
    give_back("cpu", kube_proxy_cpu);
    give_back("pods", 1);
    return taken;
}

/// The template node for the predicates: its daemons, and what is left to daemons and other pods.
scheduling::TemplateNode template_node_of(const snapshot::Cluster& cluster,
                                          const NodeTemplate& node, const Resources& static_pods) {
    scheduling::TemplateNode out{.allocatable = node.allocatable - without_kube_proxy(static_pods)};
    const auto added = add_missing_daemons(cluster, node, out.allocatable, out.daemons);
    if (std::ranges::any_of(added, [](const auto* row) { return is_kube_proxy(*row->object); })) {
        return out;
    }
    out = {.allocatable = node.allocatable - static_pods};
    add_missing_daemons(cluster, node, out.allocatable, out.daemons);
    return out;
}

void set_csi_limits(const Reserves* learned, const NodeTemplate& node,
                    scheduling::TemplateNode& template_node) {
    if (learned == nullptr) return;
    const auto type = learned->types.find(node.machine_type);
    if (type == learned->types.end()) return;
    template_node.csi_limits = type->second.csi_limits;
    template_node.csi_migrated = type->second.csi_migrated;
}

/// Whether the label has a zone or a region, under a new or an old name.
bool is_zone_or_region(std::string_view label) {
    return label.starts_with("topology.") || label.starts_with("failure-domain.beta.");
}

/// Drops taints and labels that the cloud does not describe and that one of the other nodes lacks:
/// somebody has set them on single nodes. Returns ", without taint K, label L, which node N lacks".
std::string drop_own_marks(const snapshot::Cluster& cluster, const Group& group,
                           std::span<const NodeIndex> witnesses, NodeTemplate& node) {
    std::string dropped, lacking;
    /// The first of the others without the mark; absent: all have it.
    const auto is_own = [&](const std::string& text, const auto& has_mark) {
        const auto at = std::ranges::find_if(
            witnesses, [&](NodeIndex n) { return !has_mark(cluster.node(n)); });
        if (at == witnesses.end()) return false;
        dropped += (dropped.empty() ? "" : ", ") + text;
        if (lacking.empty()) lacking = cluster.text(cluster.node(*at).name);
        return true;
    };
    const NodeTemplate* const described = group.described.get();
    std::erase_if(node.taints, [&](const Taint& taint) {
        if (described != nullptr &&
            std::ranges::find(described->taints, taint) != described->taints.end())
            return false;
        return is_own("taint " + taint.key, [&](const snapshot::NodeRow& other) {
            return std::ranges::any_of(other.taints, [&](const Taint& its) {
                return its.key == taint.key && its.effect == taint.effect;
            });
        });
    });
    std::erase_if(node.labels, [&](const auto& label) {
        if (is_filled_label(label.first)) return false;
        if (described != nullptr && described->labels.contains(label.first)) return false;
        return is_own("label " + label.first, [&](const snapshot::NodeRow& other) {
            return snapshot::find_label(cluster, other.labels, label.first).has_value();
        });
    });
    return dropped.empty() ? "" : ", without " + dropped + ", which node " + lacking + " lacks";
}

/// Adds labels that the template lacks and all of the nodes have, with the values of the first one.
void add_common_labels(const snapshot::Cluster& cluster, std::span<const NodeIndex> nodes,
                       NodeTemplate& node) {
    for (const auto& [key, value] :
         snapshot::to_labels(cluster, cluster.node(nodes.front()).labels)) {
        const bool have_all = std::ranges::all_of(nodes, [&](NodeIndex n) {
            return snapshot::find_label(cluster, cluster.node(n).labels, key).has_value();
        });
        if (have_all) node.labels.try_emplace(key, value);
    }
}

/// Moves the node to the zone of the cloud's template. Without this, a group of several zones would
/// stay in the zone of its last node.
void use_zone_of_cloud(NodeTemplate& node, const NodeTemplate& described) {
    NodeTemplate last = node, cloud = described;
    fill_fields(last);
    fill_fields(cloud);
    fill_labels(cloud);
    if (last.zone == cloud.zone) return;
    std::erase_if(node.labels, [](const auto& label) { return is_zone_or_region(label.first); });
    for (const auto& [key, value] : cloud.labels)
        if (is_zone_or_region(key)) node.labels.insert_or_assign(key, value);
}

/// Whether the next machine may be of another type than the node.
bool may_be_of_another_type(NodeTemplate node, const NodeTemplate& described) {
    fill_fields(node);
    return described.variants > 1 || node.machine_type != described.machine_type;
}

/// Lowers amounts to those of the cloud's template, which has the least of several machine types.
void lower_to_described(Resources& amounts, const Resources& described) {
    for (const auto& [resource, most] : described) {
        const std::optional<std::int64_t> amount = amounts.find(resource);
        if (amount) amounts.set(resource, std::min(*amount, most));
    }
}

}  // namespace

GroupTemplate template_from_node(const snapshot::Cluster& cluster, const Group& group,
                                 NodeIndex index, const Settings& settings,
                                 std::span<const NodeIndex> witnesses) {
    const snapshot::NodeRow& row = cluster.node(index);
    NodeTemplate node{.labels = snapshot::to_labels(cluster, row.labels),
                      .annotations = snapshot::to_labels(cluster, row.annotations),
                      .taints = {row.taints.begin(), row.taints.end()},
                      .capacity = *row.capacity,
                      .allocatable = *row.allocatable};
    node = unnamed_copy(std::move(node), group, settings);
    const std::string dropped = drop_own_marks(cluster, group, witnesses, node);
    fill_fields(node);
    if (group.described) fill_from_cloud(node, *group.described);

    scheduling::TemplateNode template_node{.allocatable = node.allocatable,
                                           .daemons = daemons_on(cluster, index)};
    if (settings.force_daemon_sets) {
        add_missing_daemons(cluster, node, template_node.allocatable, template_node.daemons);
    }
    const auto& csi_nodes = cluster.objects().csi_nodes;
    const auto csi = csi_nodes.find(cluster.text(row.name));
    if (csi != csi_nodes.end()) {
        template_node.csi_limits = csi->second.limits;
        template_node.csi_migrated = csi->second.migrated;
    }
    return finished(cluster, std::move(node), std::move(template_node),
                    "from node " + std::string(cluster.text(row.name)) + dropped);
}

GroupTemplate template_from_cloud(const snapshot::Cluster& cluster, const Group& group,
                                  const Reserves* learned, const Settings& settings,
                                  std::span<const NodeIndex> older) {
    NodeTemplate node = unnamed_copy(*group.described, group, settings);
    fill_fields(node);
    fill_labels(node);
    fill_amounts(node);
    const Resources static_pods = taken_by_static_pods(node);
    std::string because = "from the cloud";
    if (!older.empty()) {
        add_common_labels(cluster, older, node);
        because += ", which has changed its template since the newest node, " +
                   std::string(cluster.text(cluster.node(older.front()).name)) + ", was made";
    }
    if (learned != nullptr) {
        const std::string done = apply_reserves(*learned, node);
        if (!done.empty()) because += ", " + done;
    }
    scheduling::TemplateNode template_node = template_node_of(cluster, node, static_pods);
    set_csi_limits(learned, node, template_node);
    return finished(cluster, std::move(node), std::move(template_node), std::move(because));
}

GroupTemplate template_from_memory(const snapshot::Cluster& cluster, const Group& group,
                                   const ObservedNode& observed, const Reserves* learned,
                                   const Settings& settings) {
    const bool is_doubtful = !observed.confirmed && group.described != nullptr;
    const NodeTraits traits =
        is_doubtful ? without_damage(*group.described, observed.traits, settings) : observed.traits;
    NodeTemplate node{.labels = traits.labels,
                      .taints = traits.taints,
                      .capacity = traits.capacity,
                      .allocatable = traits.allocatable};
    std::string because = "from node " + observed.node + ", the last one that was ready";
    Resources static_pods;
    if (group.described) {
        NodeTemplate described = *group.described;
        fill_amounts(described);
        static_pods = taken_by_static_pods(described);
        node.annotations = described.annotations;
        use_zone_of_cloud(node, described);
        if (may_be_of_another_type(node, described)) {
            lower_to_described(node.capacity, described.capacity);
            lower_to_described(node.allocatable, described.allocatable);
        }
        fill_from_cloud(node, described);
        const std::string differently = how_it_differs(described, traits, settings);
        if (!differently.empty()) because += "; unlike the cloud's template it " + differently;
        if (traits != observed.traits)
            because +=
                "; taints, labels and devices are the cloud's until a second node differs from the "
                "cloud's template in the same way";
    }
    node = unnamed_copy(std::move(node), group, settings);
    fill_fields(node);
    scheduling::TemplateNode template_node = template_node_of(cluster, node, static_pods);
    set_csi_limits(learned, node, template_node);
    return finished(cluster, std::move(node), std::move(template_node), std::move(because));
}

}  // namespace capstan::engine::templates
