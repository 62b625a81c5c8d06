#include "autoscaler/dump/dumped_cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/cloud_view.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/dump/budgets.hpp"
#include "autoscaler/dump/daemon_pods.hpp"
#include "autoscaler/dump/node_of_machine.hpp"
#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::autoscaler::dump {
namespace {

using engine::snapshot::CsiNodeObject;
using engine::snapshot::NodeObject;
using engine::snapshot::PodObject;
using engine::snapshot::PodPhase;

const Taint not_ready_taint{.key = std::string(well_known::not_ready_taint),
                            .effect = Effect::no_schedule};

/// Empty: the node has no such label.
std::string machine_type_label_of(const NodeObject& node) {
    for (const std::string_view key :
         {well_known::instance_type_label, well_known::beta_instance_type_label}) {
        const auto at = node.labels.find(key);
        if (at != node.labels.end()) return at->second;
    }
    return {};
}

std::string in_namespace(const std::string& ns, const std::string& name) { return ns + "/" + name; }

/// "namespace/kind/name" of the pod's owner.
std::string owner_key(const PodObject& pod) {
    return in_namespace(pod.ns, in_namespace(pod.owner.kind, pod.owner.name));
}

/// Whether the owner of such a pod has a scale.
bool has_scale(const engine::snapshot::PodOwner& owner) {
    return !owner.kind.empty() && owner.kind != "DaemonSet" && owner.kind != "Node" &&
           owner.kind != "Job";
}

class DumpedCluster {
public:
    DumpedCluster(const Dump& dump, const std::string& spread_timeout_annotation)
        : dump_(dump), builder_({.spread_timeout_annotation = spread_timeout_annotation}) {}

    engine::snapshot::Cluster make(const std::vector<engine::Group>& groups, Time now) {
        set_objects();
        for (const NodeObject& node : dump_.objects.nodes) add_node(node, "", now);
        set_csi_nodes();
        set_pods();
        for (const auto& set : dump_.objects.daemon_sets) {
            builder_.set(set);
            daemons_.push_back(pod_of(set));
        }
        for (auto& [name, node] : nodes_) add_daemons(node, dump_.start);
        add_nodes_of(groups, now);
        remove_ended(now);
        mark_pending();
        set_budgets();
        return builder_.build();
    }

private:
    struct DumpedPod {
        const PodObject* object = nullptr;
        bool is_on_node = false;  ///< false: it waits, or its node is not in the dump
        bool is_gone = false;
    };
    struct DumpedNode {
        NodeObject object{};
        std::string group{};
        std::vector<std::size_t> pods{};
        Resources requested{};
    };
    /// A CSINode, as a model for nodes of the same group or machine type.
    struct CsiModel {
        const CsiNodeObject* object = nullptr;
        std::string group{}, machine_type{};
    };

    void set_objects() {
        const Objects& objects = dump_.objects;
        for (const auto& object : objects.controllers) builder_.set(object);
        for (const auto& object : objects.claims) builder_.set(object);
        for (const auto& object : objects.volumes) builder_.set(object);
        for (const auto& object : objects.storage_classes) builder_.set(object);
        for (const auto& object : objects.csi_drivers) builder_.set(object);
        for (const auto& object : objects.csi_capacities) builder_.set(object);
        for (const auto& object : objects.namespaces) builder_.set(object);
        for (const auto& object : objects.services) builder_.set(object);
    }

    void add_node(NodeObject object, std::string group, Time now) {
        object.labels.emplace(well_known::hostname_label, object.name);
        if (!object.ready &&
            std::ranges::find(object.taints, not_ready_taint) == object.taints.end())
            object.taints.push_back(not_ready_taint);
        if (!object.provider_id.empty()) node_by_provider_id_[object.provider_id] = object.name;
        const std::string name = object.name;
        DumpedNode& node =
            nodes_.insert_or_assign(name, DumpedNode{std::move(object), std::move(group), {}, {}})
                .first->second;
        add_csi_node(node);
        builder_.set(node.object);
        add_daemons(node, now);
    }

    void set_csi_nodes() {
        for (const CsiNodeObject& object : dump_.objects.csi_nodes) {
            builder_.set(object);
            const auto node = nodes_.find(object.name);
            if (node == nodes_.end()) continue;
            csi_models_.push_back(
                {.object = &object, .machine_type = machine_type_label_of(node->second.object)});
        }
    }

    /// As that of a node of its group, or else of its machine type.
    void add_csi_node(const DumpedNode& node) {
        const auto find = [&](std::string CsiModel::* member, const std::string& value) {
            return value.empty() ? csi_models_.end()
                                 : std::ranges::find(csi_models_, value, member);
        };
        auto model = find(&CsiModel::group, node.group);
        if (model == csi_models_.end())
            model = find(&CsiModel::machine_type, machine_type_label_of(node.object));
        if (model == csi_models_.end()) return;
        CsiNodeObject own = *model->object;
        own.name = node.object.name;
        builder_.set(std::move(own));
    }

    void set_pods() {
        std::vector<const PodObject*> pods;
        for (const PodObject& pod : dump_.objects.pods)
            if (pod.phase != PodPhase::succeeded && pod.phase != PodPhase::failed)
                pods.push_back(&pod);
        std::ranges::sort(pods, {}, [](const PodObject* pod) {
            return std::tuple(pod->created, std::string_view(pod->ns), std::string_view(pod->name));
        });
        for (const PodObject* const pod : pods) {
            builder_.set(*pod);
            const auto node = nodes_.find(pod->node_name);
            if (node != nodes_.end()) {
                occupy(*pod, node->second);
                continue;
            }
            pods_.push_back({.object = pod});
            if (!pod->node_name.empty()) continue;
            if (const auto made_for = node_of_daemon(*pod)) awaited_[*made_for].push_back(pod);
        }
    }

    void occupy(const PodObject& pod, DumpedNode& node) {
        node.pods.push_back(pods_.size());
        node.requested += pod.spec.requests;
        pods_.push_back({.object = &pod, .is_on_node = true});
    }

    /// The pods of DaemonSets that the node takes and does not have.
    void add_daemons(DumpedNode& node, Time created) {
        const std::vector<const PodObject*>& awaited = awaited_[node.object.name];
        for (const PodObject& daemon : daemons_) {
            const auto is_same = [&](const PodObject* pod) {
                return is_of_one_daemon_set(*pod, daemon);
            };
            const bool is_there = std::ranges::any_of(awaited, is_same) ||
                                  std::ranges::any_of(node.pods, [&](std::size_t pod) {
                                      return is_same(pods_[pod].object);
                                  });
            if (is_there || !runs_on(daemon, node.object, node.requested)) continue;
            PodObject& made = made_.emplace_back(daemon);
            made.name += "-" + node.object.name;
            made.uid = uid_of(made, pods_.size());
            made.created = created;
            made.node_name = node.object.name;
            made.phase = PodPhase::running;
            occupy(made, node);
            builder_.set(made);
        }
    }

    static std::string uid_of(const PodObject& pod, std::size_t number) {
        return pod.uid.empty() ? "pod-" + std::to_string(number) : pod.uid;
    }

    void add_nodes_of(const std::vector<engine::Group>& groups, Time now) {
        for (const engine::Group& group : groups) {
            for (const Machine& machine : group.machines) {
                if (machine.state != MachineState::running) continue;
                const auto known = node_by_provider_id_.find(machine.id.value());
                if (known != node_by_provider_id_.end()) {
                    set_group(known->second, group.group.id.value());
                } else if (group.described) {
                    add_node(node_of_machine(group, machine,
                                             names_.make(group.group.id.value(), machine,
                                                         [&](const auto& name) {
                                                             return nodes_.contains(name);
                                                         }),
                                             now),
                             group.group.id.value(), now);
                }
            }
        }
    }

    void set_group(const std::string& node, const std::string& group) {
        nodes_.find(node)->second.group = group;
        for (CsiModel& model : csi_models_)
            if (model.object->name == node) model.group = group;
    }

    /// Removes terminating pods whose grace period is over.
    void remove_ended(Time now) {
        for (DumpedPod& pod : pods_) {
            const PodObject& object = *pod.object;
            if (!pod.is_on_node || !object.deleted || *object.deleted > now) continue;
            pod.is_gone = true;
            builder_.remove_pod(object.ns, object.name);
        }
    }

    /// The scheduler has found no node for them, in the order in which it tries pods.
    void mark_pending() {
        std::vector<std::pair<std::int64_t, std::size_t>> order;
        for (std::size_t at = 0; at < pods_.size(); ++at) {
            const PodObject& pod = *pods_[at].object;
            if (pod.node_name.empty() && !pod.gated && !pod.deleted)
                order.emplace_back(-std::int64_t{pod.spec.priority.value_or(0)}, at);
        }
        std::ranges::sort(order);
        for (const auto& [priority, at] : order) {
            PodObject pod = *pods_[at].object;
            pod.uid = uid_of(pod, at);
            pod.phase = PodPhase::pending;
            pod.unscheduled_reason = "Unschedulable";
            builder_.set(pod);
        }
    }

    void set_budgets() {
        if (dump_.budgets.empty()) return;
        Budgets budgets;
        for (const Budget& budget : dump_.budgets) budgets.set(budget);
        for (auto& object : budgets.refresh(pod_sets())) builder_.set(std::move(object));
    }

    /// NULL: the dump does not say how many pods the owner wants.
    const ScaledController* scale_of(const PodObject& pod) const {
        const auto found = dump_.objects.scaled.find(owner_key(pod));
        return found == dump_.objects.scaled.end() || found->second.id.empty() ? nullptr
                                                                               : &found->second;
    }

    /// Each pod by itself.
    std::vector<PodSet> pod_sets() const {
        std::map<std::string, int> wanted;  // by uid, of owners that do not say it
        for (const DumpedPod& pod : pods_) {
            const PodObject& object = *pod.object;
            if (!object.deleted && scale_of(object) == nullptr) ++wanted[object.owner.uid];
        }
        std::vector<PodSet> out;
        for (const DumpedPod& pod : pods_) {
            if (pod.is_gone) continue;
            const PodObject& object = *pod.object;
            PodSet set{.ns = object.ns,
                       .labels = &object.labels,
                       .present = 1,
                       .healthy = is_healthy(pod) ? 1 : 0};
            if (const ScaledController* const scale = scale_of(object)) {
                set.controller = scale->id;
                set.wanted = scale->wanted;
            } else if (!object.owner.uid.empty()) {
                set.controller = object.owner.uid;
                if (has_scale(object.owner)) set.wanted = wanted[object.owner.uid];
            }
            out.push_back(set);
        }
        return out;
    }

    bool is_healthy(const DumpedPod& pod) const {
        const PodObject& object = *pod.object;
        return pod.is_on_node && !object.deleted &&
               nodes_.find(object.node_name)->second.object.ready &&
               !dump_.objects.unready.contains(in_namespace(object.ns, object.name));
    }

    const Dump& dump_;
    engine::snapshot::ClusterBuilder builder_;
    std::map<std::string, DumpedNode, std::less<>> nodes_;
    std::map<std::string, std::string> node_by_provider_id_;
    std::vector<CsiModel> csi_models_;
    std::vector<DumpedPod> pods_;
    std::deque<PodObject> made_;      ///< the pods that are not in the dump
    std::vector<PodObject> daemons_;  ///< one pod for each DaemonSet
    /// Pods of DaemonSets that wait for their node, by the name of that node.
    std::map<std::string, std::vector<const PodObject*>> awaited_;
    NodeNames names_;
};

}  // namespace

engine::snapshot::Cluster make_cluster(const Dump& dump, const std::vector<engine::Group>& groups,
                                       Time now, const std::string& spread_timeout_annotation) {
    return DumpedCluster(dump, spread_timeout_annotation).make(groups, now);
}

}  // namespace capstan::autoscaler::dump
