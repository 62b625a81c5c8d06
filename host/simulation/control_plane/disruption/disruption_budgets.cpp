#include "simulation/control_plane/disruption/disruption_budgets.hpp"

#include <algorithm>
#include <vector>

#include "simulation/api_server/label_query.hpp"
#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/disruption/budget_arithmetic.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view budgets_resource = "poddisruptionbudgets.policy";
/// How long an eviction may take until its pod is on its way out.
constexpr Duration longest_eviction = std::chrono::minutes(2);

bool is_budget_of(const json::object& budget, const json::object& pod) {
    const json::object* selector = find_object(budget, "spec.selector");
    return selector != nullptr && has_labels(pod, label_query_of(*selector));
}

/// Pods whose eviction was granted and is not seen yet, with when it was; and when to look again.
struct Granted {
    json::object pods{};
    std::optional<Duration> again{};
};

Granted still_granted(const ControlContext& context, const json::object& budget,
                      const std::vector<ApiObject>& pods) {
    Granted out;
    const json::object* before = find_object(budget, "status.disruptedPods");
    if (before == nullptr) return out;
    for (const ApiObject& pod : pods) {
        const auto name = json_view(text_at(*pod, "metadata.name"));
        const json::value* when = before->if_contains(name);
        if (when == nullptr || !when->is_string() || is_leaving(*pod)) continue;
        const auto granted = parse_timestamp_text(view(when->get_string()));
        if (!granted) continue;
        const Duration left = *granted + context.paced(longest_eviction) - context.now();
        if (left <= Duration::zero()) continue;
        out.pods[name] = *when;
        out.again = std::min(out.again.value_or(left), left);
    }
    return out;
}

void write_allowed(json::object& whole, const BudgetNumbers& numbers, std::int64_t healthy,
                   Time now) {
    const std::int64_t allowed =
        numbers.expected > 0 ? std::max<std::int64_t>(healthy - numbers.desired, 0) : 0;
    json::object& status = make_object(whole, "status");
    status["currentHealthy"] = healthy;
    status["desiredHealthy"] = numbers.desired;
    status["expectedPods"] = numbers.expected;
    status["disruptionsAllowed"] = allowed;
    Condition condition{"DisruptionAllowed", "True", "SufficientPods", ""};
    if (allowed == 0) condition = {"DisruptionAllowed", "False", "InsufficientPods", ""};
    set_condition(whole, condition, now)["observedGeneration"] =
        number_or(whole, "metadata.generation", 0);
}

/// Nobody may go while nobody knows how many there should be.
void write_failure(json::object& whole, const std::string& why, Time now) {
    make_object(whole, "status")["disruptionsAllowed"] = 0;
    set_condition(whole, {"DisruptionAllowed", "False", "SyncFailed", why},
                  now)["observedGeneration"] = number_or(whole, "metadata.generation", 0);
}

}  // namespace

DisruptionBudgets::DisruptionBudgets(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen(budgets_resource,
                          [this](const Change& change) { queue_.add(object_key(*change.object)); });
    context.feed().listen("pods", [this](const Change& change) {
        follow_pod(*change.object);
        if (change.before != nullptr) follow_pod(*change.before);
    });
    context.feed().listen_to_all([this](const ResourceKind& kind, const Change& change) {
        if (kind.scale) add_all_in(text_at(*change.object, "metadata.namespace"));
    });
}

void DisruptionBudgets::follow_pod(const json::object& pod) {
    for (const ApiObject& budget :
         context_.store()
             .list(context_.kind(budgets_resource), text_at(pod, "metadata.namespace"))
             .items)
        if (is_budget_of(*budget, pod)) queue_.add(object_key(*budget));
}

void DisruptionBudgets::add_all_in(std::string_view space) {
    for (const ApiObject& budget :
         context_.store().list(context_.kind(budgets_resource), space).items)
        queue_.add(object_key(*budget));
}

void DisruptionBudgets::reconcile(const std::string& key) {
    const ApiObject budget = context_.find(budgets_resource, key);
    if (budget == nullptr) return;
    std::vector<ApiObject> pods =
        context_.store().list(context_.kind("pods"), text_at(*budget, "metadata.namespace")).items;
    std::erase_if(pods, [&](const ApiObject& pod) { return !is_budget_of(*budget, *pod); });
    const Granted granted = still_granted(context_, *budget, pods);
    if (granted.again) queue_.add_after(key, *granted.again);
    const std::int64_t healthy = std::ranges::count_if(pods, [&](const ApiObject& pod) {
        return is_ready(*pod) && !is_leaving(*pod) &&
               !granted.pods.contains(json_view(text_at(*pod, "metadata.name")));
    });
    const auto numbers = budget_numbers(context_, *budget, pods);
    context_.edit(
        budgets_resource, *budget,
        [&](json::object& whole) {
            json::object& status = make_object(whole, "status");
            status["observedGeneration"] = number_or(whole, "metadata.generation", 0);
            status.erase("disruptedPods");
            if (!granted.pods.empty()) status["disruptedPods"] = granted.pods;
            if (numbers) {
                write_allowed(whole, *numbers, healthy, context_.now());
            } else {
                write_failure(whole, numbers.error().message, context_.now());
            }
        },
        ObjectPart::status);
}

}  // namespace capstan::simulation
