/// The keys of a scenario file, with their meanings, types and defaults. The reference for readers
/// is tests/scenarios/keys.md. Keys for values that an Input has, too: scenario_input_keys.hpp.
#pragma once

#include <array>
#include <chrono>
#include <climits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/quantity.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

#include "config/scaling.hpp"
#include "config/section.hpp"
#include "simulator/scenario_input_keys.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::simulator::keys {

// Pods and nodes.

/// In the file a key or a table: `"dedicated"`, `{ key = "dedicated", value = "gpu" }`.
struct Toleration : capstan::Toleration {
    Toleration() { op = Op::exists; }
    Toleration(const capstan::Toleration& given) : capstan::Toleration(given) {}
};
void describe(auto&& key, Toleration& s) {
    std::optional<std::string> value;
    if (s.op == Toleration::Op::equal) value = s.value;
    key("key", s.key, "Key of the taint; empty: all taints.");
    key("value", value, "Value of the taint; unset: any value.");
    key("effect", s.effect, "Effect of the taint; unset: any effect.");
    s.op = value ? Toleration::Op::equal : Toleration::Op::exists;
    s.value = value.value_or("");
}

enum class Unsatisfiable { do_not_schedule, schedule_anyway };
constexpr auto names_of(Unsatisfiable) {
    return std::array<std::string_view, 2>{"DoNotSchedule", "ScheduleAnyway"};
}

enum class NodePolicy { ignore, honor };
constexpr auto names_of(NodePolicy) { return std::array<std::string_view, 2>{"Ignore", "Honor"}; }

/// In the file a topology key or a table: `"zone"`, `{ topology_key = "zone", max_skew = 2 }`.
struct Spread {
    std::string topology_key;
    Unsatisfiable when_unsatisfiable = Unsatisfiable::do_not_schedule;
    int max_skew = 1;
    std::optional<int> min_domains;
    NodePolicy node_taints_policy = NodePolicy::ignore;
    Labels labels;
};
void describe(auto&& key, Spread& s) {
    key("topology_key", s.topology_key,
        "Node label; \"zone\" and \"hostname\" mean the labels of Kubernetes.");
    key("when_unsatisfiable", s.when_unsatisfiable,
        "ScheduleAnyway: the constraint blocks no placement, and the scheduler adds no default "
        "constraint.");
    key("max_skew", s.max_skew, "Largest allowed difference in pods between two domains.",
        {.min = 1});
    key("min_domains", s.min_domains, "Minimum number of domains.", {.min = 1});
    key("node_taints_policy", s.node_taints_policy,
        "Honor: nodes with a taint that the pods do not tolerate are in no domain.");
    key("labels", s.labels, "Labels of the pods that are counted; empty: the pods of the batch.");
}

/// In the file a topology key or a table: `"hostname"`,
/// `{ topology_key = "zone", required = false }`.
struct Together {
    std::string topology_key;
    bool required = true;
    Labels labels;
};
void describe(auto&& key, Together& s) {
    key("topology_key", s.topology_key,
        "Node label; \"zone\" and \"hostname\" mean the labels of Kubernetes.");
    key("required", s.required, "If false, the term is only preferred and blocks no placement.");
    key("labels", s.labels, "Labels of the other pods; empty: the pods of the batch.");
}

/// The keys that the pods of a DaemonSet and all other pods have in common.
struct Asks {
    std::string name;
    std::string ns = "default";
    std::optional<Quantity> cpu, memory;
    std::map<std::string, Quantity> resources;
    Labels labels, annotations, node_selector;
    std::vector<Toleration> tolerations;
    std::vector<engine::snapshot::HostPort> host_ports;
    bool local_storage = false;
    std::optional<Duration> grace;
};
void describe_asks(auto&& key, Asks& s) {
    key("name", s.name, "Name of the batch, which is all pods of this table.");
    key("namespace", s.ns, "Namespace of the pods.");
    key("cpu", s.cpu, "CPU request of each pod.");
    key("memory", s.memory, "Memory request of each pod.");
    key("resources", s.resources, "Other requests by resource, such as \"nvidia.com/gpu\".");
    key("labels", s.labels,
        "Labels of each pod; `app` is the name of the batch unless it is set here.");
    key("annotations", s.annotations, "Annotations of each pod.");
    key("node_selector", s.node_selector, "Labels that a node must have.");
    key("tolerations", s.tolerations, "Taints that the pods tolerate.", {.shorthand = "key"});
    key("host_ports", s.host_ports,
        "Host ports of each pod: \"8080\", \"53/UDP\", \"10.0.0.1:80/TCP\".");
    key("local_storage", s.local_storage, "If true, each pod has a volume with local storage.");
    key("grace", s.grace, "Termination grace period of each pod; unset: 30s.");
}

struct DaemonSet {
    Asks asks;
    std::map<std::string, Quantity> limits;
};
void describe(auto&& key, DaemonSet& s) {
    describe_asks(key, s.asks);
    key("limits", s.limits,
        "Limits of each pod by resource; used as the request if there is none.");
}

enum class PreemptionPolicy { preempt_lower_priority, never };
constexpr auto names_of(PreemptionPolicy) {
    return std::array<std::string_view, 2>{"PreemptLowerPriority", "Never"};
}

struct Pods {
    Asks asks;
    Controller controller = Controller::none;
    std::optional<int> count;
    bool replicas = false;
    std::string owner;
    std::optional<Duration> duration;
    Duration start_up{0}, stop_time{0};
    int priority = 0;
    PreemptionPolicy preemption_policy = PreemptionPolicy::preempt_lower_priority;
    std::vector<Spread> spread;
    std::vector<Together> affinity, anti_affinity;
    bool packed = false;
};
void describe_pods(auto&& key, Pods& s) {
    describe_asks(key, s.asks);
    key("count", s.count,
        "Number of pods, named NAME-1, NAME-2, ..., in a StatefulSet NAME-0, NAME-1, ...; unset: "
        "one pod, named NAME if it has no controller.");
    key("duration", s.duration,
        "Each pod completes this long after it was bound to a node; not allowed for pods of a "
        "ReplicaSet or StatefulSet.");
    key("owner", s.owner,
        "Name of the controller; unset: NAME. Batches with different requests may share one.");
    key("start_up", s.start_up,
        "Time from being bound to being ready; PodDisruptionBudgets count only ready pods as "
        "healthy.");
    key("stop_time", s.stop_time, "Time that a pod takes to terminate, at most its grace period.");
    key("priority", s.priority, "Priority; pods of higher priority are bound first.",
        {.min = INT_MIN});
    key("preemption_policy", s.preemption_policy,
        "Never: the pods preempt no others and are not expendable. The simulated scheduler "
        "preempts no pods in either case.");
    key("spread", s.spread, "Topology spread constraints.", {.shorthand = "topology_key"});
    key("affinity", s.affinity, "Pod affinity terms.", {.shorthand = "topology_key"});
    key("anti_affinity", s.anti_affinity, "Pod anti-affinity terms.",
        {.shorthand = "topology_key"});
}
void describe(auto&& key, Pods& s) {
    describe_pods(key, s);
    key("replicas", s.replicas, "Short for controller = \"replica_set\".");
    key("controller", s.controller,
        "Who recreates pods that disappear: none; a replica_set; a stateful_set, with the same "
        "names, one pod at a time; a job, whose pods start again.");
}

struct Service {
    std::string name;
    std::string ns = "default";
    Labels labels;
};
void describe(auto&& key, Service& s) {
    key("name", s.name, "Name of the Service.");
    key("namespace", s.ns, "Namespace of the Service.");
    key("labels", s.labels, "Labels of the pods that it selects; unset: `app` = its name.");
}

inline Pods one_replica() {
    Pods pods;
    pods.count = 1;
    pods.controller = Controller::replica_set;
    return pods;
}
inline Pods one_in_row() {
    Pods pods;
    pods.count = 1;
    pods.controller = Controller::stateful_set;
    return pods;
}
/// Pods whose controller is there from the start.
struct ReplicaSet {
    Pods pods = one_replica();
};
void describe(auto&& key, ReplicaSet& s) {
    describe_pods(key, s.pods);
    key("packed", s.pods.packed,
        "If true, the pods fill one node after the other: the first node of each group, then the "
        "second of each, and so on. Their scheduling constraints are ignored.");
}
struct StatefulSet {
    Pods pods = one_in_row();
};
void describe(auto&& key, StatefulSet& s) { describe_pods(key, s.pods); }

struct Node {
    std::string name, provider_id;
    std::optional<int> count;
    Quantity cpu, memory;
    int pods = 110;
    std::map<std::string, Quantity> resources, allocatable;
    Labels labels;
    std::vector<Taint> taints;
};
void describe(auto&& key, Node& s) {
    key("name", s.name, "Name of the node.");
    key("count", s.count,
        "Number of nodes, named NAME-1, NAME-2, ...; unset: one node named NAME.");
    key("provider_id", s.provider_id, "spec.providerID of the node; unset: none.");
    key("cpu", s.cpu, "CPU capacity.");
    key("memory", s.memory, "Memory capacity.");
    key("pods", s.pods, "Maximum number of pods.");
    key("resources", s.resources, "Other capacity by resource.");
    key("allocatable", s.allocatable, "Allocatable amounts by resource; unset: the capacity.");
    key("labels", s.labels, "Labels of the node; kubernetes.io/hostname is its name.");
    key("taints", s.taints, "Taints in the form of kubectl: \"dedicated=gpu:NoSchedule\".");
}

struct Step {
    std::vector<Pods> pods;
    std::vector<Node> nodes;
    std::vector<DaemonSet> daemon_sets;
    std::vector<NodeEdit> edit;
    std::vector<Budget> budgets;
    std::map<std::string, int> scale;
    std::map<std::string, std::string> bind;
    std::vector<std::string> remove, remove_groups;
    std::vector<std::string> reload;
    std::optional<Duration> at, advance, within;
    std::optional<std::string> until;
    Expectations expected;
};
void describe(auto&& key, Step& s) {
    key("pods", s.pods, "Pods to create.");
    key("nodes", s.nodes, "Nodes to add, in no group.");
    key("daemon_sets", s.daemon_sets, "DaemonSets to create.");
    key("edit", s.edit, "Nodes to change, as another client would.");
    key("budgets", s.budgets, "PodDisruptionBudgets to create or replace.");
    key("scale", s.scale, "Replicas of controllers: { web = 5 }.");
    key("bind", s.bind, "Pods to bind, by node: { web-1 = \"ng-1-1\" }.");
    key("remove", s.remove, "Names of batches, pods, DaemonSets or nodes to delete.");
    key("remove_groups", s.remove_groups, "Ids of groups to remove from the simulated cloud.");
    key("reload", s.reload,
        "Settings of [scale_up], [scale_down] and [limits] to reload: "
        "[\"scale_down.unneeded_time=1m\"].");
    key("at", s.at,
        "Time at which the step begins, from the start; the step before it lasts until then.");
    key("advance", s.advance, "Length of the step.", {.min = 1});
    key("until", s.until,
        "\"idle\": until nothing is due, or 24h have passed without an event; \"command\": until a "
        "command is given; a command or its first words: until that command is given.");
    key("within", s.within, "How long to wait for the command of `until`; unset: 24h.");
    describe_expected(key, s.expected);
}

// The file.

/// The keys of the whole file, without the sections of a configuration and the settings of the
/// simulated cloud.
struct Scenario {
    std::string title;
    int seed = 0;
    std::optional<Duration> scan_interval;
    Duration register_delay = std::chrono::seconds(10), ready_delay = std::chrono::seconds(10);
    std::optional<std::string> config;
    std::vector<Node> node;
    std::vector<DaemonSet> daemon_set;
    std::vector<ReplicaSet> replica_set;
    std::vector<StatefulSet> stateful_set;
    std::vector<Budget> budget;
    std::vector<Service> service;
    std::vector<SharedReplicas> balancer;
    std::vector<Fault> fault;
    Judge judge;
    bool scheduler = true;
    SchedulerScore scheduler_score = SchedulerScore::least_allocated;
    ChaosChoices chaos;
    std::optional<std::vector<config::DefaultSpread>> scheduler_spread;
    std::vector<Command> expect_only;
    std::vector<Step> step;
};
void describe(auto&& key, Scenario& s) {
    key("title", s.title, "One sentence about the behaviour that the scenario shows.");
    key("seed", s.seed, "Seed of all random numbers.");
    key("scan_interval", s.scan_interval,
        "Time between passes; unset: cluster.scan_interval of the configuration (default \"10s\").",
        {.min = std::chrono::milliseconds(100)});
    key("register_delay", s.register_delay, "Time from a running machine to its node joining.");
    key("ready_delay", s.ready_delay, "Time from a node joining to it being ready.");
    key("config", s.config,
        "Configuration file for settings that this file does not have; in the same folder or "
        "below.");
    key("node", s.node, "Nodes that exist from the start, in no group.");
    key("daemon_set", s.daemon_set, "DaemonSets: one pod on each node that it fits.");
    key("replica_set", s.replica_set, "Pods of a ReplicaSet that exist from the start.");
    key("stateful_set", s.stateful_set, "Pods of a StatefulSet that exist from the start.");
    key("budget", s.budget, "PodDisruptionBudgets that exist from the start.");
    key("service", s.service, "Services that exist from the start.");
    key("balancer", s.balancer,
        "Balancers that exist from the start; they need the controller `replicas`.");
    key("fault", s.fault, "Faults to inject.");
    key("judge", s.judge, "Bounds of chaos runs.");
    key("scheduler", s.scheduler, "If false, pods are bound only by `bind` of a step.");
    key("scheduler_score", s.scheduler_score,
        "Which of the nodes with room the scheduler prefers: the one with the largest share of "
        "free resources, the one with the smallest, or a random one.");
    key("chaos", s.chaos, "What a chaos run may change.");
    key("scheduler_spread", s.scheduler_spread,
        "Default spread constraints of the scheduler, as DoNotSchedule; unset: "
        "scale_up.default_spread.",
        {.shorthand = "topology_key"});
    key("expect_only", s.expect_only,
        "Kinds of commands that `expect` of each step compares; empty: all.");
    key("step", s.step, "Steps of the scenario, in order.");
}

}  // namespace capstan::simulator::keys
