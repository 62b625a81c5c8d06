/// The keys of a scenario file, with their meanings, types and defaults. The table in
/// tests/scenarios/README.md is for readers.
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

#include "runtime/config/scaling.hpp"
#include "runtime/config/section.hpp"

namespace capstan::simulation::keys {

// Pods and nodes.

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

// Balancers.

/// In the file a name or a table: `"web-a"`, `{ name = "web-a", weight = 60 }`.
struct BalancerTarget {
    std::string name;
    int weight = 1, min = 0;
    std::optional<int> max;
};
void describe(auto&& key, BalancerTarget& s) {
    key("name", s.name, "A batch with a controller.");
    key("weight", s.weight, "Its part, if shares are proportional.");
    key("min", s.min, "Pods that it has in any case.");
    key("max", s.max, "Pods that it has at most; unset: any number.");
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
    key("name", s.name, "The Balancer's name.");
    key("namespace", s.ns, "Its namespace, which its targets share.");
    key("replicas", s.replicas, "Pods wanted of all targets together.");
    key("labels", s.labels,
        "The pods of all targets, by their labels; empty: all of the namespace.");
    key("policy", s.policy, "\"proportional\": by weight; \"priority\": in the order of targets.");
    key("startup_timeout", s.startup_timeout,
        "How long a pod may wait before it is asked of other targets, too; unset: for ever.");
    key("targets", s.targets, "Among whom they are shared out.", {.shorthand = "name"});
}

// What happens, and what is expected.

struct Budget {
    std::string name;
    std::string ns = "default";
    std::map<std::string, std::string> labels;
    std::optional<std::string> min_available, max_unavailable;
};
void describe(auto&& key, Budget& s) {
    key("name", s.name, "The budget's name.");
    key("namespace", s.ns, "Its namespace.");
    key("labels", s.labels, "The pods it is about; empty: all of the namespace.");
    key("min_available", s.min_available, "Pods that stay ready at least: 3, or \"50%\".");
    key("max_unavailable", s.max_unavailable, "Pods that are not ready at most: 1, or \"30%\".");
}

enum class FaultName {
    stock_out,
    quota,
    api_error,
    throttled,
    unauthenticated,
    slow_calls,
    silent,
    removal_fails,
    lost_machine,
    interruption,
    never_joins,
    flap,
    eviction_error,
    policy_denial,
    slow_scheduler,
    clock_jump,
    restart,
    restart_midway,
};
constexpr auto names_of(FaultName) {
    return std::array<std::string_view, 18>{
        "stock_out",   "quota",   "api_error",      "throttled",     "unauthenticated",
        "slow_calls",  "silent",  "removal_fails",  "lost_machine",  "interruption",
        "never_joins", "flap",    "eviction_error", "policy_denial", "slow_scheduler",
        "clock_jump",  "restart", "restart_midway"};
}

struct Fault {
    FaultName kind = FaultName::stock_out;
    std::string group, cloud;
    Duration from{0};
    std::optional<Duration> until;
    std::optional<double> chance;
    Duration every = std::chrono::minutes(1), lasts = std::chrono::minutes(5);
};
void describe(auto&& key, Fault& s) {
    key("kind", s.kind, "What goes wrong.");
    key("group", s.group, "Which group's; unset: one that chance names each time.");
    key("cloud", s.cloud, "Which cloud's; unset: one that chance names each time.");
    key("from", s.from, "When it comes, or may come at first, from the start.");
    key("until", s.until, "When it comes no more; unset: never that.");
    key("chance", s.chance,
        "How probable it is at `from` and after each `every`; unset: it comes once.",
        {.min = 0, .max = 1});
    key("every", s.every, "How long it is from one chance to the next.",
        {.min = std::chrono::seconds(1)});
    key("lasts", s.lasts,
        "How long it goes on; how far the clock is set forward, or back if it is negative.",
        {.min = -3.1536e16});
}

/// How machines of a group become nodes: keys of [[group]] and of a step's `change`.
struct Joining {
    std::optional<bool> joins, provider_ids, nodes_stay;
    std::optional<Duration> register_delay, ready_delay, late_by;
    std::optional<std::vector<std::string>> join_taints, join_missing_labels, late_resources,
        late_labels, late_taints;
};
void describe(auto&& key, Joining& s) {
    key("joins", s.joins, "false: machines run and never become nodes.");
    key("register_delay", s.register_delay, "From a machine running to its node joining.");
    key("ready_delay", s.ready_delay, "From a node joining to its being ready.");
    key("join_taints", s.join_taints, "Taints that nodes get when they join.");
    key("join_missing_labels", s.join_missing_labels,
        "Labels of their machine, by key, that nodes do not get.");
    key("late_resources", s.late_resources,
        "Resources of their machine that nodes have `late_by` after they have become ready.");
    key("late_labels", s.late_labels,
        "Labels of their machine, by key, that nodes get `late_by` after they have become ready.");
    key("late_taints", s.late_taints,
        "Taints of `join_taints`, by key, that nodes lose `late_by` after they have become ready.");
    key("late_by", s.late_by,
        "How long after a node is ready these come and go; 60s unless it is set.");
    key("provider_ids", s.provider_ids, "false: nodes have no spec.providerID.");
    key("nodes_stay", s.nodes_stay, "A node stays, not ready, when its machine vanishes.");
}

struct NodeEdit {
    std::string node;
    std::optional<bool> ready, cordoned;
    std::vector<std::string> taints, drop_taints, drop_annotations;
    std::map<std::string, std::string> annotations;
};
void describe(auto&& key, NodeEdit& s) {
    key("node", s.node, "Its name.");
    key("ready", s.ready, "Whether it is ready from now on.");
    key("cordoned", s.cordoned, "Whether somebody has cordoned it.");
    key("taints", s.taints, "Put on it: \"dedicated=gpu:NoSchedule\".");
    key("drop_taints", s.drop_taints, "Taken off it, by key.");
    key("annotations", s.annotations, "Put on it.");
    key("drop_annotations", s.drop_annotations, "Taken off it, by key.");
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
    key("command", s.command, "The command, or its first words.");
    key("from", s.from, "From the beginning of the step: not before.");
    key("to", s.to, "From the beginning of the step: not after.");
}

struct ExpectedTaints {
    std::string node;
    std::vector<std::string> has, lacks;
};
void describe(auto&& key, ExpectedTaints& s) {
    key("node", s.node, "Its name.");
    key("has", s.has, "Taints it has, by key.");
    key("lacks", s.lacks, "Taints it does not have, by key.");
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
        "All that was asked for, in order: [\"increase web by 2\"]; []: nothing.");
    key("expect_only", s.only, "The commands that `expect` looks at; unset: as of the file.");
    key("expect_within", s.within, "Commands that come, and when.", {.shorthand = "command"});
    key("expect_never", s.never, "Commands, or first words of some, that do not come.");
    key("expect_pending", s.pending, "Pods without a node.");
    key("expect_longest_pending", s.longest_pending,
        "Every pod that waits or got its node in this step waited for less.");
    key("expect_nodes", s.nodes, "Nodes in the cluster, by group.");
    key("expect_targets", s.targets, "Machines asked for, by group.");
    key("expect_present", s.present, "Nodes that are there, by name.");
    key("expect_absent", s.absent, "Nodes that are not there, by name.");
    key("expect_taints", s.taints, "Taints that nodes have and lack.");
    key("expect_backed_off", s.backed_off, "Groups that are backed off after a failure; all.");
    key("expect_not_backed_off", s.not_backed_off, "Groups that are not.");
    key("expect_unhelped", s.unschedulable,
        "Why pods stay without room, by batch: [\"web: SENTENCE\", \"web in spot: SENTENCE\"]; "
        "[]: none does.");
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
    std::optional<Duration> advance, within;
    std::optional<std::string> until;
    Expected expected;
};
void describe(auto&& key, Step& s) {
    key("pods", s.pods, "Pods that arrive.");
    key("nodes", s.nodes, "Nodes that join, of no group.");
    key("daemon_sets", s.daemon_sets, "DaemonSets that arrive.");
    key("edit", s.edit, "Nodes that somebody else changes.");
    key("budgets", s.budgets, "PodDisruptionBudgets that are there from now on.");
    key("scale", s.scale, "How many pods a controller has from now on: { web = 5 }.");
    key("bind", s.bind, "Nodes that pods get: { web-1 = \"ng-1-1\" }.");
    key("remove", s.remove, "Batches, pods, DaemonSets or nodes that go, by name.");
    key("remove_groups", s.remove_groups, "Groups of the simulated cloud that go, by id.");
    key("advance", s.advance, "How much time passes.", {.min = 1});
    key("until", s.until,
        "\"idle\": time passes until nothing happens any more, a week at most; \"command\": until "
        "something is asked for; a command or its first words: until that is.");
    key("within", s.within, "In what time that command has to come; unset: a day.");
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
    std::vector<Balancer> balancer;
    std::vector<Fault> fault;
    bool scheduler = true;
    std::optional<std::vector<runtime::config::DefaultSpread>> scheduler_spread;
    std::vector<Command> expect_only;
    std::vector<Step> step;
};
void describe(auto&& key, Scenario& s) {
    key("title", s.title, "One sentence about the product.");
    key("seed", s.seed, "Chance is made of this.");
    key("scan_interval", s.scan_interval,
        "Time between passes; unset: as the configuration says, \"10s\".",
        {.min = std::chrono::milliseconds(100)});
    key("register_delay", s.register_delay, "From a machine running to its node joining.");
    key("ready_delay", s.ready_delay, "From a node joining to its being ready.");
    key("config", s.config, "A configuration file for what is not said here, below this folder.");
    key("node", s.node, "Nodes that are there from the start, of no group.");
    key("daemon_set", s.daemon_set, "One pod on each node that takes it.");
    key("replica_set", s.replica_set, "Pods that are there from the start, with a controller.");
    key("stateful_set", s.stateful_set, "The same, under names that stay, one after the other.");
    key("budget", s.budget, "PodDisruptionBudgets that are there from the start.");
    key("service", s.service, "Services that are there from the start.");
    key("balancer", s.balancer, "Balancers of a live cluster, which have it from the start.");
    key("fault", s.fault, "What goes wrong.");
    key("scheduler", s.scheduler, "false: pods get nodes by a step's `bind` alone.");
    key("scheduler_spread", s.scheduler_spread,
        "Its default constraints, DoNotSchedule; unset: what scale_up.default_spread says.",
        {.shorthand = "topology_key"});
    key("expect_only", s.expect_only,
        "The commands that `expect` of each step looks at; empty: all.");
    key("step", s.step, "What happens, one after the other.");
}

}  // namespace capstan::simulation::keys
