#include "simulation/budgets.hpp"

#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::simulation {
namespace {

bool selects_pods(const Budget& budget, std::string_view ns, const Labels& labels) {
    return budget.ns == ns && matches(budget.selector, labels);
}

/// What a budget is about, summed up.
struct Count {
    int wanted = 0, healthy = 0;
};

Count count(const Budget& budget, const std::vector<Crowd>& crowds) {
    Count out;
    for (const Crowd& crowd : crowds) {
        if (!selects_pods(budget, crowd.ns, *crowd.labels)) continue;
        out.wanted += crowd.wanted;
        out.healthy += crowd.healthy;
    }
    return out;
}

/// More than that many pods have to be healthy for one to go; negative where there are too few.
int spare(const Budget& budget, const Count& pods) {
    const int least = budget.min_available
                          ? budget.min_available->of(pods.wanted)
                          : pods.wanted - budget.max_unavailable.value().of(pods.wanted);
    return pods.healthy - std::max(0, least);
}

}  // namespace

void Budgets::set(Budget budget) {
    std::string key = budget.ns + "/" + budget.name;
    budgets_.insert_or_assign(std::move(key), Entry{.rule = std::move(budget)});
}

void Budgets::adopt(const engine::DisruptionBudgetObject& object,
                    const std::vector<Crowd>& crowds) {
    if (!object.selector) return;
    Budget rule{.ns = object.ns, .name = object.name, .selector = *object.selector};
    rule.min_available = std::max(0, count(rule, crowds).healthy - object.disruptions_allowed);
    set(std::move(rule));
}

std::vector<engine::DisruptionBudgetObject> Budgets::refresh(const std::vector<Crowd>& crowds) {
    std::vector<engine::DisruptionBudgetObject> out;
    for (auto& [key, entry] : budgets_) {
        const int allowed = std::max(0, spare(entry.rule, count(entry.rule, crowds)));
        if (std::exchange(entry.told, allowed) == allowed) continue;
        out.push_back({.ns = entry.rule.ns,
                       .name = entry.rule.name,
                       .selector = entry.rule.selector,
                       .disruptions_allowed = allowed});
    }
    return out;
}

std::optional<std::string> Budgets::find_refusal(std::string_view ns, const Labels& labels,
                                                 bool is_healthy,
                                                 const std::vector<Crowd>& crowds) const {
    for (const auto& [key, entry] : budgets_) {
        if (!selects_pods(entry.rule, ns, labels)) continue;
        const int left = spare(entry.rule, count(entry.rule, crowds));
        if (left < (is_healthy ? 1 : 0)) {
            return "budget " + key + " allows " + counted(std::max(0, left), "disruption") + " now";
        }
    }
    return std::nullopt;
}

}  // namespace capstan::simulation
