#include "simulator/scenario_objects.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/sentence.hpp>
#include <capstan/taint_text.hpp>
#include <capstan/well_known.hpp>
#include <capstan/whole_number.hpp>

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

Labels labels_of(const std::map<std::string, std::string>& given) {
    return {given.begin(), given.end()};
}

void add_resources(Resources& to, const std::map<std::string, Quantity>& given) {
    for (const auto& [name, quantity] : given) to.set(name, amount_of(name, quantity));
}

std::string topology_key(const std::string& key) {
    if (key == "zone") return std::string(well_known::zone_label);
    if (key == "hostname") return std::string(well_known::hostname_label);
    return key;
}

Effect effect_of(keys::TaintEffect effect) {
    switch (effect) {
        case keys::TaintEffect::no_schedule: return Effect::no_schedule;
        case keys::TaintEffect::prefer_no_schedule: return Effect::prefer_no_schedule;
        case keys::TaintEffect::no_execute: return Effect::no_execute;
    }
    return Effect::no_schedule;
}

std::vector<Toleration> tolerations_of(const std::vector<keys::Toleration>& given) {
    std::vector<Toleration> out;
    for (const keys::Toleration& t : given) {
        Toleration toleration{.key = t.key,
                              .op = t.value ? Toleration::Op::equal : Toleration::Op::exists,
                              .value = t.value.value_or("")};
        if (t.effect) toleration.effect = effect_of(*t.effect);
        out.push_back(std::move(toleration));
    }
    return out;
}

/// Selects by `labels`, or by the batch's label `app` if they are empty: by `app` alone, so that
/// pods keep counting when other labels change.
LabelSelector term_selector(const std::map<std::string, std::string>& labels, const Labels& own) {
    if (!labels.empty()) return {.match_labels = labels_of(labels)};
    return {.match_labels = {{"app", own.at("app")}}};
}

/// "8080", "53/UDP", "10.0.0.1:80/TCP"; absent: it is none of these.
std::optional<engine::snapshot::HostPort> parse_host_port(std::string_view text) {
    engine::snapshot::HostPort out;
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        out.protocol = text.substr(slash + 1);
        if (out.protocol != "TCP" && out.protocol != "UDP" && out.protocol != "SCTP")
            return std::nullopt;
        text = text.substr(0, slash);
    }
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        out.ip = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    const auto port = find_whole_number(text);
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    out.port = static_cast<int>(*port);
    return out;
}

std::vector<engine::snapshot::HostPort> read_host_ports(const std::vector<std::string>& given,
                                                        const SettingValue& table,
                                                        Diagnostics& diagnostics) {
    std::vector<engine::snapshot::HostPort> out;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (auto port = parse_host_port(given[i])) {
            out.push_back(*std::move(port));
        } else {
            diagnostics.error(table.find("host_ports")->children[i].place,
                              "host_ports: expects a port such as \"8080\" or \"53/UDP\", found " +
                                  in_quotes(given[i]));
        }
    }
    return out;
}

struct Look {
    engine::snapshot::PodSpec spec;
    Labels labels, annotations;
};

Look asked_look(const keys::Asks& asks, const SettingValue& table, Diagnostics& diagnostics) {
    Look out{
        .spec = {}, .labels = labels_of(asks.labels), .annotations = labels_of(asks.annotations)};
    out.labels.emplace("app", asks.name);
    if (asks.cpu) out.spec.requests.set("cpu", asks.cpu->milli_value());
    if (asks.memory) out.spec.requests.set("memory", asks.memory->value());
    add_resources(out.spec.requests, asks.resources);
    out.spec.node_selector = labels_of(asks.node_selector);
    out.spec.tolerations = tolerations_of(asks.tolerations);
    out.spec.ports = read_host_ports(asks.host_ports, table, diagnostics);
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

Controller chosen_controller(const keys::Pods& pods) {
    if (pods.replicas && pods.controller == keys::Owner::none) return Controller::replica_set;
    switch (pods.controller) {
        case keys::Owner::none: return Controller::none;
        case keys::Owner::replica_set: return Controller::replica_set;
        case keys::Owner::stateful_set: return Controller::stateful_set;
        case keys::Owner::job: return Controller::job;
    }
    return Controller::none;
}

}  // namespace

std::vector<Taint> read_taints(const std::vector<std::string>& given, const SettingValue* list,
                               Diagnostics& diagnostics) {
    std::vector<Taint> out;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (auto taint = parse_taint(given[i])) {
            out.push_back(*std::move(taint));
        } else {
            diagnostics.error(list->children[i].place, taint.error().message);
        }
    }
    return out;
}

PodBatch make_batch(const keys::Pods& pods, const SettingValue& table, Diagnostics& diagnostics) {
    need_name(pods.asks.name, "pods", table, diagnostics);
    const Controller controller = chosen_controller(pods);
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
    Labels selector = labels_of(service.labels);
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
    const engine::snapshot::NodeObject one{
        .name = node.name,
        .provider_id = node.provider_id,
        .labels = labels_of(node.labels),
        .taints = read_taints(node.taints, table.find("taints"), diagnostics),
        .capacity = resources,
        .allocatable = std::move(allocatable)};
    if (!node.count) return {one};
    std::vector<engine::snapshot::NodeObject> out(static_cast<std::size_t>(*node.count), one);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].name = node.name + "-" + std::to_string(i + 1);
    return out;
}

}  // namespace capstan::simulator
