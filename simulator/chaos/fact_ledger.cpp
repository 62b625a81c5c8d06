#include "simulator/chaos/fact_ledger.hpp"

#include <algorithm>
#include <utility>

#include <capstan/well_known.hpp>

namespace capstan::simulator::chaos {
namespace {

bool is_bound_to_its_node(const engine::snapshot::PodObject& pod) {
    return pod.owner.kind == "DaemonSet" || pod.owner.kind == "Node" ||
           pod.annotations.contains(well_known::mirror_pod_annotation);
}

bool has_safe_annotation(const engine::snapshot::PodObject& pod, std::string_view value) {
    const auto at = pod.annotations.find(well_known::safe_to_evict_annotation);
    return at != pod.annotations.end() && at->second == value;
}

bool may_stay(const engine::snapshot::PodObject& pod) {
    if (has_safe_annotation(pod, "true")) return false;
    return pod.annotations.contains(well_known::safe_to_evict_annotation) ||
           pod.owner.kind.empty() || pod.owner.kind == "Job" || !pod.spec.local_volumes.empty() ||
           pod.ns == "kube-system";
}

bool has_constraints(const engine::snapshot::PodObject& pod) {
    const engine::snapshot::PodSpec& spec = pod.spec;
    return !spec.affinity_required.empty() || !spec.pod_affinity.empty() ||
           !spec.pod_anti_affinity.empty() || !spec.spread.empty() || !spec.ports.empty() ||
           spec.uses_resource_claims || !pod.claims.empty() || !spec.in_tree_volumes.empty() ||
           spec.priority.value_or(0) < 0;
}

LedgerPod make_pod(const Fact& fact) {
    const engine::snapshot::PodObject& pod = *fact.pod_object;
    LedgerPod out{.batch = std::string(fact.batch),
                  .arrived = fact.at,
                  .requests = pod.spec.requests,
                  .belongs_to_node = is_bound_to_its_node(pod),
                  .is_unmovable = may_stay(pod),
                  .is_constrained = has_constraints(pod),
                  .spec = pod.spec};
    out.requests.set("pods", 1);
    return out;
}

template <class Map>
auto find_in(const Map& map, std::string_view key) -> const typename Map::mapped_type* {
    const auto at = map.find(key);
    return at == map.end() ? nullptr : &at->second;
}

}  // namespace

const LedgerPod* FactLedger::find_pod(std::string_view name) const { return find_in(pods_, name); }
const LedgerNode* FactLedger::find_node(std::string_view name) const {
    return find_in(nodes_, name);
}
const LedgerMachine* FactLedger::find_machine(std::string_view id) const {
    return find_in(machines_, id);
}
const LedgerMachine* FactLedger::machine_of(std::string_view node) const {
    const auto at = machine_of_node_.find(node);
    return at == machine_of_node_.end() ? nullptr : find_machine(at->second);
}

void FactLedger::observe(const Fact& fact) {
    const auto node = nodes_.find(fact.node);
    switch (fact.kind) {
        case FactKind::pod_arrived: pods_[std::string(fact.pod)] = make_pod(fact); break;
        case FactKind::pod_bound: bind(fact); break;
        case FactKind::pod_gone:
            if (node != nodes_.end()) node->second.pods.erase(std::string(fact.pod));
            if (const auto at = pods_.find(fact.pod); at != pods_.end()) pods_.erase(at);
            break;
        case FactKind::node_joined:
            nodes_[std::string(fact.node)] = {.group = std::string(fact.group),
                                              .allocatable = fact.node_object->allocatable,
                                              .labels = fact.node_object->labels,
                                              .taints = fact.node_object->taints,
                                              .joined = fact.at,
                                              .is_ready = fact.node_object->ready};
            break;
        case FactKind::node_ready:
        case FactKind::node_unready:
            if (node == nodes_.end()) break;
            node->second.is_ready = fact.kind == FactKind::node_ready;
            node->second.allocatable = fact.node_object->allocatable;
            node->second.labels = fact.node_object->labels;
            node->second.taints = fact.node_object->taints;
            break;
        case FactKind::node_gone:
            if (node != nodes_.end()) nodes_.erase(node);
            break;
        case FactKind::machines_ordered: order(fact); break;
        case FactKind::order_refused:
            if (const auto at = decided_.find(fact.group); at != decided_.end()) decided_.erase(at);
            break;
        case FactKind::orders_withdrawn: withdraw(fact); break;
        case FactKind::machine_started:
            machine(fact.machine, fact.group, fact.at).started = fact.at;
            break;
        case FactKind::machine_failed:
            machine(fact.machine, fact.group, fact.at).has_failed = true;
            break;
        case FactKind::machine_joined:
            machine(fact.machine, fact.group, fact.at).node = fact.node;
            machine_of_node_[std::string(fact.node)] = fact.machine;
            break;
        case FactKind::fault_began:
            if (fact.fault)
                faults_[{*fact.fault, std::string(fact.group)}] =
                    is_brief(*fact.fault) ? fact.at : Time::max();
            break;
        case FactKind::fault_ended:
            if (fact.fault) faults_[{*fact.fault, std::string(fact.group)}] = fact.at;
            break;
        default: break;
    }
}

void FactLedger::bind(const Fact& fact) {
    auto& pod = pods_.try_emplace(std::string(fact.pod), make_pod(fact)).first->second;
    pod.node = fact.node;
    const auto node = nodes_.find(fact.node);
    if (node != nodes_.end()) node->second.pods.emplace(fact.pod);
    const auto id = machine_of_node_.find(fact.node);
    if (id == machine_of_node_.end() || pod.belongs_to_node) return;
    if (const auto at = machines_.find(id->second); at != machines_.end())
        at->second.has_served = true;
}

PodNames FactLedger::pending() const {
    std::set<std::string> out;
    for (const auto& [name, pod] : pods_)
        if (pod.node.empty()) out.insert(name);
    return std::make_shared<const std::set<std::string>>(std::move(out));
}

void FactLedger::observe(const engine::Decision& decision) {
    if (decision.increases.empty()) return;
    const PodNames pods = pending();
    for (const engine::Increase& increase : decision.increases)
        decided_.insert_or_assign(increase.group.value(), pods);
}

void FactLedger::order(const Fact& fact) {
    auto decided = decided_.extract(std::string(fact.group));
    orders_[std::string(fact.group)].push_back(
        {fact.count, decided ? std::move(decided.mapped()) : pending()});
}

/// The newest orders are withdrawn first.
void FactLedger::withdraw(const Fact& fact) {
    std::deque<Order>& orders = orders_[std::string(fact.group)];
    int left = fact.count;
    while (left > 0 && !orders.empty()) {
        const int taken = std::min(left, orders.back().left);
        left -= taken;
        orders.back().left -= taken;
        if (orders.back().left == 0) orders.pop_back();
    }
}

LedgerMachine& FactLedger::machine(std::string_view id, std::string_view group, Time now) {
    const auto known = machines_.find(id);
    if (known != machines_.end()) return known->second;
    LedgerMachine made{.group = std::string(group), .listed = now};
    if (const auto orders = orders_.find(group);
        orders != orders_.end() && !orders->second.empty()) {
        Order& oldest = orders->second.front();
        made.ordered_for = oldest.pods;
        if (--oldest.left == 0) orders->second.pop_front();
    }
    return machines_.emplace(std::string(id), std::move(made)).first->second;
}

void FactLedger::observe(const std::vector<engine::Group>& groups, Time now) {
    std::set<std::string_view> readable, listed_ids;
    for (const engine::Group& group : groups) {
        if (group.unreadable_because.empty()) readable.insert(group.group.id.value());
        for (const Machine& listed : group.machines) listed_ids.insert(listed.id.value());
        for (const Machine& listed : group.machines)
            machine(listed.id.value(), group.group.id.value(), now).is_announced =
                listed.leaves.has_value();
    }
    for (auto& [id, machine] : machines_)
        machine.is_withdrawn =
            machine.is_withdrawn ||
            (!machine.started && readable.contains(machine.group) && !listed_ids.contains(id));
}

std::string_view FactLedger::id_of(std::string_view node) const {
    const auto at = machine_of_node_.find(node);
    return at == machine_of_node_.end() ? std::string_view() : at->second;
}

bool FactLedger::had_fault(FaultKind kind, std::string_view group, Time since) const {
    for (const std::string& of : {std::string(group), std::string()}) {
        const auto at = faults_.find({kind, of});
        if (at != faults_.end() && at->second >= since) return true;
    }
    return false;
}

bool FactLedger::had_fault(FaultKind kind, Time since) const {
    return std::ranges::any_of(faults_, [&](const auto& entry) {
        return entry.first.first == kind && entry.second >= since;
    });
}

bool fits_bin(const LedgerPod& pod, const Bin& bin) {
    return has_all(bin.labels, pod.spec.node_selector) &&
           find_untolerated(bin.taints, pod.spec.tolerations) == nullptr &&
           std::ranges::all_of(pod.requests, [&](const auto& entry) {
               return entry.amount <= bin.room.amount(entry.resource);
           });
}

}  // namespace capstan::simulator::chaos
