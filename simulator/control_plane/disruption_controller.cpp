#include "simulator/control_plane/cluster_controllers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <capstan/time_text.hpp>

#include "simulator/api_server/label_query.hpp"
#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
namespace {

struct BudgetNumbers {
    std::int64_t expected = 0;  ///< status.expectedPods
    std::int64_t desired = 0;   ///< status.desiredHealthy
    bool operator==(const BudgetNumbers&) const = default;
};

/// The kind of an owner reference; NULL: the kind is not served.
KindPtr find_kind(const ControlContext& context, const json::object& reference) {
    const auto& kinds = context.store().kinds().all();
    const auto found = std::ranges::find_if(kinds, [&](const KindPtr& kind) {
        return kind->kind == text_at(reference, "kind") &&
               kind->api_version() == text_at(reference, "apiVersion");
    });
    return found == kinds.end() ? nullptr : *found;
}

/// A controller with a scale.
struct Scaled {
    ApiObject object{};
    std::string spec_replicas{};  ///< the path of the number that it wants
};

/// The topmost controller with a scale above an object: the Deployment of a ReplicaSet.
std::optional<Scaled> find_scaled(const ControlContext& context, const json::object& dependent) {
    const json::object* reference = find_controller(dependent);
    if (reference == nullptr) return std::nullopt;
    const KindPtr kind = find_kind(context, *reference);
    if (kind == nullptr) return std::nullopt;
    const std::optional<api_server::ScalePaths>& scale = kind->scale;
    if (!scale) return std::nullopt;
    ApiObject object =
        context.store().find(*kind, namespace_of(dependent), text_at(*reference, "name"));
    if (object == nullptr) return std::nullopt;
    if (auto above = find_scaled(context, *object)) return above;
    return Scaled{std::move(object), scale->spec_replicas};
}

Result<std::int64_t> wanted_by_controllers(const ControlContext& context,
                                           const std::vector<ApiObject>& pods) {
    std::map<std::string, std::int64_t> wanted;
    for (const ApiObject& pod : pods) {
        // A pod without a controller is not expected, since no controller would replace it.
        if (find_controller(*pod) == nullptr) continue;
        const auto scaled = find_scaled(context, *pod);
        if (!scaled)
            return fail(ErrorCode::not_found,
                        "found no controllers for pod \"" + std::string(name_of(*pod)) + "\"");
        wanted[std::string(uid_of(*scaled->object))] =
            number_or(*scaled->object, scaled->spec_replicas, 1);
    }
    std::int64_t sum = 0;
    for (const auto& [uid, replicas] : wanted) sum += replicas;
    return sum;
}

/// The numbers of a budget that selects `pods`. With minAvailable as a number the existing pods are
/// expected; with a percentage or maxUnavailable, as many as their controllers want. `not_found`:
/// the controller of a pod has no scale.
Result<BudgetNumbers> budget_numbers(const ControlContext& context, const json::object& budget,
                                     const std::vector<ApiObject>& pods) {
    if (const auto whole = integer_at(budget, "spec.minAvailable"))
        return BudgetNumbers{static_cast<std::int64_t>(pods.size()), *whole};
    CAPSTAN_TRY(const std::int64_t expected, wanted_by_controllers(context, pods));
    if (const auto least = portion_at(budget, "spec.minAvailable", expected, Rounding::up))
        return BudgetNumbers{expected, *least};
    const auto most = portion_at(budget, "spec.maxUnavailable", expected, Rounding::up);
    return BudgetNumbers{expected, std::max<std::int64_t>(expected - most.value_or(0), 0)};
}

constexpr std::string_view budgets_resource = "poddisruptionbudgets.policy";

/// How long a pod with a granted eviction counts as disrupted without terminating.
constexpr Duration eviction_timeout = std::chrono::minutes(2);

bool is_budget_of(const json::object& budget, const json::object& pod) {
    const json::object* selector = find_object(budget, "spec.selector");
    return selector != nullptr &&
           api_server::has_labels(pod, api_server::label_query_of(*selector));
}

/// Pods with a granted eviction that are not terminating yet.
struct PendingEvictions {
    json::object pods{};                    ///< status.disruptedPods: name to time of the grant
    std::optional<Duration> next_expiry{};  ///< until the first of them times out
};

PendingEvictions pending_evictions(const ControlContext& context, const json::object& budget,
                                   const std::vector<ApiObject>& pods) {
    PendingEvictions out;
    const json::object* before = find_object(budget, "status.disruptedPods");
    if (before == nullptr) return out;
    for (const ApiObject& pod : pods) {
        const auto name = json_view(name_of(*pod));
        const json::value* when = before->if_contains(name);
        if (when == nullptr || !when->is_string() || is_terminating(*pod)) continue;
        const auto granted = find_rfc3339(api_server::view(when->get_string()));
        if (!granted) continue;
        const Duration left = *granted + context.paced(eviction_timeout) - context.now();
        if (left <= Duration::zero()) continue;
        out.pods[name] = *when;
        out.next_expiry = std::min(out.next_expiry.value_or(left), left);
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

/// No pod may be evicted while the number of expected pods is unknown.
void write_failure(json::object& whole, const std::string& why, Time now) {
    make_object(whole, "status")["disruptionsAllowed"] = 0;
    set_condition(whole, {"DisruptionAllowed", "False", "SyncFailed", why},
                  now)["observedGeneration"] = number_or(whole, "metadata.generation", 0);
}

class DisruptionController final : public QueuedController {
public:
    explicit DisruptionController(ControlContext& context) : QueuedController(context) {
        watch(budgets_resource);
        context.feed().listen("pods", [this](const Change& change) {
            follow_pod(*change.object);
            if (change.before != nullptr) follow_pod(*change.before);
        });
        context.feed().listen_to_all([this](const ResourceKind& kind, const Change& change) {
            if (kind.scale) add_all(budgets_resource, namespace_of(*change.object));
        });
    }

private:
    void follow_pod(const json::object& pod) {
        for (const ApiObject& budget :
             context_.store().list(context_.kind(budgets_resource), namespace_of(pod)).items)
            if (is_budget_of(*budget, pod)) queue_.add(object_key(*budget));
    }

    void reconcile(const std::string& key) override {
        const ApiObject budget = context_.find(budgets_resource, key);
        if (budget == nullptr) return;
        std::vector<ApiObject> pods =
            context_.store().list(context_.kind("pods"), namespace_of(*budget)).items;
        std::erase_if(pods, [&](const ApiObject& pod) { return !is_budget_of(*budget, *pod); });
        const PendingEvictions granted = pending_evictions(context_, *budget, pods);
        if (granted.next_expiry) queue_.add_after(key, *granted.next_expiry);
        const std::int64_t healthy = std::ranges::count_if(pods, [&](const ApiObject& pod) {
            return is_ready(*pod) && !is_terminating(*pod) &&
                   !granted.pods.contains(json_view(name_of(*pod)));
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
};

}  // namespace

std::unique_ptr<Controller> make_disruption_controller(ControlContext& context) {
    return std::make_unique<DisruptionController>(context);
}

}  // namespace capstan::simulator::control_plane
