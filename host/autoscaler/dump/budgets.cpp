#include "autoscaler/dump/budgets.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::autoscaler::dump {
namespace {

bool selects_pods(const Budget& budget, std::string_view ns, const Labels& labels) {
    return budget.ns == ns && matches(budget.selector, labels);
}

/// The status of a budget, as in its API object.
struct BudgetStatus {
    int healthy = 0, desired = 0;
    int allowed = 0;  ///< disruptionsAllowed
};

/// What the controllers of the selected pods want in all; absent: one of them has no scale.
std::optional<int> wanted_by_controllers(const std::vector<const PodSet*>& selected) {
    std::map<std::string_view, int> wanted;
    for (const PodSet* pod_set : selected) {
        if (pod_set->controller.empty()) continue;
        if (!pod_set->wanted) return std::nullopt;
        wanted[pod_set->controller] = *pod_set->wanted;
    }
    int sum = 0;
    for (const auto& [controller, pods] : wanted) sum += pods;
    return sum;
}

BudgetStatus status_of(const Budget& budget, const std::vector<PodSet>& pod_sets) {
    BudgetStatus out;
    std::vector<const PodSet*> selected;
    int present = 0;
    for (const PodSet& pod_set : pod_sets) {
        if (!selects_pods(budget, pod_set.ns, *pod_set.labels)) continue;
        selected.push_back(&pod_set);
        out.healthy += pod_set.healthy;
        present += pod_set.present;
    }
    const std::optional<PodShare>& least = budget.min_available;
    if (!least && !budget.max_unavailable) return out;
    const bool is_whole = least && !least->is_percent;
    const std::optional<int> expected = is_whole ? present : wanted_by_controllers(selected);
    if (!expected) return out;
    out.desired = least ? least->of(*expected) : *expected - budget.max_unavailable->of(*expected);
    out.desired = std::max(0, out.desired);
    if (*expected > 0) out.allowed = std::max(0, out.healthy - out.desired);
    return out;
}

/// See engine::snapshot::DisruptionBudgetObject::never_allows.
std::string why_never(const Budget& budget) {
    const std::optional<PodShare>& most = budget.max_unavailable;
    if (most && most->amount == 0)
        return std::string("maxUnavailable 0") + (most->is_percent ? "%" : "");
    const std::optional<PodShare>& least = budget.min_available;
    return least && least->is_percent && least->amount >= 100 ? "minAvailable 100%" : "";
}

}  // namespace

void Budgets::set(Budget budget) {
    std::string key = budget.ns + "/" + budget.name;
    budgets_.insert_or_assign(std::move(key), Entry{.rule = std::move(budget)});
}

std::vector<engine::snapshot::DisruptionBudgetObject> Budgets::refresh(
    const std::vector<PodSet>& pod_sets) {
    std::vector<engine::snapshot::DisruptionBudgetObject> out;
    for (auto& [key, entry] : budgets_) {
        const int allowed = status_of(entry.rule, pod_sets).allowed;
        if (std::exchange(entry.last_allowed, allowed) == allowed) continue;
        out.push_back({.ns = entry.rule.ns,
                       .name = entry.rule.name,
                       .selector = entry.rule.selector,
                       .disruptions_allowed = allowed,
                       .never_allows = why_never(entry.rule)});
    }
    return out;
}

std::optional<std::string> Budgets::find_refusal(std::string_view ns, const Labels& labels,
                                                 bool is_healthy,
                                                 const std::vector<PodSet>& pod_sets) const {
    for (const auto& [key, entry] : budgets_) {
        if (!selects_pods(entry.rule, ns, labels)) continue;
        if (!is_healthy && entry.rule.lets_unready_go) continue;
        const BudgetStatus now = status_of(entry.rule, pod_sets);
        // The API server evicts a pod that is not ready while at least as many others are healthy
        // as desired.
        if (!is_healthy && now.desired > 0 && now.healthy >= now.desired) continue;
        if (now.allowed < 1)
            return "PodDisruptionBudget " + key + " allows " + counted(now.allowed, "disruption");
    }
    return std::nullopt;
}

}  // namespace capstan::autoscaler::dump
