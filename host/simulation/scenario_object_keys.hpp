/// The keys of a scenario file: pods and nodes.
#pragma once

#include <array>
#include <chrono>
#include <climits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/quantity.hpp>
#include <capstan/time.hpp>

#include "runtime/config/section.hpp"

namespace capstan::simulation::keys {

enum class TolerationOperator { equal, exists };
constexpr auto names_of(TolerationOperator) {
    return std::array<std::string_view, 2>{"Equal", "Exists"};
}
enum class TaintEffect { no_schedule, prefer_no_schedule, no_execute };
constexpr auto names_of(TaintEffect) {
    return std::array<std::string_view, 3>{"NoSchedule", "PreferNoSchedule", "NoExecute"};
}

/// In the file a key or a table: `"dedicated"`, `{ key = "dedicated", value = "gpu" }`.
struct Toleration {
    std::string key;
    std::optional<std::string> value;
    std::optional<TaintEffect> effect;
};
void describe(auto&& key, Toleration& s) {
    key("key", s.key, "The taint's key; empty: every taint.");
    key("value", s.value, "The taint's value; unset: every value.");
    key("effect", s.effect, "The taint's effect; unset: every effect.");
}

enum class Unsatisfiable { do_not_schedule, schedule_anyway };
constexpr auto names_of(Unsatisfiable) {
    return std::array<std::string_view, 2>{"DoNotSchedule", "ScheduleAnyway"};
}

/// In the file a topology key or a table: `"zone"`, `{ topology_key = "zone", max_skew = 2 }`.
struct Spread {
    std::string topology_key;
    Unsatisfiable when_unsatisfiable = Unsatisfiable::do_not_schedule;
    int max_skew = 1;
    std::optional<int> min_domains;
    std::map<std::string, std::string> labels;
};
void describe(auto&& key, Spread& s) {
    key("topology_key", s.topology_key,
        "A node label; \"zone\" and \"hostname\" stand for Kubernetes' own.");
    key("when_unsatisfiable", s.when_unsatisfiable,
        "ScheduleAnyway: it keeps no pod off a node, and a scheduler adds no constraint of its "
        "own.");
    key("max_skew", s.max_skew, "How uneven the domains may become.", {.min = 1});
    key("min_domains", s.min_domains, "Domains there have to be at least.", {.min = 1});
    key("labels", s.labels, "The pods that count, by their labels; empty: those of the batch.");
}

/// In the file a topology key or a table: `"hostname"`, `{ topology_key = "zone", labels = {...}
/// }`.
struct Together {
    std::string topology_key;
    bool required = true;
    std::map<std::string, std::string> labels;
};
void describe(auto&& key, Together& s) {
    key("topology_key", s.topology_key,
        "A node label; \"zone\" and \"hostname\" stand for Kubernetes' own.");
    key("required", s.required, "false: it is preferred, which keeps no pod off a node.");
    key("labels", s.labels, "The other pods, by their labels; empty: those of the batch.");
}

/// What pods ask for, wherever they come from.
struct Asks {
    std::string name;
    std::string ns = "default";
    std::optional<Quantity> cpu, memory;
    std::map<std::string, Quantity> resources;
    std::map<std::string, std::string> labels, annotations, node_selector;
    std::vector<Toleration> tolerations;
    std::vector<std::string> host_ports;
    bool local_storage = false;
    std::optional<Duration> grace;
};
void describe_asks(auto&& key, Asks& s) {
    key("name", s.name, "The batch's name.");
    key("namespace", s.ns, "Their namespace.");
    key("cpu", s.cpu, "Requested by each pod.");
    key("memory", s.memory, "Requested by each pod.");
    key("resources", s.resources, "More requests by name, such as \"nvidia.com/gpu\".");
    key("labels", s.labels, "Beside `app`, which is the batch's name unless it is given.");
    key("annotations", s.annotations, "Of each pod.");
    key("node_selector", s.node_selector, "Labels a node has to have.");
    key("tolerations", s.tolerations, "Taints that keep none of the pods off a node.",
        {.shorthand = "key"});
    key("host_ports", s.host_ports,
        "Ports of its node that each has to itself: \"8080\", \"53/UDP\", \"10.0.0.1:80/TCP\".");
    key("local_storage", s.local_storage, "Each has a volume that is lost with its node.");
    key("grace", s.grace, "What each is given to end; unset: 30s.");
}

struct DaemonSet {
    Asks asks;
    std::map<std::string, Quantity> limits;
};
void describe(auto&& key, DaemonSet& s) {
    describe_asks(key, s.asks);
    key("limits", s.limits, "Of each pod, by resource; it requests these where it requests none.");
}

enum class Owner { none, replica_set, stateful_set, job };
constexpr auto names_of(Owner) {
    return std::array<std::string_view, 4>{"none", "replica_set", "stateful_set", "job"};
}

struct Pods {
    Asks asks;
    Owner controller = Owner::none;
    std::optional<int> count;
    bool replicas = false;
    std::optional<Duration> duration;
    Duration start_up{0}, stop_time{0};
    int priority = 0;
    std::vector<Spread> spread;
    std::vector<Together> affinity, anti_affinity;
    bool packed = false;
};
void describe_pods(auto&& key, Pods& s) {
    describe_asks(key, s.asks);
    key("count", s.count, "How many, named NAME-1, NAME-2, ...; unset: one, named NAME.");
    key("duration", s.duration, "Each ends by itself so long after it got a node.");
    key("start_up", s.start_up, "From getting a node to being ready, which budgets look at.");
    key("stop_time", s.stop_time, "From being told to end to being gone, if its grace allows.");
    key("priority", s.priority, "Higher ones get nodes first.", {.min = INT_MIN});
    key("spread", s.spread, "Domains the pods have to be spread over evenly.",
        {.shorthand = "topology_key"});
    key("affinity", s.affinity, "Domains where there has to be such a pod.",
        {.shorthand = "topology_key"});
    key("anti_affinity", s.anti_affinity, "Domains where there must be no such pod.",
        {.shorthand = "topology_key"});
}
void describe(auto&& key, Pods& s) {
    describe_pods(key, s);
    key("replicas", s.replicas, "Short for controller = \"replica_set\".");
    key("controller", s.controller,
        "Who brings back those that vanish: nobody; a replica_set; a stateful_set, under the same "
        "names, one after the other; a job, whose pods start over.");
}

struct Service {
    std::string name;
    std::string ns = "default";
    std::map<std::string, std::string> labels;
};
void describe(auto&& key, Service& s) {
    key("name", s.name, "Its name.");
    key("namespace", s.ns, "Its namespace.");
    key("labels", s.labels, "The pods it is for; unset: those with `app` = its name.");
}

inline Pods one_replica() {
    Pods pods;
    pods.count = 1;
    pods.controller = Owner::replica_set;
    return pods;
}
inline Pods one_in_row() {
    Pods pods;
    pods.count = 1;
    pods.controller = Owner::stateful_set;
    return pods;
}
/// Pods whose controller is there from the start.
struct ReplicaSet {
    Pods pods = one_replica();
};
void describe(auto&& key, ReplicaSet& s) {
    describe_pods(key, s.pods);
    key("packed", s.pods.packed,
        "They fill one node after the other, the groups in turn, whatever else they ask for.");
}
struct StatefulSet {
    Pods pods = one_in_row();
};
void describe(auto&& key, StatefulSet& s) { describe_pods(key, s.pods); }

struct Node {
    std::string name;
    std::optional<int> count;
    Quantity cpu, memory;
    int pods = 110;
    std::map<std::string, Quantity> resources, allocatable;
    std::map<std::string, std::string> labels;
    std::vector<std::string> taints;
};
void describe(auto&& key, Node& s) {
    key("name", s.name, "The node's name.");
    key("count", s.count, "How many, named NAME-1, NAME-2, ...; unset: one, named NAME.");
    key("cpu", s.cpu, "Its cores.");
    key("memory", s.memory, "Its memory.");
    key("pods", s.pods, "How many pods it takes.");
    key("resources", s.resources, "More resources by name.");
    key("allocatable", s.allocatable, "What is left for pods, by resource; unset: all of it.");
    key("labels", s.labels, "Its labels; kubernetes.io/hostname is its name.");
    key("taints", s.taints, "As kubectl writes them: \"dedicated=gpu:NoSchedule\".");
}

}  // namespace capstan::simulation::keys
