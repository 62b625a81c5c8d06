/// The keys of a scenario file. Each key's meaning, type and default stand here; the table in
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

/// In the file a topology key or a table: `"zone"`, `{ topology_key = "zone", max_skew = 2 }`.
struct Spread {
    std::string topology_key;
    int max_skew = 1;
    std::optional<int> min_domains;
    std::map<std::string, std::string> labels;
};
void describe(auto&& key, Spread& s) {
    key("topology_key", s.topology_key,
        "A node label; \"zone\" and \"hostname\" stand for Kubernetes' own.");
    key("max_skew", s.max_skew, "How uneven the domains may become.", {.min = 1});
    key("min_domains", s.min_domains, "Domains there have to be at least.", {.min = 1});
    key("labels", s.labels, "The pods that count, by their labels; empty: those of the batch.");
}

/// In the file a topology key or a table: `"hostname"`, `{ topology_key = "zone", labels = {...}
/// }`.
struct Together {
    std::string topology_key;
    std::map<std::string, std::string> labels;
};
void describe(auto&& key, Together& s) {
    key("topology_key", s.topology_key,
        "A node label; \"zone\" and \"hostname\" stand for Kubernetes' own.");
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
}

struct DaemonSet {
    Asks asks;
};
void describe(auto&& key, DaemonSet& s) { describe_asks(key, s.asks); }

struct Pods {
    Asks asks;
    std::optional<int> count;
    bool replicas = false;
    std::optional<Duration> duration;
    int priority = 0;
    std::vector<Spread> spread;
    std::vector<Together> affinity, anti_affinity;
};
void describe_pods(auto&& key, Pods& s) {
    describe_asks(key, s.asks);
    key("count", s.count, "How many, named NAME-1, NAME-2, ...; unset: one, named NAME.");
    key("duration", s.duration, "Each ends by itself so long after it got a node.");
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
    key("replicas", s.replicas, "A ReplicaSet owns them: it brings back those that vanish.");
}

inline Pods one_replica() {
    Pods pods;
    pods.count = 1;
    pods.replicas = true;
    return pods;
}
/// Pods whose controller is there from the start.
struct ReplicaSet {
    Pods pods = one_replica();
};
void describe(auto&& key, ReplicaSet& s) { describe_pods(key, s.pods); }

struct Node {
    std::string name;
    std::optional<int> count;
    Quantity cpu, memory;
    int pods = 110;
    std::map<std::string, Quantity> resources;
    std::map<std::string, std::string> labels;
    std::vector<std::string> taints;
};
void describe(auto&& key, Node& s) {
    key("name", s.name, "The node's name.");
    key("count", s.count, "How many, named NAME-1, NAME-2, ...; unset: one, named NAME.");
    key("cpu", s.cpu, "Its cores, all of them for pods.");
    key("memory", s.memory, "Its memory, all of it for pods.");
    key("pods", s.pods, "How many pods it takes.");
    key("resources", s.resources, "More resources by name.");
    key("labels", s.labels, "Its labels; kubernetes.io/hostname is its name.");
    key("taints", s.taints, "As kubectl writes them: \"dedicated=gpu:NoSchedule\".");
}

enum class Until { idle };
constexpr auto names_of(Until) { return std::array<std::string_view, 1>{"idle"}; }

struct Step {
    std::vector<Pods> pods;
    std::vector<Node> nodes;
    std::map<std::string, int> scale;
    std::vector<std::string> remove;
    std::optional<Duration> advance;
    std::optional<Until> until;
    std::optional<std::vector<std::string>> expect, expect_unhelped, expect_backed_off;
    std::optional<int> expect_pending;
    std::map<std::string, int> expect_nodes, expect_targets;
};
void describe(auto&& key, Step& s) {
    key("pods", s.pods, "Pods that arrive.");
    key("nodes", s.nodes, "Nodes that join, of no group.");
    key("scale", s.scale, "How many pods a replica set has from now on: { web = 5 }.");
    key("remove", s.remove, "Batches, pods or nodes that go, by name.");
    key("advance", s.advance, "How much time passes.", {.min = 1});
    key("until", s.until, "\"idle\": time passes until nothing happens any more, a week at most.");
    key("expect", s.expect,
        "All the clouds were asked for, in order: [\"increase web by 2\"]; []: nothing.");
    key("expect_pending", s.expect_pending, "Pods without a node.");
    key("expect_nodes", s.expect_nodes, "Nodes in the cluster, by group.");
    key("expect_targets", s.expect_targets, "Machines asked for, by group.");
    key("expect_backed_off", s.expect_backed_off, "Groups that are left alone after a failure.");
    key("expect_unhelped", s.expect_unhelped,
        "Why pods stay without room, by batch: [\"web: SENTENCE\", \"web in spot: SENTENCE\"]; "
        "[]: none does.");
}

/// The whole file but for the sections of a configuration, and what the simulated cloud is told.
struct Scenario {
    std::string title;
    int seed = 0;
    std::optional<Duration> scan_interval;
    Duration register_delay = std::chrono::seconds(10), ready_delay = std::chrono::seconds(10);
    std::optional<std::string> config;
    std::vector<Node> node;
    std::vector<DaemonSet> daemon_set;
    std::vector<ReplicaSet> replica_set;
    std::vector<Step> step;
};
void describe(auto&& key, Scenario& s) {
    key("title", s.title, "One sentence about the product.");
    key("seed", s.seed, "Chance is made of this.");
    key("scan_interval", s.scan_interval,
        "Time between passes; unset: as the configuration says, \"10s\".", {.min = 1e8});
    key("register_delay", s.register_delay, "From a machine running to its node joining.");
    key("ready_delay", s.ready_delay, "From a node joining to its being ready.");
    key("config", s.config, "A configuration file for what is not said here, below this folder.");
    key("node", s.node, "Nodes that are there from the start, of no group.");
    key("daemon_set", s.daemon_set, "One pod on each node that takes it.");
    key("replica_set", s.replica_set, "Pods that are there from the start, with a controller.");
    key("step", s.step, "What happens, one after the other.");
}

}  // namespace capstan::simulation::keys
