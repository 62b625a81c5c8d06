#include "engine/scale_up/spare_nodes.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/spread_plan.hpp"

namespace capstan::engine::scale_up {
namespace {

/// The bound of all attempts. Pods of one pod group on a node, or on nodes that are filled alike,
/// are one assignment.
constexpr std::size_t most_assignments = 2'000;
/// A pass with so many assignments that the bound allows fewer attempts than this is left as it is.
constexpr std::size_t least_attempts = 4;

constexpr std::array<ResourceIndex, 3> measured{snapshot::cpu_index, snapshot::memory_index,
                                                snapshot::pods_index};
using Amounts = std::array<double, measured.size()>;

void add_free(const scheduling::Placement& placement, scheduling::Slot from, scheduling::Slot end,
              Amounts& to) {
    for (scheduling::Slot slot = from; slot < end; ++slot)
        for (std::size_t r = 0; r < measured.size(); ++r)
            to[r] += static_cast<double>(placement.free(slot, measured[r])) * placement.nodes(slot);
}

/// The free resources on the new nodes, as a sum, with the part of the existing nodes' free
/// resources that pods of the pass could use. A node can be dropped only if the sum is at least
/// what an empty node has.
class Slack {
public:
    Slack(scheduling::Placement& placement, scheduling::Slot first_new,
          const std::vector<int>& pods)
        : placement_(&placement) {
        const auto end = static_cast<scheduling::Slot>(placement.slot_count());
        add_free(placement, first_new, end, free_);
        // Only pods with inter-pod constraints may find room on existing nodes now.
        Amounts movable{}, elsewhere{};
        const scheduling::CompiledPredicates& predicates = placement.predicates();
        for (PodGroupIndex s = 0; s < pods.size(); ++s)
            if (pods[s] > 0 && predicates.has_inter_pod_constraints(s))
                add_requests(s, pods[s], movable);
        if (movable == Amounts{}) return;
        add_free(placement, 0, first_new, elsewhere);
        for (std::size_t r = 0; r < measured.size(); ++r)
            free_[r] += std::min(movable[r], std::max(elsewhere[r], 0.0));
    }

    bool has_room_for(TemplateNodeId template_node) const {
        const scheduling::Placement::Mark mark = placement_->mark();
        const scheduling::Slot slot = placement_->add(template_node, 1);
        bool out = true;
        for (std::size_t r = 0; r < measured.size(); ++r)
            out = out && static_cast<double>(placement_->free(slot, measured[r])) <= free_[r];
        placement_->undo(mark);
        return out;
    }

private:
    void add_requests(PodGroupIndex pod_group, int pods, Amounts& to) const {
        for (const snapshot::Request& request : placement_->predicates().requests(pod_group)) {
            const auto at = std::ranges::find(measured, request.resource);
            if (at == measured.end()) continue;
            to[static_cast<std::size_t>(at - measured.begin())] +=
                static_cast<double>(request.amount) * pods;
        }
    }

    scheduling::Placement* placement_;
    Amounts free_{};
};

/// The utilization of cpu plus that of memory, 0 to 2.
double filled(const scheduling::Placement& placement, scheduling::Slot slot) {
    const Resources& whole =
        placement.predicates().template_nodes()[placement.template_node_of_new(slot)].allocatable;
    const auto used = [&](ResourceIndex resource, const char* name) {
        const auto amount = static_cast<double>(whole.amount(name));
        return amount > 0 ? 1 - static_cast<double>(placement.free(slot, resource)) / amount : 0;
    };
    return used(snapshot::cpu_index, "cpu") + used(snapshot::memory_index, "memory");
}

int unevenness(const scheduling::SpreadDomains& spread, const std::vector<bool>& exists) {
    std::optional<int> least, most;
    for (std::size_t d = 0; d < spread.domains.size(); ++d) {
        if (!exists[d] && !spread.domains[d].exists) continue;
        const int count = spread.domains[d].count;
        least = std::min(least.value_or(count), count);
        most = std::max(most.value_or(count), count);
    }
    return most.value_or(0) - least.value_or(0);
}

}  // namespace

SpareNodes::SpareNodes(InitialPlacement& initial, scheduling::Placement::Mark start,
                       const std::set<PodGroupIndex>& planned)
    : initial_(&initial),
      start_(start),
      planned_(&planned),
      orders_(*initial.context->predicates),
      assignments_left_(most_assignments) {}

bool SpareNodes::drop_spare_nodes() {
    bool any = false;
    while (drop_one()) any = true;
    if (any) update_pods();
    return any;
}

bool SpareNodes::drop_one() {
    scheduling::Placement& placement = initial_->placement;
    if ((placement.mark() - start_) * least_attempts > most_assignments) return false;
    prepare();
    const NewNodes opened = find_new_nodes();
    NewNodes by_group;
    for (const GroupNodes& run : opened) {
        const auto at = std::ranges::find(by_group, run.template_node, &GroupNodes::template_node);
        if (at == by_group.end()) {
            by_group.push_back(run);
        } else {
            at->nodes += run.nodes;
            at->filled = std::min(at->filled, run.filled);
        }
    }
    const Slack slack(placement, initial_->first_new, pods_);
    std::set<TemplateNodeId> candidates;
    for (const GroupNodes& run : by_group) {
        if (!initial_->context->headrooms[run.template_node].atomic &&
            slack.has_room_for(run.template_node))
            candidates.insert(run.template_node);
    }
    if (candidates.empty()) return false;
    // Pods that find no room with the nodes in group order may find room in the original order.
    return try_each(by_group, candidates) ||
           (opened.size() > by_group.size() && try_each(opened, candidates));
}

void SpareNodes::prepare() {
    const Progress& progress = initial_->progress;
    const auto& pod_groups = initial_->context->pending.pod_groups;
    pods_.assign(progress.left.size(), 0);
    for (PodGroupIndex s = 0; s < pod_groups.size(); ++s) {
        pods_[s] = static_cast<int>(pod_groups[s].count) - progress.fit[s] - progress.left[s];
        CAPSTAN_ASSERT(pods_[s] >= 0, "fewer than no pods are on new nodes");
    }
    evenness_.clear();
    for (const PodGroupIndex pod_group : *planned_) {
        if (pods_[pod_group] == 0) continue;
        const scheduling::SpreadDomains spread = planned_domains(initial_->placement, pod_group);
        Evenness evenness{.pod_group = pod_group};
        for (const auto& domain : spread.domains) evenness.exists.push_back(domain.exists);
        evenness.unevenness = unevenness(spread, evenness.exists);
        evenness_.push_back(std::move(evenness));
    }
}

SpareNodes::NewNodes SpareNodes::find_new_nodes() const {
    const scheduling::Placement& placement = initial_->placement;
    NewNodes out;
    for (scheduling::Slot slot = initial_->first_new; slot < placement.slot_count(); ++slot) {
        out.push_back({.template_node = placement.template_node_of_new(slot),
                       .nodes = placement.nodes(slot),
                       .filled = filled(placement, slot)});
    }
    return out;
}

bool SpareNodes::try_each(const NewNodes& new_nodes, const std::set<TemplateNodeId>& candidates) {
    std::vector<std::size_t> runs(new_nodes.size());
    std::iota(runs.begin(), runs.end(), 0);
    std::erase_if(
        runs, [&](std::size_t run) { return !candidates.contains(new_nodes[run].template_node); });
    std::ranges::stable_sort(runs, {}, [&](std::size_t run) { return new_nodes[run].filled; });
    return std::ranges::any_of(runs, [&](std::size_t run) {
        return assignments_left_ > 0 && try_without(new_nodes, run);
    });
}

bool SpareNodes::try_without(NewNodes new_nodes, std::size_t dropped) {
    const TemplateNodeId like = new_nodes[dropped].template_node;
    --new_nodes[dropped].nodes;
    do {
        std::erase_if(new_nodes, [](const GroupNodes& run) { return run.nodes == 0; });
        if (!is_balanced(new_nodes) || !place_all(new_nodes, like)) return false;
    } while (drop_empty_nodes(trial(), new_nodes));
    if (!are_planned_even(trial())) return false;
    std::swap(initial_->placement, trial());
    apply(new_nodes);
    return true;
}

/// The placement in which each attempt is made, after it has been undone to the start.
scheduling::Placement& SpareNodes::trial() {
    return trial_ ? *trial_ : trial_.emplace(initial_->placement);
}

bool SpareNodes::place_all(const NewNodes& new_nodes, TemplateNodeId like) {
    scheduling::Placement& placement = trial();
    placement.undo(start_);
    for (const GroupNodes& run : new_nodes) placement.add(run.template_node, run.nodes);
    const bool out = place_pods(placement, like);
    assignments_left_ -= std::min(assignments_left_, placement.mark() - start_);
    return out;
}

bool SpareNodes::place_pods(scheduling::Placement& placement, TemplateNodeId like) {
    std::vector<int> left = pods_;
    Packing packing(placement, &initial_->passed_over);
    const SizeOrder order = orders_.of(like);
    for (bool any = true; any;) {
        any = false;
        for (const PodGroupIndex pod_group : *order) {
            if (left[pod_group] == 0) continue;
            const bool looks = placement.predicates().has_inter_pod_constraints(pod_group);
            const auto end = static_cast<scheduling::Slot>(placement.slot_count());
            const scheduling::Slot from = looks ? 0 : initial_->first_new;
            const int placed = packing.fill(pod_group, from, end, left[pod_group]);
            left[pod_group] -= placed;
            any = any || placed > 0;
            if (left[pod_group] > 0 && !looks) return false;
        }
    }
    return std::ranges::all_of(left, [](int pods) { return pods == 0; });
}

/// Takes nodes without pods off `new_nodes`. Whether there were any.
bool SpareNodes::drop_empty_nodes(const scheduling::Placement& placement,
                                  NewNodes& new_nodes) const {
    bool any = false;
    for (scheduling::Slot slot = initial_->first_new; slot < placement.slot_count(); ++slot) {
        const TemplateNodeId template_node = placement.template_node_of_new(slot);
        if (!placement.assignments(slot).empty() ||
            initial_->context->headrooms[template_node].atomic)
            continue;
        any = true;
        for (int left = placement.nodes(slot); left > 0;) {
            const auto run = std::ranges::find_if(new_nodes, [&](const GroupNodes& r) {
                return r.template_node == template_node && r.nodes > 0;
            });
            CAPSTAN_ASSERT(run != new_nodes.end(), "an empty node is none of the new nodes");
            const int some = std::min(left, run->nodes);
            run->nodes -= some;
            left -= some;
        }
    }
    return any;
}

bool SpareNodes::is_balanced(const NewNodes& new_nodes) const {
    const Progress& progress = initial_->progress;
    std::map<GroupIndex, int> nodes;
    for (const GroupNodes& run : new_nodes) nodes[run.template_node] += run.nodes;
    const auto size = [&](GroupIndex group) {
        return initial_->context->target(group) + nodes[group];
    };
    const auto is_too_small = [&](const GroupIncrease& growth, const AcceptedOption& accepted) {
        if (nodes[growth.group] == progress.quotas.grown(growth.group)) return false;
        return std::ranges::any_of(accepted.increases, [&](const GroupIncrease& other) {
            return size(growth.group) < size(other.group) - 1;
        });
    };
    return std::ranges::none_of(progress.accepted_options, [&](const AcceptedOption& accepted) {
        return std::ranges::any_of(accepted.increases, [&](const GroupIncrease& growth) {
            return is_too_small(growth, accepted);
        });
    });
}

bool SpareNodes::are_planned_even(const scheduling::Placement& placement) const {
    return std::ranges::all_of(evenness_, [&](const Evenness& evenness) {
        const scheduling::SpreadDomains spread = planned_domains(placement, evenness.pod_group);
        return unevenness(spread, evenness.exists) <= std::max(evenness.unevenness, 1);
    });
}

/// Takes the dropped nodes off the accepted options, the latest option first.
void SpareNodes::apply(const NewNodes& new_nodes) {
    Progress& progress = initial_->progress;
    std::map<GroupIndex, int> dropped;
    for (const AcceptedOption& accepted : progress.accepted_options)
        for (const GroupIncrease& growth : accepted.increases)
            dropped[growth.group] += growth.nodes;
    for (const GroupNodes& run : new_nodes) dropped[run.template_node] -= run.nodes;
    for (auto& [group, nodes] : dropped) {
        if (nodes == 0) continue;
        progress.quotas.give_up(group, nodes);
        progress.notes.push_back("group " + initial_->context->id(group).value() + ": " +
                                 counted(nodes, "node") +
                                 " fewer than chosen: its pods fit on other new nodes of this "
                                 "pass");
        for (std::size_t g = progress.accepted_options.size(); g-- > 0 && nodes > 0;) {
            AcceptedOption& accepted = progress.accepted_options[g];
            const auto growth = std::ranges::find(accepted.increases, group, &GroupIncrease::group);
            if (growth == accepted.increases.end()) continue;
            const int some = std::min(nodes, growth->nodes);
            nodes -= some;
            growth->nodes -= some;
            accepted.chosen.granted -= some;
            if (growth->nodes > 0) continue;
            accepted.increases.erase(growth);
            std::erase(accepted.chosen.similar, initial_->context->id(group));
        }
        CAPSTAN_ASSERT(nodes == 0, "nodes are dropped that no option has");
    }
    std::erase_if(progress.accepted_options,
                  [](const AcceptedOption& accepted) { return accepted.increases.empty(); });
}

/// Gives each accepted option the pods that are on its nodes now.
void SpareNodes::update_pods() {
    const scheduling::Placement& placement = initial_->placement;
    std::vector<AcceptedOption>& accepted_options = initial_->progress.accepted_options;
    struct Part {
        std::size_t accepted = 0;
        int nodes = 0;
    };
    std::map<GroupIndex, std::vector<Part>>
        parts;  // in reverse: the nodes of the last part are filled first
    for (std::size_t g = accepted_options.size(); g-- > 0;)
        for (const GroupIncrease& growth : accepted_options[g].increases)
            parts[growth.group].push_back({g, growth.nodes});
    std::vector<std::map<PodGroupIndex, int>> pods(accepted_options.size());
    for (scheduling::Slot slot = initial_->first_new; slot < placement.slot_count(); ++slot) {
        std::vector<Part>& of_group = parts[placement.template_node_of_new(slot)];
        for (int left = placement.nodes(slot); left > 0;) {
            CAPSTAN_ASSERT(!of_group.empty(), "no option has a new node");
            Part& part = of_group.back();
            const int nodes = std::min(left, part.nodes);
            for (const scheduling::Assignment& assignment : placement.assignments(slot))
                pods[part.accepted][assignment.pod_group] += assignment.per_node * nodes;
            left -= nodes;
            part.nodes -= nodes;
            if (part.nodes == 0) of_group.pop_back();
        }
    }
    for (std::size_t g = 0; g < accepted_options.size(); ++g) {
        accepted_options[g].chosen.pods.clear();
        for (const auto& [pod_group, count] : pods[g]) {
            PodCount some = initial_->context->pending.pod_groups[pod_group];
            some.count = static_cast<std::uint32_t>(count);
            accepted_options[g].chosen.pods.push_back(std::move(some));
        }
    }
}

}  // namespace capstan::engine::scale_up
