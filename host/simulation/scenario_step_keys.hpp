/// The keys of a scenario file: what happens, and what is expected.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/scenario_object_keys.hpp"

namespace capstan::simulation::keys {

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
    never_joins,
    flap,
    eviction_error,
    policy_denial,
    clock_jump,
    restart,
    restart_midway,
};
constexpr auto names_of(FaultName) {
    return std::array<std::string_view, 16>{
        "stock_out",       "quota",       "api_error", "throttled",
        "unauthenticated", "slow_calls",  "silent",    "removal_fails",
        "lost_machine",    "never_joins", "flap",      "eviction_error",
        "policy_denial",   "clock_jump",  "restart",   "restart_midway"};
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
    std::optional<bool> joins, nodes_stay;
    std::optional<Duration> register_delay, ready_delay;
    std::optional<std::vector<std::string>> join_taints, join_missing_labels;
};
void describe(auto&& key, Joining& s) {
    key("joins", s.joins, "false: machines run and never become nodes.");
    key("register_delay", s.register_delay, "From a machine running to its node joining.");
    key("ready_delay", s.ready_delay, "From a node joining to its being ready.");
    key("join_taints", s.join_taints, "Taints that nodes get when they join.");
    key("join_missing_labels", s.join_missing_labels,
        "Labels of their machine, by key, that nodes do not get.");
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
    std::optional<std::vector<std::string>> commands, unhelped, backed_off;
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
    key("expect_backed_off", s.backed_off, "Groups that are left alone after a failure; all.");
    key("expect_not_backed_off", s.not_backed_off, "Groups that are not.");
    key("expect_unhelped", s.unhelped,
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

}  // namespace capstan::simulation::keys
