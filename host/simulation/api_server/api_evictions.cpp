/// Evictions, and the disruption budgets that stand against them.
#include <algorithm>

#include "simulation/api_server/api_call.hpp"
#include "simulation/api_server/object_checks.hpp"
#include "simulation/api_server/table_cells.hpp"

namespace capstan::simulation {
namespace {

constexpr std::size_t most_disrupted = 2000;

/// Nobody is served by a pod in these states, so no budget counts it.
bool is_beyond_budgets(const json::object& pod) {
    const std::string_view phase = text_at(pod, "status.phase");
    return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
           find_value(pod, "metadata.deletionTimestamp") != nullptr;
}

std::vector<ApiObject> budgets_of(const ObjectStore& store, const json::object& pod) {
    std::vector<ApiObject> out;
    const ResourceKind& kind = store.kind("poddisruptionbudgets.policy");
    for (const ApiObject& budget : store.list(kind, text_at(pod, "metadata.namespace")).items) {
        const json::object* selector = find_object(*budget, "spec.selector");
        if (selector != nullptr && has_labels(pod, label_query_of(*selector)))
            out.push_back(budget);
    }
    return out;
}

/// A pod that serves nobody may go when the others are enough, or when the budget says so.
bool may_go_unready(const json::object& pod, const json::object& budget) {
    if (has_condition(pod, "Ready")) return false;
    if (text_at(budget, "spec.unhealthyPodEvictionPolicy") == "AlwaysAllow") return true;
    const std::int64_t desired = count_at(budget, "status.desiredHealthy");
    return desired > 0 && count_at(budget, "status.currentHealthy") >= desired;
}

Refusal too_many(const std::string& budget, std::string message,
                 std::optional<int> retry_after_s = {}) {
    Refusal out{429,
                "TooManyRequests",
                "Cannot evict pod as it would violate the pod's disruption "
                "budget.",
                {},
                retry_after_s,
                {}};
    out.details["causes"] =
        json::array{json::object{{"reason", "DisruptionBudget"}, {"message", std::move(message)}}};
    if (retry_after_s)
        out.message =
            "The disruption budget " + budget + " is still being processed by the server.";
    return out;
}

Answer<void> check_budget(const json::object& budget) {
    const std::string name(text_at(budget, "metadata.name"));
    if (count_at(budget, "status.observedGeneration") < count_at(budget, "metadata.generation"))
        return fail(too_many(
            name, "The disruption budget " + name + " is still being processed by the server.",
            10));
    const std::int64_t allowed = count_at(budget, "status.disruptionsAllowed");
    if (allowed < 0)
        return fail(
            forbidden("poddisruptionbudgets.policy", name, "pdb disruptions allowed is negative"));
    if (const json::object* disrupted = find_object(budget, "status.disruptedPods");
        disrupted != nullptr && disrupted->size() > most_disrupted)
        return fail(forbidden("poddisruptionbudgets.policy", name,
                              "DisruptedPods map too big - too many evictions not confirmed by "
                              "PDB controller"));
    if (allowed == 0)
        return fail(too_many(name, "The disruption budget " + name + " needs " +
                                       std::to_string(count_at(budget, "status.desiredHealthy")) +
                                       " healthy pods and has " +
                                       std::to_string(count_at(budget, "status.currentHealthy")) +
                                       " currently"));
    return {};
}

Answer<void> spend(ObjectStore& store, const json::object& budget, const json::object& pod,
                   bool is_dry_run) {
    CAPSTAN_CHECK(check_budget(budget));
    const auto change = [&](json::object& fresh) {
        json::object& status = make_object(fresh, "status");
        status["disruptionsAllowed"] = count_at(fresh, "status.disruptionsAllowed") - 1;
        make_object(status, "disruptedPods")[json_view(text_at(pod, "metadata.name"))] =
            timestamp_text(store.now());
    };
    WriteOptions options{.part = ObjectPart::status, .is_dry_run = is_dry_run};
    CAPSTAN_TRY(
        const ApiObject kept,
        store.edit(store.kind("poddisruptionbudgets.policy"), text_at(budget, "metadata.namespace"),
                   text_at(budget, "metadata.name"), change, options));
    return {};
}

Answer<void> ask_budgets(ObjectStore& store, const json::object& pod, bool is_dry_run) {
    if (is_beyond_budgets(pod)) return {};
    const std::vector<ApiObject> budgets = budgets_of(store, pod);
    if (budgets.empty()) return {};
    if (budgets.size() > 1)
        return fail(Refusal{500,
                            "InternalError",
                            "This pod has more than one PodDisruptionBudget, which the eviction "
                            "subresource does not support.",
                            {},
                            {},
                            {}});
    if (may_go_unready(pod, *budgets.front())) return {};
    return spend(store, *budgets.front(), pod, is_dry_run);
}

RemoveOptions removal_in(const json::object& eviction, const ApiRequest& request) {
    RemoveOptions out;
    out.grace_s = integer_at(eviction, "deleteOptions.gracePeriodSeconds");
    out.uid = text_at(eviction, "deleteOptions.preconditions.uid");
    out.resource_version = text_at(eviction, "deleteOptions.preconditions.resourceVersion");
    const json::array* dry_run = find_array(eviction, "deleteOptions.dryRun");
    out.is_dry_run = request.is_dry_run() || (dry_run != nullptr && !dry_run->empty());
    return out;
}

}  // namespace

Answer<Removed> evict(ObjectStore& store, std::string_view space, std::string_view name,
                      const RemoveOptions& options) {
    const ResourceKind& pods = store.kind("pods");
    CAPSTAN_TRY(const ApiObject pod, store.get(pods, space, name));
    CAPSTAN_CHECK(check_preconditions(pods, *pod, options.uid, options.resource_version));
    CAPSTAN_CHECK(ask_budgets(store, *pod, options.is_dry_run));
    return store.remove(pods, space, name, options);
}

Answer<HttpReply> serve_eviction(const ApiCall& call) {
    CAPSTAN_TRY(const json::object eviction, parse_body(call.request));
    return evict(call.store, call.request.space, call.request.name,
                 removal_in(eviction, call.request))
        .map([&](const Removed& removed) {
            return json_reply(201, success(call.kind, *removed.object));
        });
}

}  // namespace capstan::simulation
