#include "pod_traffic.hpp"

#include <set>
#include <stdexcept>
#include <utility>

#include <capstan/time_text.hpp>

#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::bench {
namespace {

using namespace simulator;
using namespace simulator::api_server;

constexpr const char* space = "default";
constexpr const char* small_cpu = "1";
constexpr const char* half_node_cpu = "15";
constexpr const char* unschedulable_cpu = "1000";

template <class T>
const T& required(const Answer<T>& answer) {
    if (!answer) throw std::runtime_error("the object store failed: " + answer.error().message);
    return *answer;
}

json::object pod_spec(const char* cpu) {
    const json::object requests{{"cpu", cpu}, {"memory", "1Gi"}};
    return {{"containers",
             json::array{json::object{
                 {"name", "c"}, {"image", "i"}, {"resources", {{"requests", requests}}}}}}};
}

json::object status_of_pod(bool runs, Time now) {
    return {
        {"phase", runs ? "Running" : "Pending"},
        {"conditions", json::array{json::object{{"type", "PodScheduled"},
                                                {"status", runs ? "True" : "False"},
                                                {"reason", runs ? "" : "Unschedulable"},
                                                {"lastTransitionTime", format_rfc3339(now, 0)}}}}};
}

bool is_terminating(const ApiObject& object) {
    return object != nullptr && control_plane::is_terminating(*object);
}

}  // namespace

PodTraffic::PodTraffic(ObjectStore& store, const LiveSize& size)
    : store_(store),
      pods_(store.kind("pods")),
      owners_(store.kind("replicasets.apps")),
      pods_per_node_(size.pods_per_node),
      first_nodes_(static_cast<std::size_t>(size.groups * size.nodes_per_group)) {
    const auto watch = [&](const ResourceKind& kind, auto handler) {
        auto subscription = store_.subscribe(kind, store_.revision(), {.changed = handler});
        required(subscription);
        subscriptions_.push_back(*std::move(subscription));
    };
    watch(store.kind("nodes"), [this](const Change& change) { on_node(change); });
    watch(pods_, [this](const Change& change) {
        if (is_terminating(change.object) && !is_terminating(change.before)) ++evicted_;
    });
}

void PodTraffic::on_node(const Change& change) {
    if (change.type == ChangeType::deleted) ++removed_nodes_;
    if (change.type != ChangeType::added) return;
    ++joined_nodes_;
    if (!is_complete()) fill(std::string(text_at(*change.object, "metadata.name")));
}

void PodTraffic::fill(const std::string& node) {
    const ApiObject owner = create_owner("service-" + std::to_string(full_nodes_++), small_cpu);
    scale(std::string(text_at(*owner, "metadata.name")), pods_per_node_);
    for (int i = 0; i < pods_per_node_; ++i) {
        running_.push_back({owner, node});
        create_running(running_.size() - 1);
    }
}

ApiObject PodTraffic::create_owner(const std::string& name, const char* cpu) {
    const json::object labels{{"app", name}};
    return required(store_.create(
        owners_, space,
        {{"metadata", {{"name", name}}},
         {"spec",
          {{"replicas", 0},
           {"selector", {{"matchLabels", labels}}},
           {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod_spec(cpu)}}}}}}));
}

std::int64_t PodTraffic::scale(const std::string& name, std::int64_t by) {
    std::int64_t before = 0;
    required(store_.edit(owners_, space, name, [&](json::object& owner) {
        before = integer_at(owner, "spec.replicas").value();
        set_value(owner, "spec.replicas", before + by);
    }));
    return before;
}

void PodTraffic::create_running(std::size_t index) {
    const Running& pod = running_[index];
    create(*pod.owner, "p" + std::to_string(index) + "-" + std::to_string(pod.generation),
           pod.node);
}

void PodTraffic::create(const json::object& owner, const std::string& name,
                        const std::string& node) {
    json::object pod = *find_object(owner, "spec.template");
    set_value(pod, "metadata.name", json_view(name));
    set_value(pod, "metadata.ownerReferences",
              json::array{control_plane::make_controller_reference(owners_, owner)});
    if (!node.empty()) set_value(pod, "spec.nodeName", json_view(node));
    required(store_.create(pods_, space, std::move(pod)));
    const auto set_status = [&](json::object& object) {
        object["status"] = status_of_pod(!node.empty(), store_.now());
    };
    required(store_.edit(pods_, space, name, set_status, {.part = ObjectPart::status}));
}

void PodTraffic::replace(std::uint64_t number) {
    const std::size_t index = number % running_.size();
    remove_pod("p" + std::to_string(index) + "-" + std::to_string(running_[index].generation++));
    create_running(index);
}

void PodTraffic::add_unschedulable(const std::string& name, const char* cpu, int pods) {
    ApiObject owner = store_.find(owners_, space, name);
    if (owner == nullptr) owner = create_owner(name, cpu);
    const std::int64_t first = scale(name, pods);
    for (int i = 0; i < pods; ++i) create(*owner, name + "-" + std::to_string(first + i), "");
}

void PodTraffic::add_pending(const std::string& name, int pods) {
    add_unschedulable(name, half_node_cpu, pods);
}

void PodTraffic::add_hopeless(const std::string& name, int pods) {
    add_unschedulable(name, unschedulable_cpu, pods);
}

void PodTraffic::remove_one_per_node(const std::string& name) {
    std::set<std::string, std::less<>> nodes;
    for (const ApiObject& pod : pods_of(name)) {
        const std::string_view node = text_at(*pod, "spec.nodeName");
        if (node.empty() || is_terminating(pod) || !nodes.emplace(node).second) continue;
        remove_pod(text_at(*pod, "metadata.name"));
        scale(name, -1);
    }
}

void PodTraffic::remove(const std::string& name) {
    for (const ApiObject& pod : pods_of(name)) remove_pod(text_at(*pod, "metadata.name"));
    required(store_.remove(owners_, space, name));
}

std::vector<ApiObject> PodTraffic::pods_of(const std::string& name) const {
    std::vector<ApiObject> out = store_.list(pods_, space).items;
    std::erase_if(out, [&](const ApiObject& pod) { return label_of(*pod, "app") != name; });
    return out;
}

void PodTraffic::remove_pod(std::string_view name) {
    required(store_.remove(pods_, space, name, {.grace_s = 0}));
}

}  // namespace capstan::bench
