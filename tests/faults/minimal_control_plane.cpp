#include "minimal_control_plane.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <stdexcept>
#include <vector>

#include <boost/json/parse.hpp>

#include <capstan/time_text.hpp>

namespace capstan::faults {
namespace {

using namespace simulation;
using namespace simulation::api_server;
using namespace std::chrono_literals;

const WriteOptions as_kubelet{.part = ObjectPart::everything};

template <class T>
void must(const Answer<T>& answer) {
    if (!answer) throw std::runtime_error("the store refuses: " + answer.error().message);
}

/// Milli-CPU of "250m" or "4".
int milli_of(std::string_view text) {
    int out = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), out).ptr;
    return end == text.data() + text.size() ? out * 1000 : out;
}

int milli_of_pod(const json::object& pod) {
    const json::array* containers = find_array(pod, "spec.containers");
    return containers != nullptr && !containers->empty()
               ? milli_of(text_at(containers->front().as_object(), "resources.requests.cpu"))
               : 0;
}

bool is_ready(const json::object& node) {
    const json::array* conditions = find_array(node, "status.conditions");
    if (conditions == nullptr) return false;
    for (const json::value& each : *conditions)
        if (text_at(each.as_object(), "type") == "Ready") return true;
    return false;
}

bool rejects_pods(const json::object& node) {
    if (is_true_at(node, "spec.unschedulable")) return true;
    const json::array* taints = find_array(node, "spec.taints");
    if (taints == nullptr) return false;
    for (const json::value& each : *taints)
        if (text_at(each.as_object(), "effect") == "NoSchedule") return true;
    return false;
}

std::string name_of(const json::object& object) {
    return std::string(text_at(object, "metadata.name"));
}

json::array condition(const char* type, const char* status, const char* reason, Time now) {
    return {json::object{{"type", type},
                         {"status", status},
                         {"reason", reason},
                         {"lastTransitionTime", format_rfc3339(now, 0)}}};
}

}  // namespace

void make(ObjectStore& store, const char* resource, const char* in, json::object object) {
    const auto made =
        store.create(store.kind(resource), in, std::move(object), {.part = ObjectPart::everything});
    if (!made) throw std::runtime_error(std::string(resource) + ": " + made.error().message);
}

json::object replica_set(const std::string& name) {
    const json::object labels{{"app", name}};
    return {{"metadata", {{"name", name}}},
            {"spec",
             {{"replicas", 1},
              {"selector", {{"matchLabels", labels}}},
              {"template", {{"metadata", {{"labels", labels}}}, {"spec", json::object()}}}}}};
}

json::object pod_object(const std::string& owner, int number, int milli_cpu) {
    const json::object controller{{"apiVersion", "apps/v1"},
                                  {"kind", "ReplicaSet"},
                                  {"name", owner},
                                  {"uid", "uid-of-" + owner},
                                  {"controller", true}};
    const json::object requests{{"cpu", std::to_string(milli_cpu) + "m"}};
    const json::object container{
        {"name", "c"}, {"image", "i"}, {"resources", {{"requests", requests}}}};
    return {{"metadata",
             {{"name", owner + "-" + std::to_string(number)},
              {"labels", {{"app", owner}}},
              {"ownerReferences", json::array{controller}}}},
            {"spec", {{"containers", json::array{container}}}}};
}

MinimalControlPlane::MinimalControlPlane(ObjectStore& store)
    : store_(store), nodes_(store.kind("nodes")), pods_(store.kind("pods")) {
    timer_ = store_.loop().after(1s, [this] { work(); });
}

MinimalControlPlane::~MinimalControlPlane() { store_.loop().cancel(timer_); }

void MinimalControlPlane::work() {
    make_nodes_ready();
    replace_terminating_pods();
    schedule();
    timer_ = store_.loop().after(1s, [this] { work(); });
}

void MinimalControlPlane::make_nodes_ready() {
    for (const ApiObject& node : store_.list(nodes_).items) {
        if (is_ready(*node)) continue;
        const auto make_ready = [this](json::object& object) {
            set_value(object, "status.conditions",
                      condition("Ready", "True", "KubeletReady", store_.now()));
        };
        must(store_.edit(nodes_, "", name_of(*node), make_ready, as_kubelet));
    }
}

void MinimalControlPlane::replace_terminating_pods() {
    for (const ApiObject& pod : store_.list(pods_, space).items) {
        if (text_at(*pod, "metadata.deletionTimestamp").empty()) continue;
        must(store_.remove(pods_, space, name_of(*pod), {.grace_s = 0}));
        const std::string name = name_of(*pod);
        const std::size_t dash = name.rfind('-');
        const int number = std::stoi(name.substr(dash + 1));
        must(store_.create(pods_, space,
                           pod_object(name.substr(0, dash), number + 1, milli_of_pod(*pod))));
    }
}

void MinimalControlPlane::schedule() {
    std::vector<ApiObject> pods = store_.list(pods_, space).items;
    // The largest first; otherwise a small pod could fill the node created for a large one.
    std::ranges::sort(pods, std::greater(), [](const ApiObject& pod) {
        return std::pair(milli_of_pod(*pod), name_of(*pod));
    });
    for (const ApiObject& pod : pods) {
        if (!text_at(*pod, "spec.nodeName").empty()) continue;
        std::string place;
        int most = milli_of_pod(*pod) - 1;
        for (const ApiObject& node : store_.list(nodes_).items) {
            const int room = room_on(*node);
            if (room <= most) continue;
            most = room;
            place = name_of(*node);
        }
        place.empty() ? set_unschedulable(*pod) : bind(*pod, place);
    }
}

int MinimalControlPlane::room_on(const json::object& node) const {
    if (!is_ready(node) || rejects_pods(node)) return 0;
    int left = milli_of(text_at(node, "status.allocatable.cpu"));
    for (const ApiObject& pod : store_.list(pods_, space).items)
        if (text_at(*pod, "spec.nodeName") == name_of(node)) left -= milli_of_pod(*pod);
    return left;
}

void MinimalControlPlane::bind(const json::object& pod, const std::string& node) {
    const auto run = [this, &node](json::object& object) {
        set_value(object, "spec.nodeName", json_view(node));
        set_value(object, "status.phase", "Running");
        set_value(object, "status.conditions", condition("PodScheduled", "True", "", store_.now()));
    };
    must(store_.edit(pods_, space, name_of(pod), run, as_kubelet));
}

void MinimalControlPlane::set_unschedulable(const json::object& pod) {
    if (find_array(pod, "status.conditions") != nullptr) return;
    const auto set_conditions = [this](json::object& object) {
        set_value(object, "status.conditions",
                  condition("PodScheduled", "False", "Unschedulable", store_.now()));
    };
    must(store_.edit(pods_, space, name_of(pod), set_conditions, as_kubelet));
}

}  // namespace capstan::faults
