/// The keys of a scenario file for values that an Input has, too: faults, budgets, Balancers,
/// changes of nodes, expectations, bounds. The other keys are in scenario_keys.hpp.
///
/// A key may have another form than the member. describe() then makes that form from the member,
/// and the member from the form, so that one description serves to read and to write. A text that
/// is not valid becomes a default value; the functions of scenario_objects.hpp and
/// scenario_events.hpp report it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/taint_text.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

#include "config/document.hpp"
#include "config/section.hpp"
#include "engine/snapshot/pod_spec.hpp"
#include "simulator/input.hpp"
#include "simulator/shared_replicas.hpp"

namespace capstan::config {

template <>
struct MemberType<Labels> {
    using Map = MemberType<std::map<std::string, std::string>>;
    static Field field(const Labels&, const Rules& rules) { return Map::field({}, rules); }
    static std::string toml(const Labels& value) { return Map::toml({value.begin(), value.end()}); }
    static Labels read(const SettingValue& from) {
        const auto map = Map::read(from);
        return {map.begin(), map.end()};
    }
};

template <>
struct MemberType<Effect> {
    static Field field(Effect, const Rules&) {
        return {.type = SettingType::enumeration,
                .allowed = {"NoSchedule", "PreferNoSchedule", "NoExecute"}};
    }
    static std::string toml(Effect value) { return toml_string(name_of(value)); }
    static Effect read(const SettingValue& from) {
        return find_effect(from.text).value_or(Effect::no_schedule);
    }
};

/// In kubectl's form: "dedicated=gpu:NoSchedule".
template <>
struct MemberType<Taint> {
    static Field field(const Taint&, const Rules&) { return {.type = SettingType::string}; }
    static std::string toml(const Taint& value) { return toml_string(to_string(value)); }
    static Taint read(const SettingValue& from) { return parse_taint(from.text).value_or(Taint{}); }
};

/// "8080", "53/UDP", "10.0.0.1:80/TCP".
template <>
struct MemberType<engine::snapshot::HostPort> {
    using HostPort = engine::snapshot::HostPort;
    static std::optional<HostPort> parse(std::string_view text);
    static Field field(const HostPort&, const Rules&) { return {.type = SettingType::string}; }
    static std::string toml(const HostPort& value);
    static HostPort read(const SettingValue& from) { return parse(from.text).value_or(HostPort{}); }
};

}  // namespace capstan::config

namespace capstan::simulator {

/// Turns bounds of budgets that are whole numbers into text, before a schema checks them. A bound
/// may be 3 or "50%", as in Kubernetes, and a schema gives each key one type.
void turn_shares_into_text(config::TomlValue& scenario);

/// "3", "50%"; absent: it is neither.
std::optional<PodShare> find_share(std::string_view text);
std::string share_text(const PodShare& share);

/// Absent: the text is not a number of at most 16 hexadecimal digits.
std::optional<std::uint64_t> find_hexadecimal(std::string_view text);
std::string hexadecimal(std::uint64_t number);

namespace keys {

enum class SharingPolicy { proportional, priority };
constexpr auto names_of(SharingPolicy) {
    return std::array<std::string_view, 2>{"proportional", "priority"};
}

enum class Command { increase, decrease, remove, evict, create_group, delete_group };
constexpr auto names_of(Command) {
    return std::array<std::string_view, 6>{"increase", "decrease", "remove",
                                           "evict",    "create",   "delete"};
}
/// The words of commands, as in Expectations::only.
std::vector<std::string> words_of(const std::vector<Command>& commands);
/// The inverse; words of no command are left out.
std::vector<Command> commands_of(const std::vector<std::string>& words);

}  // namespace keys

/// In the file a name or a table: `"web-a"`, `{ name = "web-a", weight = 60 }`.
void describe(auto&& key, SharedReplicas::Target& s) {
    key("name", s.name, "Name of a batch with a controller.");
    key("weight", s.weight, "Weight of the target; used by the policy \"proportional\".");
    key("min", s.min, "Minimum number of pods.");
    key("max", s.max, "Maximum number of pods; unset: no limit.");
}

void describe(auto&& key, SharedReplicas& s) {
    using enum keys::SharingPolicy;
    keys::SharingPolicy policy = s.in_order ? priority : proportional;
    key("name", s.name, "Name of the Balancer.");
    key("namespace", s.ns, "Namespace of the Balancer and its targets.");
    key("replicas", s.replicas, "Pods wanted of all targets together.");
    key("labels", s.labels,
        "Labels that the pods of all targets have; empty: all pods of the namespace.");
    key("policy", policy, "\"proportional\": by weight; \"priority\": in the order of targets.");
    key("startup_timeout", s.startup_timeout,
        "How long a pod may be pending before another target gets a pod in its place; unset: no "
        "limit.");
    key("targets", s.targets, "Targets that share the replicas.", {.shorthand = "name"});
    s.in_order = policy == priority;
}

void describe(auto&& key, Fault& s) {
    std::string draw = s.draw && uses_draw(s) ? hexadecimal(*s.draw) : "";
    key("kind", s.kind, "Kind of the fault.");
    key("group", s.group, "Node group with the fault; unset: a random group each time.");
    key("cloud", s.cloud, "Cloud with the fault; unset: a random cloud each time.");
    key("plugin", s.plugin, "Plugin with the fault; unset: a random plugin each time.");
    key("draw", draw,
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
    std::optional<int> room;
    if (s.kind == FaultKind::memory_limit) room = s.room;
    key("room", room,
        "For memory_limit: the bytes that the memory may have; unset: no memory can be written.",
        {.min = 0});
    s.draw = find_hexadecimal(draw);
    s.room = room.value_or(0);
}

/// How machines of a group become nodes: keys of [[group]], and of `groups` and `change` of a step.
void describe(auto&& key, Registration& s) {
    key("joins", s.joins, "If false, machines run but never join as nodes.");
    key("register_delay", s.register_delay, "Time from a running machine to its node joining.");
    key("ready_delay", s.ready_delay, "Time from a node joining to it being ready.");
    key("join_taints", s.taints, "Taints that nodes have when they join.");
    key("join_missing_labels", s.missing_labels,
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

void describe(auto&& key, NodeEdit& s) {
    const auto changes = [&](const std::string& name,
                             std::map<std::string, std::optional<std::string>>& all,
                             const char* set_doc, const char* drop_doc) {
        Labels set;
        std::vector<std::string> dropped;
        for (const auto& [what, value] : all) {
            if (value) {
                set.emplace(what, *value);
            } else {
                dropped.push_back(what);
            }
        }
        key(name, set, set_doc);
        key("drop_" + name, dropped, drop_doc);
        all = {set.begin(), set.end()};
        for (const std::string& what : dropped) all.emplace(what, std::nullopt);
    };
    key("node", s.node, "Name of the node.");
    key("ready", s.ready, "Whether the node is ready.");
    key("cordoned", s.cordoned, "Whether the node is cordoned.");
    key("taints", s.set_taints, "Taints to add: \"dedicated=gpu:NoSchedule\".");
    key("drop_taints", s.drop_taints, "Keys of taints to remove.");
    changes("annotations", s.annotations, "Annotations to set.", "Keys of annotations to remove.");
    changes("labels", s.labels, "Labels to set.", "Keys of labels to remove.");
}

void describe(auto&& key, ExpectedCommand& s) {
    key("command", s.command, "Command, or its first words.");
    key("from", s.from, "Earliest time, from the start of the step.");
    key("to", s.until, "Latest time, from the start of the step; unset: the end of the step.");
}

void describe(auto&& key, ExpectedTaints& s) {
    key("node", s.node, "Name of the node.");
    key("has", s.has, "Keys of taints that the node has.");
    key("lacks", s.lacks, "Keys of taints that the node does not have.");
}

/// Keys of a step.
void describe_expected(auto&& key, Expectations& s) {
    std::vector<keys::Command> only = keys::commands_of(s.only);
    key("expect", s.commands,
        "All commands of the step, in order: [\"increase web by 2\"]; []: none.");
    key("expect_only", only,
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
    s.only = keys::words_of(only);
}

/// A bound that has its default counts as unset.
void describe(auto&& key, Judge& s) {
    const auto bound = [&](const char* name, double Judge::* member, const char* doc, double min) {
        const double usual = Judge{}.*member;
        std::optional<double> given;
        if (s.*member != usual) given = s.*member;
        key(name, given, doc, {.min = min});
        s.*member = given.value_or(usual);
    };
    key("calm", s.calm,
        "Time from the start at which no more faults and events come. With it, invariants judge "
        "the run also without --chaos; unset: they do not.");
    bound("evictions", &Judge::evictions,
          "Evictions of a replica in two hours of calm (default 1).", 0);
    bound("evictions_in_storm", &Judge::evictions_in_storm,
          "Evictions of a replica in two hours with faults (default 4).", 0);
    bound("orders", &Judge::orders, "Machines ordered per machine that was needed (default 1.2).",
          1);
    bound("returns", &Judge::returns,
          "Machines removed before they could be nodes, per machine ordered (default 0.2).", 0);
    bound("node_hours", &Judge::node_hours,
          "Node hours per node hour that first-fit with hindsight needs (default 1.5).", 1);
    bound("price", &Judge::price,
          "Price of an increase per price of the cheapest one that would do (default 1.3).", 1);
    key("new_pod_delay", s.new_pod_delay,
        "How long pods are meant to wait before a machine is ordered for them.");
    std::vector<std::string> off(s.off.begin(), s.off.end());
    key("off", off, "Invariants that do not judge the scenario.");
    s.off = {off.begin(), off.end()};
}

void describe(auto&& key, ChaosChoices& s) {
    key("settings", s.settings,
        "Draw the scan interval and settings of [scale_up] and [scale_down], at the start and by "
        "reloads.");
    key("scheduler_score", s.scheduler_score, "Draw which nodes the scheduler prefers.");
    key("machine_types", s.machine_types, "Give groups several machine types.");
    key("sizes", s.sizes, "Multiply the groups, in one of 400 seeds up to 2,000.");
}

}  // namespace capstan::simulator

namespace capstan::autoscaler::dump {

constexpr auto names_of(Controller) {
    return std::array<std::string_view, 4>{"none", "replica_set", "stateful_set", "job"};
}

void describe(auto&& key, Budget& s) {
    const auto share = [&](const char* name, std::optional<PodShare>& bound, const char* doc) {
        std::optional<std::string> text;
        if (bound) text = simulator::share_text(*bound);
        key(name, text, doc);
        bound = text ? simulator::find_share(*text) : std::nullopt;
    };
    key("name", s.name, "Name of the PodDisruptionBudget.");
    key("namespace", s.ns, "Namespace of the budget.");
    key("labels", s.selector.match_labels,
        "Labels of the pods that it selects; empty: all pods of the namespace.");
    share("min_available", s.min_available, "Minimum number of healthy pods: 3, or \"50%\".");
    share("max_unavailable", s.max_unavailable,
          "Maximum number of pods that are not healthy: 1, or \"30%\".");
}

}  // namespace capstan::autoscaler::dump

namespace capstan::engine::scheduling {

constexpr auto names_of(SchedulerScore) {
    return std::array<std::string_view, 3>{"least_allocated", "most_allocated", "random"};
}

}  // namespace capstan::engine::scheduling
