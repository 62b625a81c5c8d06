#include "simulator/scenario_keys_of.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <capstan/quantity.hpp>
#include <capstan/well_known.hpp>

#include "config/text.hpp"

namespace capstan::simulator {
namespace {

using TextMap = std::map<std::string, std::string>;

TextMap text_map(const Labels& labels) { return {labels.begin(), labels.end()}; }

/// The labels of pods named `name` as they are written: `app` only if it is not the name.
TextMap own_labels(const Labels& labels, const std::string& name) {
    TextMap out = text_map(labels);
    if (const auto app = out.find("app"); app != out.end() && app->second == name) out.erase(app);
    return out;
}

std::string short_topology_key(const std::string& key) {
    if (key == well_known::zone_label) return "zone";
    if (key == well_known::hostname_label) return "hostname";
    return key;
}

std::optional<keys::TaintEffect> effect_key(const std::optional<Effect>& effect) {
    if (!effect) return std::nullopt;
    switch (*effect) {
        case Effect::no_schedule: return keys::TaintEffect::no_schedule;
        case Effect::prefer_no_schedule: return keys::TaintEffect::prefer_no_schedule;
        case Effect::no_execute: return keys::TaintEffect::no_execute;
    }
    return std::nullopt;
}

std::vector<keys::Toleration> toleration_keys(const std::vector<Toleration>& tolerations) {
    std::vector<keys::Toleration> out;
    for (const Toleration& toleration : tolerations) {
        keys::Toleration& one = out.emplace_back();
        one.key = toleration.key;
        if (toleration.op == Toleration::Op::equal) one.value = toleration.value;
        one.effect = effect_key(toleration.effect);
    }
    return out;
}

std::vector<std::string> taint_texts(const std::vector<Taint>& taints) {
    std::vector<std::string> out;
    for (const Taint& taint : taints) out.push_back(to_string(taint));
    return out;
}

/// "8080", "53/UDP", "10.0.0.1:80".
std::string port_text(const engine::snapshot::HostPort& port) {
    return (port.ip.empty() ? "" : port.ip + ":") + std::to_string(port.port) +
           (port.protocol == "TCP" ? "" : "/" + port.protocol);
}

keys::Asks asks_of(const std::string& ns, const std::string& name,
                   const engine::snapshot::PodSpec& spec, const Labels& labels,
                   const Labels& annotations) {
    keys::Asks out;
    out.name = name;
    out.ns = ns;
    for (const auto& [resource, amount] : spec.requests) {
        const Quantity quantity = quantity_of(resource, amount);
        if (resource == "cpu") {
            out.cpu = quantity;
        } else if (resource == "memory") {
            out.memory = quantity;
        } else {
            out.resources.emplace(resource, quantity);
        }
    }
    out.labels = own_labels(labels, name);
    out.annotations = text_map(annotations);
    out.node_selector = text_map(spec.node_selector);
    out.tolerations = toleration_keys(spec.tolerations);
    for (const engine::snapshot::HostPort& port : spec.ports)
        out.host_ports.push_back(port_text(port));
    out.local_storage = spec.uses_local_storage;
    out.grace = spec.termination_grace;
    return out;
}

/// The labels that a term or constraint selects by; empty: the pods of its own batch.
TextMap selected_labels(const std::optional<LabelSelector>& selector, const Labels& own) {
    if (!selector) return {};
    const auto app = own.find("app");
    const bool is_own = app != own.end() && selector->match_labels == Labels{*app};
    return is_own ? TextMap() : text_map(selector->match_labels);
}

std::vector<keys::Together> together_keys(const std::vector<engine::snapshot::PodTerm>& terms,
                                          const Labels& own) {
    std::vector<keys::Together> out;
    for (const engine::snapshot::PodTerm& term : terms) {
        keys::Together& one = out.emplace_back();
        one.topology_key = short_topology_key(term.topology_key);
        one.labels = selected_labels(term.selector, own);
    }
    return out;
}

std::vector<keys::Spread> spread_keys(const engine::snapshot::PodSpec& spec, const Labels& own) {
    std::vector<keys::Spread> out;
    for (const engine::snapshot::SpreadConstraint& constraint : spec.spread) {
        keys::Spread& one = out.emplace_back();
        one.topology_key = short_topology_key(constraint.topology_key);
        one.max_skew = constraint.max_skew;
        one.min_domains = constraint.min_domains;
        if (constraint.honor_taints) one.node_taints_policy = keys::NodePolicy::honor;
        one.labels = selected_labels(constraint.selector, own);
    }
    // Only that there is such a constraint matters.
    if (spec.has_soft_spread) {
        keys::Spread& soft = out.emplace_back();
        soft.topology_key = "hostname";
        soft.when_unsatisfiable = keys::Unsatisfiable::schedule_anyway;
    }
    return out;
}

/// `changes` as what is set, and the keys of what is dropped.
void add_changes(const std::map<std::string, std::optional<std::string>>& changes, TextMap& set,
                 std::vector<std::string>& dropped) {
    for (const auto& [key, value] : changes) {
        if (value) {
            set.emplace(key, *value);
        } else {
            dropped.push_back(key);
        }
    }
}

keys::Owner owner_key(Controller controller) {
    switch (controller) {
        case Controller::none: return keys::Owner::none;
        case Controller::replica_set: return keys::Owner::replica_set;
        case Controller::stateful_set: return keys::Owner::stateful_set;
        case Controller::job: return keys::Owner::job;
    }
    return keys::Owner::none;
}

std::optional<std::string> share_text(const std::optional<PodShare>& share) {
    if (!share) return std::nullopt;
    return std::to_string(share->amount) + (share->is_percent ? "%" : "");
}

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return {digits.data(), end};
}

std::optional<keys::Command> find_command_kind(std::string_view word) {
    const auto names = names_of(keys::Command{});
    const auto at = std::ranges::find(names, word);
    if (at == names.end()) return std::nullopt;
    return static_cast<keys::Command>(at - names.begin());
}

}  // namespace

keys::Pods keys_of(const PodBatch& batch) {
    const engine::snapshot::PodSpec& spec = batch.pod.spec;
    keys::Pods out;
    out.asks = asks_of(batch.pod.ns, batch.pod.name, spec, batch.pod.labels, batch.pod.annotations);
    out.controller = owner_key(batch.controller);
    out.count = batch.count;
    out.duration = batch.duration;
    out.start_up = batch.start_up;
    out.stop_time = batch.stop_time;
    out.priority = spec.priority.value_or(0);
    if (spec.never_preempts) out.preemption_policy = keys::PreemptionPolicy::never;
    out.spread = spread_keys(spec, batch.pod.labels);
    out.affinity = together_keys(spec.pod_affinity, batch.pod.labels);
    out.anti_affinity = together_keys(spec.pod_anti_affinity, batch.pod.labels);
    out.packed = batch.packed;
    out.owner = batch.pod.owner.name;
    return out;
}

keys::Node keys_of(const engine::snapshot::NodeObject& node) {
    keys::Node out;
    out.name = node.name;
    out.provider_id = node.provider_id;
    out.cpu = quantity_of("cpu", node.capacity.amount("cpu"));
    out.memory = quantity_of("memory", node.capacity.amount("memory"));
    out.pods = static_cast<int>(node.capacity.amount("pods"));
    for (const auto& [resource, amount] : node.capacity) {
        if (resource != "cpu" && resource != "memory" && resource != "pods")
            out.resources.emplace(resource, quantity_of(resource, amount));
    }
    for (const auto& [resource, amount] : node.allocatable) {
        if (node.capacity.find(resource) != amount)
            out.allocatable.emplace(resource, quantity_of(resource, amount));
    }
    out.labels = text_map(node.labels);
    out.taints = taint_texts(node.taints);
    return out;
}

keys::DaemonSet keys_of(const engine::snapshot::DaemonSetObject& set) {
    return {.asks = asks_of(set.ns, set.name, set.spec, set.labels, set.annotations), .limits = {}};
}

keys::Service keys_of(const engine::snapshot::ServiceObject& service) {
    return {.name = service.name,
            .ns = service.ns,
            .labels = own_labels(service.selector, service.name)};
}

keys::Budget keys_of(const Budget& budget) {
    return {.name = budget.name,
            .ns = budget.ns,
            .labels = text_map(budget.selector.match_labels),
            .min_available = share_text(budget.min_available),
            .max_unavailable = share_text(budget.max_unavailable)};
}

keys::Balancer keys_of(const SharedReplicas& shared) {
    keys::Balancer out;
    out.name = shared.name;
    out.ns = shared.ns;
    out.replicas = shared.replicas;
    out.labels = text_map(shared.labels);
    if (shared.in_order) out.policy = keys::SharingPolicy::priority;
    out.startup_timeout = shared.startup_timeout;
    for (const SharedReplicas::Target& target : shared.targets)
        out.targets.push_back({target.name, target.weight, target.min, target.max});
    return out;
}

keys::NodeEdit keys_of(const NodeEdit& edit) {
    keys::NodeEdit out;
    out.node = edit.node;
    out.ready = edit.ready;
    out.cordoned = edit.cordoned;
    out.taints = taint_texts(edit.set_taints);
    out.drop_taints = edit.drop_taints;
    add_changes(edit.annotations, out.annotations, out.drop_annotations);
    add_changes(edit.labels, out.labels, out.drop_labels);
    return out;
}

keys::Joining keys_of(const Registration& registration) {
    keys::Joining out;
    out.joins = registration.joins;
    out.provider_ids = registration.provider_ids;
    out.nodes_stay = registration.nodes_stay;
    out.register_delay = registration.register_delay;
    out.ready_delay = registration.ready_delay;
    out.late_by = registration.late_by;
    if (registration.taints) out.join_taints = taint_texts(*registration.taints);
    out.join_missing_labels = registration.missing_labels;
    out.late_resources = registration.late_resources;
    out.late_labels = registration.late_labels;
    out.late_taints = registration.late_taints;
    return out;
}

keys::Fault keys_of(const Fault& fault) {
    keys::Fault out;
    out.kind = fault.kind;
    out.group = fault.group;
    out.cloud = fault.cloud;
    out.plugin = fault.plugin;
    out.from = fault.from;
    out.until = fault.until;
    out.chance = fault.chance;
    out.every = fault.every;
    out.lasts = fault.lasts;
    if (fault.kind == FaultKind::memory_limit) out.room = fault.room;
    if (fault.draw && uses_draw(fault)) out.draw = hexadecimal(*fault.draw);
    return out;
}

keys::Judge keys_of(const Judge& judge) {
    const Judge usual;
    const auto if_unusual = [](double bound, double default_bound) {
        return bound == default_bound ? std::nullopt : std::optional(bound);
    };
    keys::Judge out;
    out.calm = judge.calm;
    out.evictions = if_unusual(judge.evictions, usual.evictions);
    out.evictions_in_storm = if_unusual(judge.evictions_in_storm, usual.evictions_in_storm);
    out.orders = if_unusual(judge.orders, usual.orders);
    out.returns = if_unusual(judge.returns, usual.returns);
    out.node_hours = if_unusual(judge.node_hours, usual.node_hours);
    out.price = if_unusual(judge.price, usual.price);
    out.new_pod_delay = judge.new_pod_delay;
    out.off.assign(judge.off.begin(), judge.off.end());
    return out;
}

keys::Expected keys_of(const Expectations& expected) {
    keys::Expected out;
    out.commands = expected.commands;
    out.unschedulable = expected.unschedulable;
    out.backed_off = expected.backed_off;
    for (const std::string& word : expected.only)
        if (const auto kind = find_command_kind(word)) out.only.push_back(*kind);
    for (const ExpectedCommand& command : expected.within)
        out.within.push_back({command.command, command.from, command.until});
    out.never = expected.never;
    out.present = expected.present;
    out.absent = expected.absent;
    out.not_backed_off = expected.not_backed_off;
    out.pending = expected.pending;
    out.longest_pending = expected.longest_pending;
    out.nodes = expected.nodes;
    out.targets = expected.targets;
    for (const ExpectedTaints& taints : expected.taints)
        out.taints.push_back({taints.node, taints.has, taints.lacks});
    return out;
}

std::vector<config::DefaultSpread> keys_of(
    const std::vector<engine::snapshot::DefaultSpread>& spread) {
    std::vector<config::DefaultSpread> out;
    for (const engine::snapshot::DefaultSpread& each : spread)
        out.push_back({short_topology_key(each.topology_key), each.max_skew});
    return out;
}

}  // namespace capstan::simulator
