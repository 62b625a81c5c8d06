/// The keys of a scenario file, with their meanings, types and defaults. The reference for readers
/// is tests/scenarios/keys.md.
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

#include "config/scaling.hpp"
#include "config/section.hpp"
#include "simulator/faults.hpp"

namespace capstan::simulator::keys {

// Pods and nodes.

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
    key("key", s.key, "Key of the taint; empty: all taints.");
    key("value", s.value, "Value of the taint; unset: any value.");
    key("effect", s.effect, "Effect of the taint; unset: any effect.");
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
    std::map<std::string, std::string> labels;
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
    std::map<std::string, std::string> labels;
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
    std::map<std::string, std::string> labels, annotations, node_selector;
    std::vector<Toleration> tolerations;
    std::vector<std::string> host_ports;
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

enum class Owner { none, replica_set, stateful_set, job };
constexpr auto names_of(Owner) {
    return std::array<std::string_view, 4>{"none", "replica_set", "stateful_set", "job"};
}

enum class PreemptionPolicy { preempt_lower_priority, never };
constexpr auto names_of(PreemptionPolicy) {
    return std::array<std::string_view, 2>{"PreemptLowerPriority", "Never"};
}

struct Pods {
    Asks asks;
    Owner controller = Owner::none;
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
    std::map<std::string, std::string> labels;
};
void describe(auto&& key, Service& s) {
    key("name", s.name, "Name of the Service.");
    key("namespace", s.ns, "Namespace of the Service.");
    key("labels", s.labels, "Labels of the pods that it selects; unset: `app` = its name.");
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
    std::map<std::string, std::string> labels;
    std::vector<std::string> taints;
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

// Balancers.

/// In the file a name or a table: `"web-a"`, `{ name = "web-a", weight = 60 }`.
struct BalancerTarget {
    std::string name;
    int weight = 1, min = 0;
    std::optional<int> max;
};
void describe(auto&& key, BalancerTarget& s) {
    key("name", s.name, "Name of a batch with a controller.");
    key("weight", s.weight, "Weight of the target; used by the policy \"proportional\".");
    key("min", s.min, "Minimum number of pods.");
    key("max", s.max, "Maximum number of pods; unset: no limit.");
}

enum class SharingPolicy { proportional, priority };
constexpr auto names_of(SharingPolicy) {
    return std::array<std::string_view, 2>{"proportional", "priority"};
}

struct Balancer {
    std::string name;
    std::string ns = "default";
    int replicas = 1;
    std::map<std::string, std::string> labels;
    SharingPolicy policy = SharingPolicy::proportional;
    std::optional<Duration> startup_timeout;
    std::vector<BalancerTarget> targets;
};
void describe(auto&& key, Balancer& s) {
    key("name", s.name, "Name of the Balancer.");
    key("namespace", s.ns, "Namespace of the Balancer and its targets.");
    key("replicas", s.replicas, "Pods wanted of all targets together.");
    key("labels", s.labels,
        "Labels that the pods of all targets have; empty: all pods of the namespace.");
    key("policy", s.policy, "\"proportional\": by weight; \"priority\": in the order of targets.");
    key("startup_timeout", s.startup_timeout,
        "How long a pod may be pending before another target gets a pod in its place; unset: no "
        "limit.");
    key("targets", s.targets, "Targets that share the replicas.", {.shorthand = "name"});
}

// What happens, and what is expected.

struct Budget {
    std::string name;
    std::string ns = "default";
    std::map<std::string, std::string> labels;
    std::optional<std::string> min_available, max_unavailable;
};
void describe(auto&& key, Budget& s) {
    key("name", s.name, "Name of the PodDisruptionBudget.");
    key("namespace", s.ns, "Namespace of the budget.");
    key("labels", s.labels,
        "Labels of the pods that it selects; empty: all pods of the namespace.");
    key("min_available", s.min_available, "Minimum number of healthy pods: 3, or \"50%\".");
    key("max_unavailable", s.max_unavailable,
        "Maximum number of pods that are not healthy: 1, or \"30%\".");
}

struct Fault {
    FaultKind kind = FaultKind::stock_out;
    std::string group, cloud, plugin, draw;
    Duration from{0};
    std::optional<Duration> until;
    std::optional<double> chance;
    Duration every = std::chrono::minutes(1), lasts = std::chrono::minutes(5);
    std::optional<int> room;
};
void describe(auto&& key, Fault& s) {
    key("kind", s.kind, "Kind of the fault.");
    key("group", s.group, "Node group with the fault; unset: a random group each time.");
    key("cloud", s.cloud, "Cloud with the fault; unset: a random cloud each time.");
    key("plugin", s.plugin, "Plugin with the fault; unset: a random plugin each time.");
    key("draw", s.draw,
        "Random number in hexadecimal that chooses the cloud, plugin, machine, node or clock; "
        "unset: drawn from the seed.");
    key("from", s.from, "Time of the first occurrence, from the start.");
    key("until", s.until, "Time after which the fault does not occur again; unset: no end.");
    key("chance", s.chance,
        "Probability at `from` and after each `every`; unset: the fault occurs once.",
        {.min = 0, .max = 1});
    key("every", s.every, "Time between two possible occurrences.",
        {.min = std::chrono::seconds(1)});
    key("lasts", s.lasts,
        "Duration of the fault. For clock_jump: how far the clock is set forward, or back if "
        "negative.",
        {.min = -3.1536e16});
    key("room", s.room,
        "For memory_limit: the bytes that the memory may have; unset: no memory can be written.",
        {.min = 0});
}

/// How machines of a group become nodes: keys of [[group]], and of `groups` and `change` of a step.
struct Joining {
    std::optional<bool> joins, provider_ids, nodes_stay;
    std::optional<Duration> register_delay, ready_delay, late_by;
    std::optional<std::vector<std::string>> join_taints, join_missing_labels, late_resources,
        late_labels, late_taints;
};
void describe(auto&& key, Joining& s) {
    key("joins", s.joins, "If false, machines run but never join as nodes.");
    key("register_delay", s.register_delay, "Time from a running machine to its node joining.");
    key("ready_delay", s.ready_delay, "Time from a node joining to it being ready.");
    key("join_taints", s.join_taints, "Taints that nodes have when they join.");
    key("join_missing_labels", s.join_missing_labels,
        "Keys of labels of the machine that its node does not have.");
    key("late_resources", s.late_resources,
        "Resources that nodes report only `late_by` after they are ready.");
    key("late_labels", s.late_labels,
        "Keys of labels that nodes get only `late_by` after they are ready.");
    key("late_taints", s.late_taints,
        "Keys of `join_taints` that are removed `late_by` after nodes are ready.");
    key("late_by", s.late_by, "Delay of the late_* keys after a node is ready; unset: 60s.");
    key("provider_ids", s.provider_ids, "If false, nodes have no spec.providerID.");
    key("nodes_stay", s.nodes_stay, "If true, the node of a lost machine stays and is not ready.");
}

struct NodeEdit {
    std::string node;
    std::optional<bool> ready, cordoned;
    std::vector<std::string> taints, drop_taints, drop_annotations, drop_labels;
    std::map<std::string, std::string> annotations, labels;
};
void describe(auto&& key, NodeEdit& s) {
    key("node", s.node, "Name of the node.");
    key("ready", s.ready, "Whether the node is ready.");
    key("cordoned", s.cordoned, "Whether the node is cordoned.");
    key("taints", s.taints, "Taints to add: \"dedicated=gpu:NoSchedule\".");
    key("drop_taints", s.drop_taints, "Keys of taints to remove.");
    key("annotations", s.annotations, "Annotations to set.");
    key("drop_annotations", s.drop_annotations, "Keys of annotations to remove.");
    key("labels", s.labels, "Labels to set.");
    key("drop_labels", s.drop_labels, "Keys of labels to remove.");
}

enum class Command { increase, decrease, remove, evict, create_group, delete_group };
constexpr auto names_of(Command) {
    return std::array<std::string_view, 6>{"increase", "decrease", "remove",
                                           "evict",    "create",   "delete"};
}

struct ExpectedCommand {
    std::string command;
    Duration from{0};
    std::optional<Duration> to;
};
void describe(auto&& key, ExpectedCommand& s) {
    key("command", s.command, "Command, or its first words.");
    key("from", s.from, "Earliest time, from the start of the step.");
    key("to", s.to, "Latest time, from the start of the step; unset: the end of the step.");
}

struct ExpectedTaints {
    std::string node;
    std::vector<std::string> has, lacks;
};
void describe(auto&& key, ExpectedTaints& s) {
    key("node", s.node, "Name of the node.");
    key("has", s.has, "Keys of taints that the node has.");
    key("lacks", s.lacks, "Keys of taints that the node does not have.");
}

struct Expected {
    std::optional<std::vector<std::string>> commands, unschedulable, backed_off;
    std::vector<Command> only;
    std::vector<ExpectedCommand> within;
    std::vector<std::string> never, present, absent, not_backed_off;
    std::optional<int> pending;
    std::optional<Duration> longest_pending;
    std::map<std::string, int> nodes, targets;
    std::vector<ExpectedTaints> taints;
};
void describe_expected(auto&& key, Expected& s) {
    key("expect", s.commands,
        "All commands of the step, in order: [\"increase web by 2\"]; []: none.");
    key("expect_only", s.only,
        "Kinds of commands that `expect` compares; unset: the file's `expect_only`.");
    key("expect_within", s.within, "Commands that are given in a time range.",
        {.shorthand = "command"});
    key("expect_never", s.never, "Commands, or their first words, that are not given.");
    key("expect_pending", s.pending, "Number of pending pods.");
    key("expect_longest_pending", s.longest_pending,
        "Every pod that was pending in this step was pending for less than this.");
    key("expect_nodes", s.nodes, "Number of nodes by group.");
    key("expect_targets", s.targets, "Target size by group.");
    key("expect_present", s.present, "Names of nodes that exist.");
    key("expect_absent", s.absent, "Names of nodes that do not exist.");
    key("expect_taints", s.taints, "Taints that nodes have and do not have.");
    key("expect_backed_off", s.backed_off, "All groups that are backed off after a failure.");
    key("expect_not_backed_off", s.not_backed_off, "Groups that are not backed off.");
    key("expect_unhelped", s.unschedulable,
        "Why pods are unschedulable, by batch: [\"web: SENTENCE\", \"web in spot: SENTENCE\"]; []: "
        "no pod is.");
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
    Expected expected;
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

/// The defaults are those of simulator::Judge.
struct Judge {
    std::optional<Duration> calm;
    std::optional<double> evictions, evictions_in_storm, orders, returns, node_hours, price;
    Duration new_pod_delay{0};
    std::vector<std::string> off;
};
void describe(auto&& key, Judge& s) {
    key("calm", s.calm,
        "Time from the start at which no more faults and events come. With it, invariants judge "
        "the run also without --chaos; unset: they do not.");
    key("evictions", s.evictions, "Evictions of a replica in two hours of calm (default 2).",
        {.min = 0});
    key("evictions_in_storm", s.evictions_in_storm,
        "Evictions of a replica in two hours with faults (default 4).", {.min = 0});
    key("orders", s.orders, "Machines ordered per machine that was needed (default 1.2).",
        {.min = 1});
    key("returns", s.returns,
        "Machines removed before they could be nodes, per machine ordered (default 0.2).",
        {.min = 0});
    key("node_hours", s.node_hours,
        "Node hours per node hour that first-fit with hindsight needs (default 1.5).", {.min = 1});
    key("price", s.price,
        "Price of an increase per price of the cheapest one that would do (default 1.3).",
        {.min = 1});
    key("new_pod_delay", s.new_pod_delay,
        "How long pods are meant to wait before a machine is ordered for them.");
    key("off", s.off, "Invariants that do not judge the scenario.");
}

enum class SchedulerScoreName { least_allocated, most_allocated, random };
constexpr auto names_of(SchedulerScoreName) {
    return std::array<std::string_view, 3>{"least_allocated", "most_allocated", "random"};
}

/// What a chaos run may change of the scenario.
struct Chaos {
    bool settings = true;
    bool scheduler_score = true;
    bool machine_types = true;
    bool sizes = true;
};
void describe(auto&& key, Chaos& s) {
    key("settings", s.settings,
        "Draw the scan interval and settings of [scale_up] and [scale_down], at the start and by "
        "reloads.");
    key("scheduler_score", s.scheduler_score, "Draw which nodes the scheduler prefers.");
    key("machine_types", s.machine_types, "Give groups several machine types.");
    key("sizes", s.sizes, "Multiply the groups, in one of 400 seeds up to 2,000.");
}

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
    std::vector<Balancer> balancer;
    std::vector<Fault> fault;
    Judge judge;
    bool scheduler = true;
    SchedulerScoreName scheduler_score = SchedulerScoreName::least_allocated;
    Chaos chaos;
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
