// The lifecycle of nodes: joining, changing, vanishing.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

const Taint not_ready{.key = std::string(well_known::not_ready_taint),
                      .effect = Effect::no_schedule};

Load load_of(const Resources& resources) {
    return {resources.amount("cpu"), resources.amount("memory")};
}

void drop_taint(engine::snapshot::NodeObject& node, std::string_view key) {
    std::erase_if(node.taints, [&](const Taint& taint) { return taint.key == key; });
}

void update_node(const engine::NodeChange& change, engine::snapshot::NodeObject& node) {
    for (const std::string& key : change.drop_taints) drop_taint(node, key);
    for (const Taint& taint : change.set_taints) {
        drop_taint(node, taint.key);
        node.taints.push_back(taint);
    }
    node.unschedulable = change.unschedulable.value_or(node.unschedulable);
    for (const auto& [key, value] : change.annotations) {
        node.annotations.erase(key);
        if (value) node.annotations.emplace(key, *value);
    }
}

/// Empty: the node has no such label.
std::string machine_type_of(const engine::snapshot::NodeObject& node) {
    for (const std::string_view key :
         {well_known::instance_type_label, well_known::beta_instance_type_label}) {
        const auto at = node.labels.find(key);
        if (at != node.labels.end()) return at->second;
    }
    return {};
}

}  // namespace

const engine::snapshot::NodeObject* SimulatedCluster::find_node(std::string_view name) const {
    const auto at = nodes_.find(name);
    return at == nodes_.end() ? nullptr : &at->second.object;
}

std::vector<std::string> SimulatedCluster::nodes_of(std::string_view group) const {
    std::vector<std::string> out;
    for (const auto& [name, node] : nodes_) {
        if (node.group == group) out.push_back(name);
    }
    return out;
}

std::map<std::string, std::vector<std::string>> SimulatedCluster::taints() const {
    std::map<std::string, std::vector<std::string>> out;
    for (const auto& [name, node] : nodes_) {
        std::vector<std::string>& keys = out[name];
        for (const Taint& taint : node.object.taints) keys.push_back(taint.key);
    }
    return out;
}

void SimulatedCluster::add_node(engine::snapshot::NodeObject object, std::string group, Time now) {
    object.labels.emplace(well_known::hostname_label, object.name);
    if (!object.ready && std::ranges::find(object.taints, not_ready) == object.taints.end())
        object.taints.push_back(not_ready);
    if (!object.provider_id.empty()) node_by_provider_id_[object.provider_id] = object.name;
    statistics_.node_joined(group, load_of(object.allocatable));
    const std::string name = object.name;
    Node& node = nodes_.insert_or_assign(name, Node{std::move(object), std::move(group), {}, {}})
                     .first->second;
    add_csi_node(node);
    add_fact(FactKind::node_joined, node.group.empty() ? Cause::scenario : Cause::cloud, node, now);
    publish(node, now);
}

void SimulatedCluster::fill_csi_nodes(
    const std::vector<engine::snapshot::CsiNodeObject>& csi_nodes) {
    for (const engine::snapshot::CsiNodeObject& object : csi_nodes) {
        builder_.set(object);
        const engine::snapshot::NodeObject* node = find_node(object.name);
        if (node == nullptr) continue;
        csi_models_.push_back({.object = object, .machine_type = machine_type_of(*node)});
    }
}

void SimulatedCluster::add_csi_node(const Node& node) {
    const auto find = [&](std::string CsiModel::* member, const std::string& value) {
        return value.empty() ? csi_models_.end() : std::ranges::find(csi_models_, value, member);
    };
    auto model = find(&CsiModel::group, node.group);
    if (model == csi_models_.end())
        model = find(&CsiModel::machine_type, machine_type_of(node.object));
    if (model == csi_models_.end()) return;
    engine::snapshot::CsiNodeObject own = model->object;
    own.name = node.object.name;
    builder_.set(std::move(own));
}

/// Updates the node's object and what depends on it: DaemonSets' pods and the health of its pods.
void SimulatedCluster::publish(Node& node, Time now) {
    builder_.set(node.object);
    add_daemons(node, now);
    for (const PodId id : node.pods) update_health(id);
    has_changed_ = true;
}

Result<void> SimulatedCluster::apply(const engine::snapshot::NodeObject& node, Time now) {
    if (has_node(node.name))
        return fail(ErrorCode::conflict, "node '" + node.name + "' already exists");
    engine::snapshot::NodeObject made = node;
    if (made.created == Time()) made.created = wall(now);
    add_node(std::move(made), "", now);
    event_log_.add(now, EventKind::node, "", "node " + node.name + " joins", 1);
    return {};
}

Result<void> SimulatedCluster::change(const engine::NodeChange& change, Time now) {
    const auto at = nodes_.find(change.node);
    if (at == nodes_.end())
        return fail(ErrorCode::not_found, "node " + change.node + " does not exist");
    update_node(change, at->second.object);
    publish(at->second, now);
    reconcile(now);
    return {};
}

Result<void> SimulatedCluster::apply(const NodeEdit& edit, Time now) {
    if (!has_node(edit.node)) {
        return fail(ErrorCode::not_found, "edit: no node '" + edit.node + "'");
    }
    if (edit.ready) set_ready(edit.node, *edit.ready, now);
    Labels& labels = nodes_.find(edit.node)->second.object.labels;
    for (const auto& [key, value] : edit.labels) {
        labels.erase(key);
        if (value) labels.emplace(key, *value);
    }
    CAPSTAN_CHECK(change({.node = edit.node,
                          .set_taints = edit.set_taints,
                          .drop_taints = edit.drop_taints,
                          .unschedulable = edit.cordoned,
                          .annotations = edit.annotations},
                         now));
    evict_intolerant(edit.node, now);
    return {};
}

/// As the controller for taints does: pods that do not tolerate a NoExecute taint of their node
/// end. Tolerations have no time limit here.
void SimulatedCluster::evict_intolerant(const std::string& name, Time now) {
    const Node& node = nodes_.find(name)->second;
    const auto ends = [&](PodId id) {
        const std::vector<Toleration>& tolerations =
            batches_[pods_[id].batch].pod_template.spec.tolerations;
        return std::ranges::any_of(node.object.taints, [&](const Taint& taint) {
            return taint.effect == Effect::no_execute && taint.key != not_ready.key &&
                   std::ranges::none_of(tolerations, [&](const Toleration& toleration) {
                       return tolerates(toleration, taint);
                   });
        });
    };
    std::vector<PodId> ending;
    std::ranges::copy_if(node.pods, std::back_inserter(ending), [&](PodId id) {
        return !batches_[pods_[id].batch].is_daemon && ends(id);
    });
    for (const PodId id : ending) {
        add_fact(FactKind::pod_deleted, Cause::scenario, id, now);
        terminate(id, std::nullopt, now);
    }
    if (!ending.empty()) reconcile(now);
}

void SimulatedCluster::add_fact(FactKind kind, Cause cause, const Node& node, Time now) {
    if (!event_log_.wants_facts()) return;
    event_log_.add(Fact{.kind = kind,
                        .cause = cause,
                        .at = now,
                        .node = node.object.name,
                        .group = node.group,
                        .node_object = &node.object});
}

void SimulatedCluster::set_ready(const std::string& name, bool ready, Time now) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end() || at->second.object.ready == ready) return;
    engine::snapshot::NodeObject& object = at->second.object;
    object.ready = ready;
    object.ready_since = wall(now);
    drop_taint(object, not_ready.key);
    if (!ready) object.taints.push_back(not_ready);
    add_fact(ready ? FactKind::node_ready : FactKind::node_unready, Cause::cloud, at->second, now);
    publish(at->second, now);
    reconcile(now);
}

void SimulatedCluster::settle(const std::string& name, const Resources& resources,
                              const Labels& labels, const std::vector<std::string>& taints,
                              Time now) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) return;
    engine::snapshot::NodeObject& object = at->second.object;
    for (const auto& [resource, amount] : resources) {
        object.capacity.set(resource, amount);
        object.allocatable.set(resource, amount);
    }
    object.labels.insert(labels.begin(), labels.end());
    for (const std::string& key : taints) drop_taint(object, key);
    publish(at->second, now);
    reconcile(now);
}

std::optional<std::string> SimulatedCluster::adopt_node(const std::string& provider_id,
                                                        const std::string& group) {
    const auto known = node_by_provider_id_.find(provider_id);
    if (known == node_by_provider_id_.end()) return std::nullopt;
    Node& node = nodes_.find(known->second)->second;
    statistics_.node_vanished(node.group, load_of(node.object.allocatable));
    statistics_.node_joined(group, load_of(node.object.allocatable));
    node.group = group;
    for (CsiModel& model : csi_models_)
        if (model.object.name == known->second) model.group = group;
    return known->second;
}

bool SimulatedCluster::remove_node(const std::string& name, Time now, Cause cause) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) return false;
    std::int64_t others = 0;
    for (const PodId id : std::vector<PodId>(at->second.pods.begin(), at->second.pods.end())) {
        if (!batches_[pods_[id].batch].is_daemon) ++others;
        add_fact(FactKind::pod_lost, cause, id, now);
        delete_pod(id, now);
    }
    if (const auto awaited = awaited_daemons_.extract(name))
        for (const PodId id : awaited.mapped()) delete_pod(id, now);
    statistics_.node_vanished(at->second.group, load_of(at->second.object.allocatable));
    node_by_provider_id_.erase(at->second.object.provider_id);
    builder_.remove_node(name);
    builder_.remove(engine::snapshot::ObjectKind::csi_node, "", name);
    const std::string group = at->second.group;
    add_fact(FactKind::node_gone, cause, at->second, now);
    nodes_.erase(at);
    has_changed_ = true;
    event_log_.add(
        now, EventKind::node, group,
        "node " + name + " is deleted" + (others == 0 ? "" : " with " + counted(others, "pod")), 1);
    reconcile(now);
    return true;
}

}  // namespace capstan::simulator
