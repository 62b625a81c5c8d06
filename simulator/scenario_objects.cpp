#include "simulator/scenario_objects.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/taint_text.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/engine_settings.hpp"

namespace capstan::simulator {
namespace {

using config::Diagnostics;
using config::SettingValue;

config::Place member_place(const SettingValue& table, std::string_view key) {
    const SettingValue* member = table.find(key);
    return member == nullptr || member->defaulted ? table.place : member->place;
}

void need_name(const std::string& name, std::string_view what, const SettingValue& table,
               Diagnostics& diagnostics) {
    if (name.empty()) diagnostics.error(table.place, std::string(what) + ": 'name' is missing");
    if (name.find('/') != std::string::npos)
        diagnostics.error(member_place(table, "name"),
                          std::string(what) + ": 'name' must not contain '/'");
}

void add_resources(Resources& to, const std::map<std::string, Quantity>& given) {
    for (const auto& [name, quantity] : given) to.set(name, amount_of(name, quantity));
}

std::string topology_key(const std::string& key) {
    if (key == "zone") return std::string(well_known::zone_label);
    if (key == "hostname") return std::string(well_known::hostname_label);
    return key;
}

/// Selects by `labels`, or by the batch's label `app` if they are empty: by `app` alone, so that
/// pods keep counting when other labels change.
LabelSelector term_selector(const Labels& labels, const Labels& own) {
    if (!labels.empty()) return {.match_labels = labels};
    return {.match_labels = {{"app", own.at("app")}}};
}

void check_host_ports(const SettingValue& list, Diagnostics& diagnostics) {
    for (const SettingValue& port : list.children) {
        if (!config::MemberType<engine::snapshot::HostPort>::parse(port.text))
            diagnostics.error(port.place,
                              "host_ports: expects a port such as \"8080\" or \"53/UDP\", found " +
                                  in_quotes(port.text));
    }
}

struct Look {
    engine::snapshot::PodSpec spec;
    Labels labels, annotations;
};

Look asked_look(const keys::Asks& asks, const SettingValue& table, Diagnostics& diagnostics) {
    check_host_ports(*table.find("host_ports"), diagnostics);
    Look out{.spec = {}, .labels = asks.labels, .annotations = asks.annotations};
    out.labels.emplace("app", asks.name);
    if (asks.cpu) out.spec.requests.set("cpu", asks.cpu->milli_value());
    if (asks.memory) out.spec.requests.set("memory", asks.memory->value());
    add_resources(out.spec.requests, asks.resources);
    out.spec.node_selector = asks.node_selector;
    out.spec.tolerations.assign(asks.tolerations.begin(), asks.tolerations.end());
    out.spec.ports = asks.host_ports;
    out.spec.termination_grace = asks.grace;
    out.spec.uses_local_storage = asks.local_storage;
    if (asks.local_storage) out.spec.local_volumes = {"scratch"};
    return out;
}

/// The required terms; preferred terms have no effect in a simulation.
std::vector<engine::snapshot::PodTerm> terms_of(const std::vector<keys::Together>& given,
                                                const Labels& own) {
    std::vector<engine::snapshot::PodTerm> out;
    for (const keys::Together& t : given) {
        if (!t.required) continue;
        out.push_back({.selector = term_selector(t.labels, own),
                       .topology_key = topology_key(t.topology_key)});
    }
    return out;
}

void add_spread(const std::vector<keys::Spread>& given, const Labels& own,
                const SettingValue& table, Diagnostics& diagnostics,
                engine::snapshot::PodSpec& spec) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        const keys::Spread& s = given[i];
        if (s.when_unsatisfiable == keys::Unsatisfiable::schedule_anyway) {
            spec.has_soft_spread = true;
            if (s.min_domains)
                diagnostics.error(table.find("spread")->children[i].place,
                                  "spread: 'min_domains' needs DoNotSchedule, as in Kubernetes");
            continue;
        }
        spec.spread.push_back({.max_skew = s.max_skew,
                               .topology_key = topology_key(s.topology_key),
                               .selector = term_selector(s.labels, own),
                               .min_domains = s.min_domains,
                               .honor_taints = s.node_taints_policy == keys::NodePolicy::honor});
    }
}

// Keys of objects.

/// The labels of pods named `name` as they are written: `app` only if it is not the name.
Labels own_labels(Labels labels, const std::string& name) {
    const auto app = labels.find("app");
    if (app != labels.end() && app->second == name) labels.erase(app);
    return labels;
}

std::string short_topology_key(const std::string& key) {
    if (key == well_known::zone_label) return "zone";
    if (key == well_known::hostname_label) return "hostname";
    return key;
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
    out.annotations = annotations;
    out.node_selector = spec.node_selector;
    out.tolerations.assign(spec.tolerations.begin(), spec.tolerations.end());
    out.host_ports = spec.ports;
    out.local_storage = spec.uses_local_storage;
    out.grace = spec.termination_grace;
    return out;
}

/// The labels that a term or constraint selects by; empty: the pods of its own batch.
Labels selected_labels(const std::optional<LabelSelector>& selector, const Labels& own) {
    if (!selector) return {};
    const auto app = own.find("app");
    const bool is_own = app != own.end() && selector->match_labels == Labels{*app};
    return is_own ? Labels() : selector->match_labels;
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

}  // namespace

void check_taints(const SettingValue* list, Diagnostics& diagnostics) {
    if (list == nullptr) return;
    for (const SettingValue& taint : list->children) {
        const Result<Taint> parsed = parse_taint(taint.text);
        if (!parsed) diagnostics.error(taint.place, parsed.error().message);
    }
}

PodBatch make_batch(const keys::Pods& pods, const SettingValue& table, Diagnostics& diagnostics) {
    need_name(pods.asks.name, "pods", table, diagnostics);
    const Controller controller = pods.replicas && pods.controller == Controller::none
                                      ? Controller::replica_set
                                      : pods.controller;
    if (pods.duration && controller != Controller::none && controller != Controller::job) {
        diagnostics.error(
            member_place(table, "duration"),
            "pods: 'duration' is not allowed for pods of a ReplicaSet or StatefulSet");
    }
    auto [spec, labels, annotations] = asked_look(pods.asks, table, diagnostics);
    spec.priority = pods.priority;
    spec.never_preempts = pods.preemption_policy == keys::PreemptionPolicy::never;
    add_spread(pods.spread, labels, table, diagnostics, spec);
    spec.pod_affinity = terms_of(pods.affinity, labels);
    spec.pod_anti_affinity = terms_of(pods.anti_affinity, labels);
    return {.pod = {.ns = pods.asks.ns,
                    .name = pods.asks.name,
                    .spec = std::move(spec),
                    .labels = std::move(labels),
                    .annotations = std::move(annotations),
                    .owner = {.name = pods.owner}},
            .count = pods.count,
            .controller = controller,
            .duration = pods.duration,
            .start_up = pods.start_up,
            .stop_time = pods.stop_time,
            .packed = pods.packed};
}

engine::snapshot::DaemonSetObject make_daemon_set(const keys::DaemonSet& set,
                                                  const SettingValue& table,
                                                  Diagnostics& diagnostics) {
    need_name(set.asks.name, "daemon_set", table, diagnostics);
    auto [spec, labels, annotations] = asked_look(set.asks, table, diagnostics);
    for (const auto& [resource, limit] : set.limits) {
        if (!spec.requests.find(resource)) spec.requests.set(resource, amount_of(resource, limit));
    }
    return {.ns = set.asks.ns,
            .name = set.asks.name,
            .spec = std::move(spec),
            .labels = std::move(labels),
            .annotations = std::move(annotations)};
}

engine::snapshot::ServiceObject make_service(const keys::Service& service,
                                             const SettingValue& table, Diagnostics& diagnostics) {
    need_name(service.name, "service", table, diagnostics);
    Labels selector = service.labels;
    if (selector.empty()) selector.emplace("app", service.name);
    return {.ns = service.ns, .name = service.name, .selector = std::move(selector)};
}

std::vector<engine::snapshot::DefaultSpread> make_scheduler_spread(
    const std::vector<config::DefaultSpread>& given) {
    std::vector<engine::snapshot::DefaultSpread> out = autoscaler::make_default_spread(given);
    for (engine::snapshot::DefaultSpread& each : out)
        each.topology_key = topology_key(each.topology_key);
    return out;
}

std::vector<engine::snapshot::NodeObject> make_nodes(const keys::Node& node,
                                                     const SettingValue& table,
                                                     Diagnostics& diagnostics) {
    need_name(node.name, "node", table, diagnostics);
    Resources resources{
        {"cpu", node.cpu.milli_value()}, {"memory", node.memory.value()}, {"pods", node.pods}};
    add_resources(resources, node.resources);
    Resources allocatable = resources;
    add_resources(allocatable, node.allocatable);
    check_taints(table.find("taints"), diagnostics);
    const engine::snapshot::NodeObject one{.name = node.name,
                                           .provider_id = node.provider_id,
                                           .labels = node.labels,
                                           .taints = node.taints,
                                           .capacity = resources,
                                           .allocatable = std::move(allocatable)};
    if (!node.count) return {one};
    std::vector<engine::snapshot::NodeObject> out(static_cast<std::size_t>(*node.count), one);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].name = node.name + "-" + std::to_string(i + 1);
    return out;
}

// Keys of objects.

keys::Pods keys_of(const PodBatch& batch) {
    const engine::snapshot::PodSpec& spec = batch.pod.spec;
    keys::Pods out;
    out.asks = asks_of(batch.pod.ns, batch.pod.name, spec, batch.pod.labels, batch.pod.annotations);
    out.controller = batch.controller;
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
    out.labels = node.labels;
    out.taints = node.taints;
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

std::vector<config::DefaultSpread> keys_of(
    const std::vector<engine::snapshot::DefaultSpread>& spread) {
    std::vector<config::DefaultSpread> out;
    for (const engine::snapshot::DefaultSpread& each : spread)
        out.push_back({short_topology_key(each.topology_key), each.max_skew});
    return out;
}

}  // namespace capstan::simulator
