#include "simulator/sabotage.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/pod_predicates.hpp"

namespace capstan::simulator {
namespace {

using Groups = std::vector<engine::Group>;

constexpr Duration half_an_hour = std::chrono::minutes(30);

/// A copy of the groups, each changed by `change`.
template <class Change>
std::shared_ptr<const Groups> changed(const Groups& groups, Change change) {
    auto out = std::make_shared<Groups>(groups);
    for (engine::Group& group : *out) change(group);
    return out;
}

void forget_orders(const autoscaler::PassInput& input, autoscaler::PassInput& out) {
    std::set<std::string, std::less<>> nodes;
    const engine::snapshot::Cluster& cluster = input.snapshot.cluster;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i)
        nodes.emplace(cluster.text(cluster.node(i).provider_id));
    out.snapshot.groups = changed(*input.snapshot.groups, [&](engine::Group& group) {
        std::erase_if(group.machines, [&](const Machine& machine) {
            return machine.state != MachineState::deleting && !nodes.contains(machine.id.value());
        });
        const auto going =
            std::ranges::count(group.machines, MachineState::deleting, &Machine::state);
        if (group.group.target)
            group.group.target = static_cast<int>(std::ssize(group.machines) - going);
    });
    out.memory.requests.clear();
    out.memory.answered_targets.clear();
    out.memory.planned.clear();
    out.memory.wrong_sizes.clear();
}

void ignore_minima(const autoscaler::PassInput& input, autoscaler::PassInput& out) {
    out.snapshot.groups =
        changed(*input.snapshot.groups, [](engine::Group& group) { group.group.min = 0; });
    engine::Settings& settings = out.settings;
    for (engine::Bound* bound : {&settings.cpu, &settings.memory, &settings.gpu, &settings.nodes})
        bound->min = 0;
    for (auto& [type, bound] : settings.gpu_types) bound.min = 0;
}

std::vector<std::string> rules_that_keep_nodes() {
    return {"job",    "replica_count",     "on_completion",  "several_pdbs", "replicated",
            "system", "not_safe_to_evict", "do_not_disrupt", "local_storage"};
}

void evict_all_with_budgets(const engine::snapshot::Cluster& cluster, engine::Decision& decision) {
    if (decision.evictions.empty()) return;
    for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
        for (const engine::PodIndex pod : cluster.pods_on(i)) {
            const engine::snapshot::PodRow row = cluster.pod(pod);
            const std::string uid(cluster.text(row.uid));
            const bool is_asked =
                std::ranges::count(decision.evictions, uid, &engine::Eviction::uid) > 0;
            if (is_asked || row.deleted || !has_budget(cluster, pod)) continue;
            decision.evictions.push_back({.ns = std::string(cluster.text(
                                              cluster.equivalence_group(row.equivalence_group).ns)),
                                          .pod = std::string(cluster.text(row.name)),
                                          .uid = uid,
                                          .node = std::string(cluster.text(cluster.node(i).name)),
                                          .because = "sabotage"});
        }
    }
}

void grow_nothing_made(engine::Decision& decision) {
    std::erase_if(decision.increases, [&](const engine::Increase& increase) {
        return std::ranges::count(decision.creations, increase.group,
                                  &engine::GroupCreation::group) > 0;
    });
}

void remove_nothing(engine::Decision& decision) {
    decision.decreases.clear();
    decision.removals.clear();
    decision.evictions.clear();
    std::erase_if(decision.node_changes,
                  [](const engine::NodeChange& change) { return !change.set_taints.empty(); });
}

/// Whether each pod of the option surely fits a node of the other group.
bool fits_option(const autoscaler::PassInput& input, const engine::ChosenOption& option,
                 const engine::Group& other) {
    const engine::snapshot::Cluster& cluster = input.snapshot.cluster;
    return std::ranges::all_of(option.pods, [&](const engine::PodCount& pods) {
        const auto unbound = cluster.unbound();
        const auto pod = std::ranges::find_if(unbound, [&](auto p) {
            return cluster.equivalence_group_of(p) == pods.equivalence_group;
        });
        return pod != unbound.end() && surely_fits(cluster, *pod, other, input.settings);
    });
}

void grow_dearest(const autoscaler::PassInput& input, const Groups& groups,
                  engine::Decision& decision) {
    for (engine::Increase& increase : decision.increases) {
        if (increase.option >= decision.options.size()) continue;
        const engine::Group* dearest = nullptr;
        for (const engine::Group& group : groups) {
            const int after = group.group.target.value_or(0) + increase.by;
            const bool is_taken = std::ranges::count(decision.increases, group.group.id,
                                                     &engine::Increase::group) > 0;
            if (!group.price_per_hour || (is_taken && group.group.id != increase.group) ||
                after > group.group.max.value_or(after) ||
                !fits_option(input, decision.options[increase.option], group))
                continue;
            if (dearest == nullptr || group.price_per_hour > dearest->price_per_hour)
                dearest = &group;
        }
        if (dearest == nullptr) continue;
        increase.group = dearest->group.id;
        increase.cloud = dearest->cloud;
        increase.from = dearest->group.target.value_or(0);
    }
}

/// Grows the first group below its maximum by one; false: there is none, or the decision has an
/// increase already.
bool buy_one(const Groups& groups, engine::Decision& decision) {
    if (!decision.increases.empty()) return false;
    for (const engine::Group& group : groups) {
        const int target = group.group.target.value_or(0);
        if (target >= group.group.max.value_or(target + 1)) continue;
        decision.increases.push_back({.group = group.group.id,
                                      .cloud = group.cloud,
                                      .from = target,
                                      .by = 1,
                                      .because = "sabotage"});
        return true;
    }
    return false;
}

/// Buys one machine for each removal of a node with pods that `seen` does not have yet.
void buy_for_moved(const engine::Memory& memory, const Groups& groups,
                   std::set<std::string, std::less<>>& seen, engine::Decision& decision) {
    std::erase_if(seen, [&](const auto& node) { return !memory.removals.contains(node); });
    for (const auto& [node, removal] : memory.removals)
        if (!removal.empty && seen.insert(node).second) buy_one(groups, decision);
}

/// Names another machine of the group, one that no removal of the decision names, in place of the
/// first machine of each removal of working nodes.
void swap_machines(const Groups& groups, engine::Decision& decision) {
    std::set<MachineId> named;
    for (const engine::MachineRemoval& removal : decision.removals)
        named.insert(removal.machines.begin(), removal.machines.end());
    for (engine::MachineRemoval& removal : decision.removals) {
        const auto group = std::ranges::find(groups, removal.group,
                                             [](const auto& other) { return other.group.id; });
        if (group == groups.end() || removal.machines.empty() || !removes_working_nodes(removal))
            continue;
        const auto other = std::ranges::find_if(group->machines, [&](const Machine& machine) {
            return machine.state == MachineState::running && !named.contains(machine.id);
        });
        if (other != group->machines.end()) removal.machines.front() = other->id;
    }
}

}  // namespace

std::string_view name_of(Sabotage sabotage) noexcept {
    switch (sabotage) {
        case Sabotage::none: return "none";
        case Sabotage::never_removes: return "never_removes";
        case Sabotage::dearest_first: return "dearest_first";
        case Sabotage::forgets_orders: return "forgets_orders";
        case Sabotage::ignores_minima: return "ignores_minima";
        case Sabotage::sees_old_pods: return "sees_old_pods";
        case Sabotage::buys_for_no_pod: return "buys_for_no_pod";
        case Sabotage::buys_twenty_more: return "buys_twenty_more";
        case Sabotage::ignores_budgets: return "ignores_budgets";
        case Sabotage::moves_all_pods: return "moves_all_pods";
        case Sabotage::never_unmarks: return "never_unmarks";
        case Sabotage::never_grows: return "never_grows";
        case Sabotage::makes_for_no_pod: return "makes_for_no_pod";
        case Sabotage::forgets_at_start: return "forgets_at_start";
        case Sabotage::buys_for_moved_pods: return "buys_for_moved_pods";
        case Sabotage::removes_another: return "removes_another";
        case Sabotage::garbles_memory: return "garbles_memory";
    }
    return "none";
}

autoscaler::PassInput Saboteur::falsified(const autoscaler::PassInput& input) {
    autoscaler::PassInput out = input;
    const Time now = input.call_context.now;
    const bool is_new = sabotage_ == Sabotage::forgets_at_start && !input.memory.started;
    if (sabotage_ == Sabotage::forgets_orders || is_new) forget_orders(input, out);
    if (sabotage_ == Sabotage::moves_all_pods)
        out.settings.scale_down.drain_rules_off = rules_that_keep_nodes();
    if (sabotage_ == Sabotage::ignores_minima) ignore_minima(input, out);
    if (sabotage_ == Sabotage::sees_old_pods) {
        if (!seen_ || now - seen_at_ >= half_an_hour) {
            seen_ = input.snapshot.cluster;
            seen_at_ = now;
        }
        out.snapshot.cluster = *seen_;
    }
    return out;
}

void Saboteur::falsify(const autoscaler::PassInput& input, autoscaler::PassResult& result) {
    // Prices and options are known only from the pass, so they are taken from its result.
    auto groups = std::make_shared<Groups>(*input.snapshot.groups);
    for (engine::Group& group : *groups) {
        const auto found = std::ranges::find(*result.groups, group.group.id,
                                             [](const auto& other) { return other.group.id; });
        if (found == result.groups->end()) continue;
        group.options = found->options;
        group.price_per_hour = found->price_per_hour;
    }
    result.groups = groups;
    engine::Decision& decision = result.outcome.decision;
    const Time now = input.call_context.now;
    if (sabotage_ == Sabotage::never_removes) remove_nothing(decision);
    if (sabotage_ == Sabotage::dearest_first) grow_dearest(input, *groups, decision);
    if (sabotage_ == Sabotage::buys_twenty_more)
        for (engine::Increase& increase : decision.increases) increase.by += 20;
    if (sabotage_ == Sabotage::ignores_budgets)
        evict_all_with_budgets(input.snapshot.cluster, decision);
    if (sabotage_ == Sabotage::never_unmarks)
        std::erase_if(decision.node_changes,
                      [](const engine::NodeChange& change) { return !change.drop_taints.empty(); });
    if (sabotage_ == Sabotage::never_grows) {
        decision.increases.clear();
        decision.creations.clear();
    }
    if (sabotage_ == Sabotage::buys_for_moved_pods)
        buy_for_moved(input.memory, *groups, moved_, decision);
    if (sabotage_ == Sabotage::removes_another) swap_machines(*groups, decision);
    if (sabotage_ == Sabotage::makes_for_no_pod) grow_nothing_made(decision);
    if (sabotage_ == Sabotage::garbles_memory)
        result.outcome.memory.backoffs[NodeGroupId("garbled")].because = "\xff";
    if (sabotage_ == Sabotage::buys_for_no_pod && now - bought_at_ >= half_an_hour &&
        buy_one(*groups, decision))
        bought_at_ = now;
    for (engine::Increase& increase : decision.increases) {
        const auto group = std::ranges::find(*groups, increase.group,
                                             [](const auto& other) { return other.group.id; });
        if (group != groups->end())
            increase.from = increase.listed = group->group.target.value_or(0);
    }
}

}  // namespace capstan::simulator
