#include "cluster_emulator.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <capstan/time_text.hpp>

namespace capstan::bench {
namespace {

using namespace simulation;
using namespace simulation::api_server;

constexpr const char* space = "default";
constexpr const char* small_cpu = "1";
constexpr const char* half_node_cpu = "15";
constexpr const char* unschedulable_cpu = "1000";
constexpr std::size_t pending_pods_per_node = 2;

template <class T>
void require(const Answer<T>& answer) {
    if (!answer) throw std::runtime_error("the object store failed: " + answer.error().message);
}

json::array condition(const char* type, const char* status, const char* reason, Time now) {
    return {json::object{{"type", type},
                         {"status", status},
                         {"reason", reason},
                         {"lastTransitionTime", format_rfc3339(now, 0)}}};
}

/// A running or a pending pod without name, node and times.
json::object make_pod(bool runs, const char* cpu) {
    const json::object controller{{"apiVersion", "apps/v1"},
                                  {"kind", "ReplicaSet"},
                                  {"name", "service"},
                                  {"uid", "service"},
                                  {"controller", true}};
    const json::object requests{{"cpu", cpu}, {"memory", "1Gi"}};
    const json::object container{
        {"name", "c"}, {"image", "i"}, {"resources", {{"requests", requests}}}};
    json::object spec{{"containers", json::array{container}}};
    if (runs) spec["nodeName"] = "";
    const json::object status{{"phase", runs ? "Running" : "Pending"},
                              {"conditions", condition("PodScheduled", runs ? "True" : "False",
                                                       runs ? "" : "Unschedulable", Time())}};
    return {{"metadata",
             {{"name", ""},
              {"labels", {{"app", "service"}}},
              {"ownerReferences", json::array{controller}}}},
            {"spec", std::move(spec)},
            {"status", status}};
}

std::string pod_name(std::size_t number, int generation) {
    return "p" + std::to_string(number) + "-" + std::to_string(generation);
}

/// Whether the scheduler may bind pods to the node: it is not cordoned and has no hard taint.
bool accepts_pods(const json::object& node) {
    const json::array* taints = simulation::api_server::find_array(node, "spec.taints");
    const auto is_hard = [](const json::value& taint) {
        return simulation::api_server::text_at(taint.as_object(), "effect") != "PreferNoSchedule";
    };
    return !simulation::api_server::is_true_at(node, "spec.unschedulable") &&
           (taints == nullptr || std::ranges::none_of(*taints, is_hard));
}

}  // namespace

ClusterEmulator::ClusterEmulator(ObjectStore& store, const LiveSize& size)
    : store_(store),
      nodes_(store.kind("nodes")),
      pods_(store.kind("pods")),
      pods_per_node_(size.pods_per_node),
      first_nodes_(size.groups * size.nodes_per_group),
      running_pod_(make_pod(true, small_cpu)),
      pending_pod_(make_pod(false, half_node_cpu)),
      hopeless_pod_(make_pod(false, unschedulable_cpu)) {
    require(store_.create(store.kind("replicasets.apps"), space,
                          json::parse(R"({"metadata":{"name":"service"},"spec":{"replicas":1,
                            "selector":{"matchLabels":{"app":"service"}},
                            "template":{"metadata":{"labels":{"app":"service"}},"spec":{}}}})")
                              .as_object()));
    const auto watch = [&](const ResourceKind& kind, auto handler) {
        auto subscription = store_.subscribe(kind, store_.revision(), {.changed = handler});
        require(subscription);
        subscriptions_.push_back(*std::move(subscription));
    };
    watch(nodes_, [this](const Change& change) { on_node(change); });
    watch(pods_, [this](const Change& change) { on_pod(change); });
}

void ClusterEmulator::on_node(const Change& change) {
    const std::string node(text_at(*change.object, "metadata.name"));
    if (change.type == ChangeType::added) return start_node(node);
    if (change.type == ChangeType::deleted) return end_node(node);
    if (!pending_.empty()) bind_pending();
}

void ClusterEmulator::start_node(const std::string& node) {
    const auto make_ready = [this](json::object& object) {
        set_value(object, "status.conditions", condition("Ready", "True", "", store_.now()));
    };
    require(store_.edit(nodes_, "", node, make_ready, {.part = ObjectPart::everything}));
    if (full_nodes_ < first_nodes_) return fill(node);
    ++later_nodes_;
    pods_on_.try_emplace(node);
    bind_pending();
}

/// Deletes the pods of a deleted node.
void ClusterEmulator::end_node(const std::string& node) {
    ++removed_nodes_;
    const auto gone = pods_on_.extract(node);
    if (gone.empty()) return;
    for (const std::string& pod : gone.mapped()) end_pod(pod);
}

void ClusterEmulator::on_pod(const Change& change) {
    const auto pod = wanted_pods_.find(text_at(*change.object, "metadata.name"));
    if (pod == wanted_pods_.end()) return;
    if (change.type == ChangeType::deleted) {
        ++evicted_;
        unassign(*pod);
        add_pending(std::string(*pod));
    } else if (find_value(*change.object, "metadata.deletionTimestamp") != nullptr) {
        end_pod(*pod);
    }
}

void ClusterEmulator::fill(const std::string& node) {
    const int index = full_nodes_++;
    node_names_.push_back(node);
    for (int i = 0; i < pods_per_node_; ++i) {
        create(pod_name(running_.size(), 0), running_pod_, node);
        running_.push_back({.node = index});
    }
}

void ClusterEmulator::bind_pending() {
    for (auto& [node, pods] : pods_on_) {
        const ApiObject object = store_.find(nodes_, "", node);
        if (object == nullptr || !accepts_pods(*object)) continue;
        while (!pending_.empty() && pods.size() < pending_pods_per_node) {
            bind(node, pending_.front());
            pods.insert(pending_.front());
            pending_.pop_front();
        }
    }
}

void ClusterEmulator::bind(const std::string& node, const std::string& pod) {
    const auto run = [&](json::object& object) {
        set_value(object, "spec.nodeName", simulation::api_server::json_view(node));
        set_value(object, "status.phase", "Running");
        set_value(object, "status.conditions", condition("PodScheduled", "True", "", store_.now()));
    };
    require(store_.edit(pods_, space, pod, run, {.part = ObjectPart::everything}));
}

void ClusterEmulator::create(const std::string& name, const json::object& model,
                             const std::string& node) {
    std::array<unsigned char, 8192> bytes;
    json::monotonic_resource memory(bytes.data(), bytes.size());  // the store keeps copies
    json::object pod(model, &memory);
    set_value(pod, "metadata.name", simulation::api_server::json_view(name));
    if (!node.empty()) set_value(pod, "spec.nodeName", json_view(node));
    json::value status = std::exchange(pod["status"], json::value());
    status.at("conditions").at(0).as_object()["lastTransitionTime"] =
        format_rfc3339(store_.now(), 0);
    require(store_.create(pods_, space, std::move(pod)));
    const auto settle = [&status](json::object& object) { object["status"] = std::move(status); };
    require(store_.edit(pods_, space, name, settle, {.part = ObjectPart::everything}));
}

void ClusterEmulator::replace(std::uint64_t number) {
    const std::size_t index = number % running_.size();
    Running& old = running_[index];
    end_pod(pod_name(index, old.generation));
    create(pod_name(index, ++old.generation), running_pod_,
           node_names_[static_cast<std::size_t>(old.node)]);
}

void ClusterEmulator::add_pending(const std::string& name) {
    wanted_pods_.insert(name);
    pending_.push_back(name);
    create(name, pending_pod_);
    bind_pending();
}

void ClusterEmulator::add_hopeless(const std::string& name) { create(name, hopeless_pod_); }

void ClusterEmulator::remove(const std::string& name) {
    wanted_pods_.erase(name);
    std::erase(pending_, name);
    unassign(name);
    end_pod(name);
    bind_pending();
}

void ClusterEmulator::unassign(const std::string& pod) {
    for (auto& [node, pods] : pods_on_) pods.erase(pod);
}

void ClusterEmulator::end_pod(const std::string& name) {
    const auto ended = store_.remove(pods_, space, name, {.grace_s = 0});
    if (!ended && ended.error().code != 404) require(ended);
}

}  // namespace capstan::bench
