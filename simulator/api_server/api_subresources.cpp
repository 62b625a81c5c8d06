#include <algorithm>
#include <chrono>

#include <boost/json/parse.hpp>

#include <capstan/assert.hpp>
#include <capstan/time_text.hpp>

#include "simulator/api_server/api_call.hpp"
#include "simulator/api_server/object_checks.hpp"
#include "simulator/api_server/table_columns.hpp"

namespace capstan::simulator::api_server {

// Subresources of pods: binding and log.

namespace {

void set_scheduled(json::object& pod, Time now) {
    json::value& list = make_object(pod, "status")["conditions"];
    if (!list.is_array()) list.emplace_array();
    json::array kept;
    for (const json::value& item : list.get_array())
        if (!item.is_object() || text_at(item.get_object(), "type") != "PodScheduled")
            kept.push_back(item);
    kept.push_back(json::object{{"type", "PodScheduled"},
                                {"status", "True"},
                                {"lastProbeTime", nullptr},
                                {"lastTransitionTime", format_rfc3339(now, 0)}});
    list = std::move(kept);
}

void merge_metadata(json::object& pod, const json::object& binding, std::string_view key) {
    const json::object* given = find_object(binding, std::string("metadata.") + std::string(key));
    if (given == nullptr) return;
    json::object& into = make_object(make_object(pod, "metadata"), key);
    for (const auto& [name, value] : *given) into[name] = value;
}

}  // namespace

Answer<HttpReply> serve_binding(const ApiCall& call) {
    CAPSTAN_TRY(const json::object binding, parse_body(call.request));
    const std::string name =
        call.request.name.empty() ? std::string(name_of(binding)) : call.request.name;
    const std::string node(text_at(binding, "target.name"));
    if (node.empty()) return fail(invalid("bindings", name, "target.name: Required value"));
    CAPSTAN_TRY(const ApiObject pod, call.store.get(call.kind, call.request.space, name));
    if (find_value(*pod, "metadata.deletionTimestamp") != nullptr)
        return fail(conflict("pods/binding", name,
                             "pod " + name + " is being deleted, cannot be assigned to a host"));
    if (const std::string_view bound = text_at(*pod, "spec.nodeName"); !bound.empty())
        return fail(conflict(
            "pods/binding", name,
            "pod " + name + " is already assigned to node \"" + std::string(bound) + "\""));
    const auto bind = [&](json::object& fresh) {
        set_value(fresh, "spec.nodeName", json_view(node));
        merge_metadata(fresh, binding, "labels");
        merge_metadata(fresh, binding, "annotations");
        set_scheduled(fresh, call.store.now());
    };
    WriteOptions options = write_options(call.request);
    options.part = ObjectPart::everything;
    CAPSTAN_TRY(const ApiObject kept,
                call.store.edit(call.kind, call.request.space, name, bind, options));
    return json_reply(201, success(call.kind, *kept));
}

Answer<HttpReply> serve_log(const ApiCall& call) {
    CAPSTAN_TRY(const ApiObject pod,
                call.store.get(call.kind, call.request.space, call.request.name));
    return text_reply(200, "pod " + call.request.name + " on node " +
                               std::string(text_at(*pod, "spec.nodeName")) +
                               " is simulated: it runs no process and writes no log\n");
}

// The scale subresource.

namespace {

const ScalePaths& scale_of(const ResourceKind& kind) {
    CAPSTAN_ASSERT(kind.scale, "a kind without a scale serves the scale subresource");
    return *kind.scale;
}

std::string scale_selector(const ResourceKind& kind, const json::object& object) {
    const std::string& path = scale_of(kind).selector;
    if (!path.empty()) return std::string(text_at(object, path));
    if (kind.is_custom) return {};
    const json::object* selector = find_object(object, "spec.selector");
    if (selector == nullptr) return {};
    // The selector of a ReplicationController is a map of labels.
    return kind.group.empty() ? labels_text(selector) : label_query_text(*selector);
}

json::object make_scale(const ResourceKind& kind, const json::object& object) {
    json::object metadata;
    const json::object& from = object.at("metadata").as_object();
    for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
        take_member(metadata, from, key);
    json::object status{{"replicas", count_at(object, scale_of(kind).status_replicas)}};
    if (const std::string selector = scale_selector(kind, object); !selector.empty())
        status["selector"] = selector;
    return {{"kind", "Scale"},
            {"apiVersion", "autoscaling/v1"},
            {"metadata", std::move(metadata)},
            {"spec", json::object{{"replicas", count_at(object, scale_of(kind).spec_replicas)}}},
            {"status", std::move(status)}};
}

/// The Scale of an object in the form that the request accepts.
HttpReply scale_reply(const ApiCall& call, const json::object& object) {
    static const ResourceKind scales{
        .group = "autoscaling", .version = "v1", .plural = "scales", .kind = "Scale"};
    json::object scale = make_scale(call.kind, object);
    return object_reply({call.store, scales, call.request},
                        std::make_shared<const json::object>(std::move(scale)));
}

Answer<json::object> requested_scale(const ApiCall& call, const json::object& scale) {
    if (call.request.verb == "patch") return patched(call, scale);
    return parse_body(call.request);
}

}  // namespace

Answer<HttpReply> serve_scale(const ApiCall& call) {
    const ApiRequest& request = call.request;
    CAPSTAN_TRY(const ApiObject object, call.store.get(call.kind, request.space, request.name));
    if (request.verb == "get") return scale_reply(call, *object);
    CAPSTAN_TRY(const json::object requested,
                requested_scale(call, make_scale(call.kind, *object)));
    CAPSTAN_CHECK(check_preconditions(call.kind, *object, uid_of(requested),
                                      text_at(requested, "metadata.resourceVersion")));
    const std::int64_t replicas = count_at(requested, "spec.replicas");
    if (replicas < 0)
        return fail(invalid("scales.autoscaling", request.name,
                            "spec.replicas: Invalid value: " + std::to_string(replicas) +
                                ": must be greater than or equal to 0"));
    const auto set = [&](json::object& fresh) {
        set_value(fresh, scale_of(call.kind).spec_replicas, replicas);
    };
    CAPSTAN_TRY(const ApiObject kept, call.store.edit(call.kind, request.space, request.name, set,
                                                      write_options(request)));
    return scale_reply(call, *kept);
}

// Tokens and reviews. A simulated cluster lets every caller do everything.

namespace {

/// The spec of the review, which the answer repeats. Empty if the body is not JSON, which need not
/// be read because the answer is always the same.
json::value spec_of(const ApiRequest& request) {
    boost::system::error_code error;
    const json::value body = json::parse(request.body, error);
    if (error || !body.is_object()) return json::object();
    const json::value* spec = body.get_object().if_contains("spec");
    return spec == nullptr ? json::object() : *spec;
}

json::object review(const ApiRequest& request, const char* kind, json::object status) {
    return {{"kind", kind},
            {"apiVersion", request.group + "/" + request.version},
            {"metadata", json::object()},
            {"spec", spec_of(request)},
            {"status", std::move(status)}};
}

json::object all_rules() {
    const json::array any = {"*"};
    const json::object resources{{"verbs", any}, {"apiGroups", any}, {"resources", any}};
    const json::object paths{{"verbs", any}, {"nonResourceURLs", any}};
    return {{"resourceRules", json::array{resources}},
            {"nonResourceRules", json::array{paths}},
            {"incomplete", false}};
}

constexpr Duration token_ttl = std::chrono::hours(1);

}  // namespace

Answer<HttpReply> serve_token(const ApiCall& call) {
    const ApiRequest& request = call.request;
    CAPSTAN_TRY(const ApiObject account, call.store.get(call.kind, request.space, request.name));
    const json::object status{
        {"token", "simulated-" + std::string(uid_of(*account))},
        {"expirationTimestamp", format_rfc3339(call.store.now() + token_ttl, 0)}};
    return json_reply(
        201, {{"kind", "TokenRequest"},
              {"apiVersion", "authentication.k8s.io/v1"},
              {"metadata", json::object{{"name", request.name}, {"namespace", request.space}}},
              {"spec", json::object{{"audiences", json::array{"simulated"}},
                                    {"expirationSeconds", token_ttl / std::chrono::seconds(1)}}},
              {"status", status}});
}

std::optional<HttpReply> serve_review(const ApiRequest& request) {
    if (request.verb != "create") return std::nullopt;
    const bool is_authorization = request.group == "authorization.k8s.io";
    const json::object allowed{{"allowed", true},
                               {"reason", "simulated cluster: every request is allowed"}};
    if (is_authorization && request.plural == "selfsubjectaccessreviews")
        return json_reply(201, review(request, "SelfSubjectAccessReview", allowed));
    if (is_authorization && request.plural == "subjectaccessreviews")
        return json_reply(201, review(request, "SubjectAccessReview", allowed));
    if (is_authorization && request.plural == "selfsubjectrulesreviews")
        return json_reply(201, review(request, "SelfSubjectRulesReview", all_rules()));
    const json::object user{{"username", "simulated-admin"},
                            {"groups", json::array{"system:masters", "system:authenticated"}}};
    if (request.group == "authentication.k8s.io" && request.plural == "selfsubjectreviews")
        return json_reply(201, review(request, "SelfSubjectReview", {{"userInfo", user}}));
    return std::nullopt;
}

// Evictions, and the disruption budgets that limit them.

namespace {

constexpr std::size_t disrupted_pods_max = 2000;

/// A pod that has ended, that is pending or that is terminating serves no requests, so no budget
/// counts it.
bool is_ignored_by_budgets(const json::object& pod) {
    const std::string_view phase = text_at(pod, "status.phase");
    return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
           find_value(pod, "metadata.deletionTimestamp") != nullptr;
}

std::vector<ApiObject> budgets_of(const ObjectStore& store, const json::object& pod) {
    std::vector<ApiObject> out;
    const ResourceKind& kind = store.kind("poddisruptionbudgets.policy");
    for (const ApiObject& budget : store.list(kind, namespace_of(pod)).items) {
        const json::object* selector = find_object(*budget, "spec.selector");
        if (selector != nullptr && has_labels(pod, label_query_of(*selector)))
            out.push_back(budget);
    }
    return out;
}

/// Whether a pod that is not ready may be evicted without counting: if enough other pods are
/// healthy, or if the budget's unhealthyPodEvictionPolicy is AlwaysAllow.
bool may_go_unready(const json::object& pod, const json::object& budget) {
    if (has_condition(pod, "Ready")) return false;
    if (text_at(budget, "spec.unhealthyPodEvictionPolicy") == "AlwaysAllow") return true;
    const std::int64_t desired = count_at(budget, "status.desiredHealthy");
    return desired > 0 && count_at(budget, "status.currentHealthy") >= desired;
}

StatusError too_many(std::string message, std::optional<int> retry_after_s = {}) {
    StatusError out{429,
                    "TooManyRequests",
                    "Cannot evict pod as it would violate the pod's disruption "
                    "budget.",
                    {},
                    retry_after_s,
                    {}};
    out.details["causes"] =
        json::array{json::object{{"reason", "DisruptionBudget"}, {"message", std::move(message)}}};
    return out;
}

Answer<void> check_budget(const json::object& budget) {
    const std::string name(name_of(budget));
    if (count_at(budget, "status.observedGeneration") < count_at(budget, "metadata.generation"))
        return fail(too_many(
            "The disruption budget " + name + " is still being processed by the server.", 10));
    const std::int64_t allowed = count_at(budget, "status.disruptionsAllowed");
    if (allowed < 0)
        return fail(
            forbidden("poddisruptionbudgets.policy", name, "pdb disruptions allowed is negative"));
    if (const json::object* disrupted = find_object(budget, "status.disruptedPods");
        disrupted != nullptr && disrupted->size() > disrupted_pods_max)
        return fail(forbidden("poddisruptionbudgets.policy", name,
                              "DisruptedPods map too big - too many evictions not confirmed by "
                              "PDB controller"));
    if (allowed == 0)
        return fail(too_many(
            "The disruption budget " + name + " needs " +
            std::to_string(count_at(budget, "status.desiredHealthy")) + " healthy pods and has " +
            std::to_string(count_at(budget, "status.currentHealthy")) + " currently"));
    return {};
}

Answer<void> decrement_budget(ObjectStore& store, const json::object& budget,
                              const json::object& pod, bool is_dry_run) {
    CAPSTAN_CHECK(check_budget(budget));
    const auto change = [&](json::object& fresh) {
        json::object& status = make_object(fresh, "status");
        status["disruptionsAllowed"] = count_at(fresh, "status.disruptionsAllowed") - 1;
        make_object(status, "disruptedPods")[json_view(name_of(pod))] =
            format_rfc3339(store.now(), 0);
    };
    WriteOptions options{.part = ObjectPart::status, .is_dry_run = is_dry_run};
    CAPSTAN_TRY(const ApiObject kept,
                store.edit(store.kind("poddisruptionbudgets.policy"), namespace_of(budget),
                           name_of(budget), change, options));
    return {};
}

/// Counts an eviction against the pod's budget. The refusal says why the budget does not allow it.
Answer<void> take_from_budget(ObjectStore& store, const json::object& pod, bool is_dry_run) {
    if (is_ignored_by_budgets(pod)) return {};
    const std::vector<ApiObject> budgets = budgets_of(store, pod);
    if (budgets.empty()) return {};
    if (budgets.size() > 1)
        return fail(
            StatusError{500,
                        "InternalError",
                        "This pod has more than one PodDisruptionBudget, which the eviction "
                        "subresource does not support.",
                        {},
                        {},
                        {}});
    if (may_go_unready(pod, *budgets.front())) return {};
    return decrement_budget(store, *budgets.front(), pod, is_dry_run);
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
    CAPSTAN_CHECK(take_from_budget(store, *pod, options.is_dry_run));
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

}  // namespace capstan::simulator::api_server
