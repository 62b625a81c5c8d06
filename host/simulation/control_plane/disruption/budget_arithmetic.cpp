#include "simulation/control_plane/disruption/budget_arithmetic.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "simulation/control_plane/owners.hpp"
#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/portions.hpp"

namespace capstan::simulation {
namespace {

/// The kind that a reference speaks of; NULL: it is not served.
KindPtr find_kind(const ControlContext& context, const json::object& reference) {
    const auto& kinds = context.store().kinds().all();
    const auto found = std::ranges::find_if(kinds, [&](const KindPtr& kind) {
        return kind->kind == text_at(reference, "kind") &&
               kind->api_version() == text_at(reference, "apiVersion");
    });
    return found == kinds.end() ? nullptr : *found;
}

/// The object that decides how many such pods there are: a Deployment above a ReplicaSet.
struct Scaled {
    KindPtr kind{};
    ApiObject object{};
};

std::optional<Scaled> find_scaled(const ControlContext& context, const json::object& dependent) {
    const json::object* reference = find_controller(dependent);
    if (reference == nullptr) return std::nullopt;
    const KindPtr kind = find_kind(context, *reference);
    if (kind == nullptr || !kind->scale) return std::nullopt;
    ApiObject object = context.store().find(*kind, text_at(dependent, "metadata.namespace"),
                                            text_at(*reference, "name"));
    if (object == nullptr) return std::nullopt;
    if (auto above = find_scaled(context, *object)) return above;
    return Scaled{kind, std::move(object)};
}

Result<std::int64_t> wanted_by_controllers(const ControlContext& context,
                                           const std::vector<ApiObject>& pods) {
    std::map<std::string, std::int64_t> wanted;
    for (const ApiObject& pod : pods) {
        // Nobody brings it back, so it counts for nothing.
        if (find_controller(*pod) == nullptr) continue;
        const auto scaled = find_scaled(context, *pod);
        if (!scaled)
            return fail(ErrorCode::not_found, "found no controllers for pod \"" +
                                                  std::string(text_at(*pod, "metadata.name")) +
                                                  "\"");
        wanted[std::string(text_at(*scaled->object, "metadata.uid"))] =
            number_or(*scaled->object, scaled->kind->scale->spec_replicas, 1);
    }
    std::int64_t sum = 0;
    for (const auto& [uid, replicas] : wanted) sum += replicas;
    return sum;
}

}  // namespace

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

}  // namespace capstan::simulation
