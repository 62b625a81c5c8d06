#include "engine/pods/disruption_budgets.hpp"

#include <algorithm>
#include <unordered_map>

#include <capstan/sentence.hpp>

#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::pods {
namespace {

using DisruptionBudget = snapshot::DisruptionBudgetObject;

/// Finds the budgets that may match a pod. Each budget is listed under one thing that all its pods
/// have in common: a label of its selector, or only its namespace if it names no label.
class BudgetIndex {
public:
    void add(const DisruptionBudget& budget, std::uint32_t number) {
        if (!budget.selector) return;
        const Labels& labels = budget.selector->match_labels;
        const auto first = labels.begin();
        const std::uint64_t hash = first == labels.end()
                                       ? snapshot::hash_of(budget.ns, {}, {})
                                       : snapshot::hash_of(budget.ns, first->first, first->second);
        by_label_[hash].push_back(number);
    }
    /// All budgets that match, and a few that do not; ascending.
    std::vector<std::uint32_t> find(const snapshot::Cluster& cluster,
                                    const snapshot::PodGroupRow& row) const {
        std::vector<std::uint32_t> out;
        const std::string_view ns = cluster.text(row.ns);
        append(snapshot::hash_of(ns, {}, {}), out);
        for (const snapshot::LabelPair& label : row.labels) {
            append(snapshot::hash_of(ns, cluster.text(label.key), cluster.text(label.value)), out);
        }
        std::ranges::sort(out);
        return out;
    }

private:
    void append(std::uint64_t hash, std::vector<std::uint32_t>& out) const {
        const auto at = by_label_.find(hash);
        if (at != by_label_.end()) out.insert(out.end(), at->second.begin(), at->second.end());
    }
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_label_;
};

bool is_matched_by(const DisruptionBudget& budget, const snapshot::Cluster& cluster,
                   const snapshot::PodGroupRow& row) {
    return budget.selector && budget.ns == cluster.text(row.ns) &&
           matches(*budget.selector, snapshot::to_labels(cluster, row.labels));
}

/// By PodGroupId, whether the equivalence group has pods. Many equivalence groups may have none
/// any more.
std::vector<bool> pod_groups_with_pods(const snapshot::Cluster& cluster) {
    std::vector<bool> out(cluster.pod_group_count());
    for (PodIndex pod = 0; pod < cluster.pod_count(); ++pod)
        out[cluster.equivalence_group_of(pod)] = true;
    return out;
}

}  // namespace

/// Which budgets match which pods. All copies share it.
struct DisruptionBudgets::Match {
    std::vector<const DisruptionBudget*> budgets;  // by name
    // In `numbers`, equivalence group i has [bounds[i], bounds[i + 1]).
    std::vector<std::uint32_t> bounds;
    std::vector<std::uint32_t> numbers;  // indices into `budgets`
};

DisruptionBudgets::DisruptionBudgets(const snapshot::Cluster& cluster) : cluster_(&cluster) {
    auto match = std::make_shared<Match>();
    BudgetIndex index;
    for (const auto& [name, budget] : cluster.objects().budgets) {
        index.add(budget, static_cast<std::uint32_t>(match->budgets.size()));
        match->budgets.push_back(&budget);
        left_.push_back(budget.is_observed ? std::max(budget.disruptions_allowed, 0) : 0);
    }
    if (!left_.empty()) {
        const std::vector<bool> is_used = pod_groups_with_pods(cluster);
        for (PodGroupId id = 0; id < cluster.pod_group_count(); ++id) {
            match->bounds.push_back(static_cast<std::uint32_t>(match->numbers.size()));
            if (!is_used[id]) continue;
            const snapshot::PodGroupRow& row = cluster.equivalence_group(id);
            for (const std::uint32_t number : index.find(cluster, row)) {
                if (is_matched_by(*match->budgets[number], cluster, row))
                    match->numbers.push_back(number);
            }
        }
        match->bounds.push_back(static_cast<std::uint32_t>(match->numbers.size()));
    }
    match_ = std::move(match);
}

std::span<const std::uint32_t> DisruptionBudgets::budgets_of(
    PodGroupId equivalence_group) const noexcept {
    const std::vector<std::uint32_t>& bounds = match_->bounds;
    if (equivalence_group + 1 >= bounds.size()) return {};
    return std::span(match_->numbers)
        .subspan(bounds[equivalence_group],
                 bounds[equivalence_group + 1] - bounds[equivalence_group]);
}

std::vector<std::string> DisruptionBudgets::names_of(PodGroupId equivalence_group) const {
    std::vector<std::string> out;
    for (const std::uint32_t number : budgets_of(equivalence_group))
        out.push_back(match_->budgets[number]->ns + "/" + match_->budgets[number]->name);
    return out;
}

std::span<const std::uint32_t> DisruptionBudgets::taken_by(PodIndex pod) const noexcept {
    const auto budgets = budgets_of(cluster_->equivalence_group_of(pod));
    return budgets.empty() || cluster_->is_deleted(pod) ? std::span<const std::uint32_t>()
                                                        : budgets;
}

std::string DisruptionBudgets::why_none_left_of(std::uint32_t number) const {
    const DisruptionBudget& budget = *match_->budgets[number];
    const std::string name = "budget " + budget.ns + "/" + budget.name;
    if (!budget.is_observed) return name + " has no status for its current selector";
    if (budget.disruptions_allowed < 1)
        return name + " allows 0 disruptions" +
               (budget.never_allows.empty() ? "" : ", ever (" + budget.never_allows + ")");
    return name + " allows " + counted(budget.disruptions_allowed, "disruption") +
           ", used by other pods";
}

std::optional<BudgetShortage> DisruptionBudgets::find_shortage(
    std::span<const PodIndex> pods) const {
    for (const PodIndex pod : pods) {
        for (const std::uint32_t number : taken_by(pod)) {
            if (left_[number] < 1) return BudgetShortage{pod, why_none_left_of(number)};
        }
    }
    return std::nullopt;
}

bool DisruptionBudgets::allow_at_once(std::span<const PodIndex> pods) const {
    if (left_.empty()) return true;
    DisruptionBudgets after = *this;
    after.take(pods);
    // Only the budgets of these pods matter: others may be overdrawn by other pods.
    return std::ranges::all_of(pods, [&](PodIndex pod) {
        return std::ranges::all_of(after.taken_by(pod),
                                   [&](std::uint32_t number) { return after.left_[number] >= 0; });
    });
}

void DisruptionBudgets::take(std::span<const PodIndex> pods) {
    for (const PodIndex pod : pods) {
        for (const std::uint32_t number : taken_by(pod)) --left_[number];
    }
}

bool DisruptionBudgets::cover(PodGroupId equivalence_group) const noexcept {
    return !budgets_of(equivalence_group).empty();
}

std::string DisruptionBudgets::why_none_left(PodGroupId equivalence_group) const {
    for (const std::uint32_t number : budgets_of(equivalence_group)) {
        if (left_[number] < 1) return why_none_left_of(number);
    }
    return {};
}

}  // namespace capstan::engine::pods
