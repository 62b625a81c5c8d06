#include "plan_checker.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace capstan::engine::scale_down {
namespace {

/// Numbers of removals in progress.
struct Parallelism {
    int empty = 0, drain = 0;
    int all() const { return empty + drain; }
};

bool is_in_progress(const NodeRemoval& removal) {
    return removal.phase != RemovalPhase::removed && removal.phase != RemovalPhase::undoing;
}

/// A resource with a minimum, and the amount that a node has.
struct Amount {
    std::string name;
    std::int64_t min = 0;
    std::function<std::int64_t(const Resources&)> of;
};

std::vector<Amount> amounts_of(const Settings& settings) {
    const auto resource = [](const std::string& name) {
        return [name](const Resources& all) { return all.amount(name); };
    };
    std::vector<Amount> out{{"cpu", settings.cpu.min, resource("cpu")},
                            {"memory", settings.memory.min, resource("memory")},
                            {"gpu", settings.gpu.min, resource("example.com/gpu")},
                            {"nodes", settings.nodes.min, [](const Resources&) { return 1; }}};
    for (const auto& [type, bound] : settings.gpu_types)
        out.push_back({type, bound.min, resource(type)});
    return out;
}

}  // namespace

const std::string& PlanChecker::group_of(const std::string& node) const {
    const auto at = std::ranges::find(parts_.nodes, node, &snapshot::NodeObject::name);
    return parts_.group_of[static_cast<std::size_t>(at - parts_.nodes.begin())];
}

bool PlanChecker::is_gone(const std::string& node) const {
    const auto at = parts_.removals.find(node);
    return at != parts_.removals.end() && at->second.phase != RemovalPhase::undoing;
}

std::vector<std::string> PlanChecker::moving(const std::string& node) const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < parts_.pods.size(); ++i) {
        if (parts_.pods[i].node_name == node && moves(parts_.kinds[i]))
            out.push_back(parts_.pods[i].name);
    }
    std::ranges::sort(out);
    return out;
}

std::string PlanChecker::find_unmovable(const std::vector<std::string>& nodes) const {
    for (std::size_t i = 0; i < parts_.pods.size(); ++i) {
        const snapshot::PodObject& pod = parts_.pods[i];
        if (stays(parts_.kinds[i]) && std::ranges::count(nodes, pod.node_name) > 0)
            return pod.node_name + " is removed with " + pod.name;
    }
    return {};
}

int PlanChecker::count(const BudgetPart& budget, const std::string& node) const {
    int out = 0;
    for (std::size_t i = 0; i < parts_.pods.size(); ++i) {
        const snapshot::PodObject& pod = parts_.pods[i];
        if (pod.node_name == node && moves(parts_.kinds[i]) && !pod.deleted && selects(budget, pod))
            ++out;
    }
    return out;
}

bool PlanChecker::involves_budgets(const std::vector<std::string>& nodes) const {
    return std::ranges::any_of(parts_.budgets, [&](const BudgetPart& budget) {
        return std::ranges::any_of(
            nodes, [&](const std::string& node) { return count(budget, node) > 0; });
    });
}

int PlanChecker::left_at_first(const BudgetPart& budget) const {
    return budget.is_observed ? allowed(parts_, budget) : 0;
}

std::string PlanChecker::find_overdrawn(const std::vector<std::string>& in_order) const {
    for (const BudgetPart& budget : parts_.budgets) {
        int left = left_at_first(budget);
        for (const std::string& node : in_order) {
            const int needed = count(budget, node);
            if (needed > 0 && left < 1) return node + " exceeds budget " + budget.name;
            left -= needed;
        }
    }
    return {};
}

std::string PlanChecker::find_overdrawn_in_any_order(const std::vector<std::string>& nodes) const {
    for (const BudgetPart& budget : parts_.budgets) {
        int all = 0, most = 0;
        for (const std::string& node : nodes) {
            all += count(budget, node);
            most = std::max(most, count(budget, node));
        }
        if (all > 0 && all - most >= left_at_first(budget)) return budget.name + " is exceeded";
    }
    return {};
}

std::string PlanChecker::find_overdrawn_by(const std::vector<std::string>& evicted) const {
    for (const BudgetPart& budget : parts_.budgets) {
        const auto taken = std::ranges::count_if(parts_.pods, [&](const snapshot::PodObject& pod) {
            return selects(budget, pod) && !pod.deleted && std::ranges::count(evicted, pod.name);
        });
        if (taken > left_at_first(budget)) return "evictions exceed " + budget.name;
    }
    return {};
}

std::string PlanChecker::find_broken_minimum(const std::vector<std::string>& nodes) const {
    const std::set<std::string> removed(nodes.begin(), nodes.end());
    std::map<std::string, int> left, leave;
    std::vector<const Resources*> what_stays;
    for (std::size_t i = 0; i < parts_.nodes.size(); ++i) {
        const snapshot::NodeObject& node = parts_.nodes[i];
        const bool goes = removed.contains(node.name);
        if (goes) ++leave[parts_.group_of[i]];
        if (goes || is_gone(node.name)) continue;
        ++left[parts_.group_of[i]];
        what_stays.push_back(&node.allocatable);
    }
    for (const auto& [group, count] : leave) {
        if (left[group] < parts_.min) return "group " + group + " is below its minimum";
        if (group == "g3" && left[group] > 0) return "group " + group + " is removed partially";
    }
    for (const Amount& amount : amounts_of(parts_.settings)) {
        std::int64_t sum = 0;
        for (const Resources* node : what_stays) sum += amount.of(*node);
        const bool takes = std::ranges::any_of(parts_.nodes, [&](const snapshot::NodeObject& node) {
            return removed.contains(node.name) && amount.of(node.allocatable) > 0;
        });
        if (takes && sum < amount.min) return "the cluster is below its minimum of " + amount.name;
    }
    return {};
}

std::string PlanChecker::find_excess_parallelism(const std::vector<std::string>& chosen) const {
    Parallelism before, begins, singles;
    for (const auto& [node, removal] : parts_.removals)
        if (is_in_progress(removal)) ++(removal.empty ? before.empty : before.drain);
    for (const std::string& node : chosen) {
        const bool is_empty = moving(node).empty();
        ++(is_empty ? begins.empty : begins.drain);
        if (group_of(node) != "g3") ++(is_empty ? singles.empty : singles.drain);
    }
    const int most = parts_.settings.scale_down.max_parallelism;
    const int most_drains = parts_.settings.scale_down.max_drain_parallelism;
    // g3 is the only zero-or-max group.
    const bool may_go_beyond = before.all() < most && singles.drain == 0;
    const bool never_waits = chosen.size() == 1 && begins.drain == 0 && before.empty == 0;
    if (begins.all() > 0 && before.all() + begins.all() > most &&
        !(may_go_beyond && singles.empty == 0) && !never_waits)
        return "more removals at once than " + std::to_string(most);
    if (begins.drain > 0 && before.drain + begins.drain > most_drains &&
        !(may_go_beyond && before.drain < most_drains))
        return "more drains at once than " + std::to_string(most_drains);
    return {};
}

}  // namespace capstan::engine::scale_down
