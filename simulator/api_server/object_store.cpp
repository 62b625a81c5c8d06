#include "simulator/api_server/object_store.hpp"

#include <cstdio>
#include <utility>

#include <boost/assert.hpp>

#include <capstan/time_text.hpp>
#include <capstan/well_known.hpp>

#include "simulator/api_server/managed_fields.hpp"
#include "simulator/api_server/object_checks.hpp"
#include "simulator/api_server/resource_storage.hpp"

namespace capstan::simulator::api_server {
namespace {

// Defaults that the store sets in objects.

struct Default {
    std::string_view path;
    json::value value;
};

/// Calls `change` with each element of a list that is an object.
template <class Change>
void for_each_object(json::object& object, std::string_view key, const Change& change) {
    json::value* list = object.if_contains(json_view(key));
    if (list == nullptr || !list->is_array()) return;
    for (json::value& item : list->get_array())
        if (item.is_object()) change(item.get_object());
}

/// A missing request is set to the limit.
void set_requests(json::object& container) {
    const json::object* limits = find_object(container, "resources.limits");
    if (limits == nullptr) return;
    const json::object wanted = *limits;
    json::object& requests = make_object(make_object(container, "resources"), "requests");
    for (const auto& [resource, amount] : wanted)
        if (!requests.contains(resource)) requests[resource] = amount;
}

void set_container_defaults(json::object& container) {
    set_default(container, "resources", json::object());
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
    set_default(container, "imagePullPolicy", "IfNotPresent");
    set_requests(container);
    for_each_object(container, "ports",
                    [](json::object& port) { set_default(port, "protocol", "TCP"); });
}

void set_pod_spec_defaults(json::object& spec) {
    static const std::vector<Default> defaults = {
        {"restartPolicy", "Always"},
        {"dnsPolicy", "ClusterFirst"},
        {"schedulerName", "default-scheduler"},
        {"terminationGracePeriodSeconds", 30},
        {"securityContext", json::object()},
    };
    for (const auto& [path, value] : defaults) set_default(spec, path, value);
    for_each_object(spec, "containers", set_container_defaults);
    for_each_object(spec, "initContainers", set_container_defaults);
}

/// Whether a toleration is for that NoExecute taint; one without a key is for all taints.
bool tolerates_eviction(const json::object& toleration, std::string_view taint) {
    const std::string_view key = text_at(toleration, "key");
    const std::string_view effect = text_at(toleration, "effect");
    return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
}

/// Pods stay for five minutes on a node that is not ready or unreachable.
void add_default_tolerations(json::object& spec) {
    json::value& tolerations = spec["tolerations"];
    if (!tolerations.is_array()) tolerations.emplace_array();
    for (const std::string_view key :
         {well_known::not_ready_taint, well_known::unreachable_taint}) {
        bool is_there = false;
        for (const json::value& item : tolerations.get_array()) {
            const json::object* toleration = item.if_object();
            is_there = is_there || (toleration != nullptr && tolerates_eviction(*toleration, key));
        }
        if (!is_there)
            tolerations.get_array().push_back(json::object{{"key", json_view(key)},
                                                           {"operator", "Exists"},
                                                           {"effect", "NoExecute"},
                                                           {"tolerationSeconds", 300}});
    }
}

bool has_resources(const json::object& container, std::string_view which) {
    const json::object* resources = find_object(container, "resources");
    const json::object* found = resources == nullptr ? nullptr : find_object(*resources, which);
    return found != nullptr && !found->empty();
}

/// The QoS class.
std::string_view qos_class(json::object& spec) {
    bool any = false, all = true;
    for_each_object(spec, "containers", [&](json::object& container) {
        any = any || has_resources(container, "requests");
        const json::object* requests = find_object(container, "resources.requests");
        const json::object* limits = find_object(container, "resources.limits");
        for (const char* name : {"cpu", "memory"}) {
            const json::value* limit = limits == nullptr ? nullptr : limits->if_contains(name);
            const json::value* request =
                requests == nullptr ? nullptr : requests->if_contains(name);
            all = all && limit != nullptr && request != nullptr && *limit == *request;
        }
    });
    return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
}

void set_pod_defaults(json::object& pod) {
    json::object& spec = make_object(pod, "spec");
    set_pod_spec_defaults(spec);
    set_default(spec, "serviceAccountName", "default");
    set_default(spec, "enableServiceLinks", true);
    set_default(spec, "priority", 0);
    set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
    add_default_tolerations(spec);
}

void set_template_defaults(json::object& object) {
    json::object& pod = make_object(make_object(object, "spec"), "template");
    make_object(pod, "metadata");
    set_pod_spec_defaults(make_object(pod, "spec"));
}

const std::vector<Default>& defaults_of(const ResourceKind& kind) {
    static const std::map<std::string, std::vector<Default>, std::less<>> all = {
        {"deployments.apps",
         {{"spec.replicas", 1},
          {"spec.strategy.type", "RollingUpdate"},
          {"spec.revisionHistoryLimit", 10},
          {"spec.progressDeadlineSeconds", 600}}},
        {"replicasets.apps", {{"spec.replicas", 1}}},
        {"replicationcontrollers", {{"spec.replicas", 1}}},
        {"statefulsets.apps",
         {{"spec.replicas", 1},
          {"spec.podManagementPolicy", "OrderedReady"},
          {"spec.updateStrategy.type", "RollingUpdate"},
          {"spec.revisionHistoryLimit", 10}}},
        {"daemonsets.apps",
         {{"spec.updateStrategy.type", "RollingUpdate"}, {"spec.revisionHistoryLimit", 10}}},
        {"jobs.batch",
         {{"spec.backoffLimit", 6},
          {"spec.completionMode", "NonIndexed"},
          {"spec.suspend", false}}},
        {"cronjobs.batch", {{"spec.suspend", false}, {"spec.concurrencyPolicy", "Allow"}}},
        {"services", {{"spec.type", "ClusterIP"}, {"spec.sessionAffinity", "None"}}},
        {"secrets", {{"type", "Opaque"}}},
        {"persistentvolumeclaims", {{"spec.volumeMode", "Filesystem"}}},
        {"storageclasses.storage.k8s.io",
         {{"reclaimPolicy", "Delete"}, {"volumeBindingMode", "Immediate"}}},
    };
    static const std::vector<Default> none;
    const auto found = all.find(kind.resource());
    return found == all.end() ? none : found->second;
}

/// 25 percent of surge and of unavailable pods, if the strategy is RollingUpdate.
void set_rolling_defaults(json::object& deployment) {
    if (text_at(deployment, "spec.strategy.type") != "RollingUpdate") return;
    set_default(deployment, "spec.strategy.rollingUpdate.maxUnavailable", "25%");
    set_default(deployment, "spec.strategy.rollingUpdate.maxSurge", "25%");
}

void set_job_counts(json::object& job) {
    const bool has_neither = find_value(job, "spec.completions") == nullptr &&
                             find_value(job, "spec.parallelism") == nullptr;
    if (has_neither) set_default(job, "spec.completions", 1);
    set_default(job, "spec.parallelism", 1);
}

/// Sets the status of a new object. A status that the client sent is dropped, unless the kind keeps
/// it (ResourceKind::keeps_initial_status).
void set_initial_status(const ResourceKind& kind, json::object& object) {
    if (!kind.has_status) return;
    if (!kind.keeps_initial_status) object.erase("status");
    const std::string resource = kind.resource();
    if (resource == "namespaces") object["status"] = json::object{{"phase", "Active"}};
    if (resource == "persistentvolumeclaims" || resource == "persistentvolumes")
        set_default(object, "status.phase", "Pending");
    if (resource == "pods")
        object["status"] = json::object{
            {"phase", "Pending"}, {"qosClass", json_view(qos_class(make_object(object, "spec")))}};
    if (!kind.is_custom) make_object(object, "status");
}

/// Sets the missing members of the spec that controllers, schedulers and kubectl rely on.
void set_defaults(const ResourceKind& kind, json::object& object) {
    const std::string resource = kind.resource();
    for (const auto& [path, value] : defaults_of(kind)) set_default(object, path, value);
    if (resource == "pods") set_pod_defaults(object);
    if (resource == "deployments.apps") set_rolling_defaults(object);
    if (resource == "jobs.batch") set_job_counts(object);
    if (kind.group == "apps" && resource != "controllerrevisions.apps")
        set_template_defaults(object);
    if (resource == "jobs.batch" || resource == "replicationcontrollers")
        set_template_defaults(object);
}

std::vector<ApiObject> items_of(const ResourceStorage::Objects& objects, std::string_view space) {
    std::vector<ApiObject> out;
    const std::string prefix = object_key(space, "");
    auto at = space.empty() ? objects.begin() : objects.lower_bound(prefix);
    for (; at != objects.end() && (space.empty() || at->first.starts_with(prefix)); ++at)
        out.push_back(at->second);
    return out;
}

}  // namespace

ObjectStore::ObjectStore(io::Loop& loop, Options options)
    : loop_(loop), options_(options), random_(options.seed) {
    for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
        json::object space{{"metadata", json::object{{"name", name}}}};
        const auto made = create(kind("namespaces"), "", std::move(space));
        BOOST_ASSERT(made.has_value());
    }
}

ObjectStore::~ObjectStore() = default;

const ResourceKind& ObjectStore::kind(std::string_view resource) const {
    const KindPtr found = kinds_.find(resource);
    BOOST_ASSERT(found != nullptr);
    return *found;
}

ResourceStorage& ObjectStore::storage_of(const ResourceKind& kind) const {
    auto& out = storages_[kind.resource()];
    if (out == nullptr) out = std::make_unique<ResourceStorage>(loop_.io(), options_.history);
    return *out;
}

ApiObject ObjectStore::find(const ResourceKind& kind, std::string_view space,
                            std::string_view name) const {
    return storage_of(kind).find(object_key(space, name));
}

Answer<ApiObject> ObjectStore::get(const ResourceKind& kind, std::string_view space,
                                   std::string_view name) const {
    ApiObject found = find(kind, space, name);
    if (found == nullptr) return fail(not_found(kind.resource(), std::string(name)));
    return found;
}

Listing ObjectStore::list(const ResourceKind& kind, std::string_view space) const {
    return {items_of(storage_of(kind).objects(), space), revision_};
}

Answer<void> ObjectStore::check_revision(const ResourceKind& kind, std::uint64_t revision) const {
    if (revision > revision_) return fail(too_large(revision, revision_));
    const std::uint64_t oldest = storage_of(kind).oldest();
    if (revision < oldest)
        return fail(expired("too old resource version: " + std::to_string(revision) + " (" +
                            std::to_string(oldest) + ")"));
    return {};
}

Answer<Listing> ObjectStore::list_at(const ResourceKind& kind, std::string_view space,
                                     std::uint64_t revision) const {
    CAPSTAN_CHECK(check_revision(kind, revision));
    const ResourceStorage& storage = storage_of(kind);
    if (!storage.has_changed_since(revision))
        return Listing{items_of(storage.objects(), space), revision};
    return Listing{items_of(storage.objects_at(revision), space), revision};
}

Answer<void> ObjectStore::check_space(const ResourceKind& kind, std::string_view space) const {
    if (!kind.namespaced) return {};
    if (space.empty())
        return fail(bad_request("an empty namespace may not be set during creation"));
    CAPSTAN_TRY(const ApiObject found, get(this->kind("namespaces"), "", space));
    return {};
}

Answer<void> ObjectStore::name_new(const ResourceKind& kind, std::string_view space,
                                   json::object& object) {
    std::string name(name_of(object));
    if (const std::string_view start = text_at(object, "metadata.generateName");
        name.empty() && !start.empty()) {
        do name = std::string(start) + name_suffix(random_.next());
        while (find(kind, space, name) != nullptr);
        set_value(object, "metadata.name", json_view(name));
    }
    CAPSTAN_CHECK(check_name(kind, name));
    if (find(kind, space, name) != nullptr) return fail(already_exists(kind.resource(), name));
    return {};
}

std::string ObjectStore::make_uid() {
    const std::uint64_t high = random_.next(), low = random_.next();
    char out[40];
    std::snprintf(out, sizeof out, "%08x-%04x-4%03x-a%03x-%012llx",
                  static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                  static_cast<unsigned>(high & 0xfff), static_cast<unsigned>(low >> 52),
                  static_cast<unsigned long long>(low & 0xffff'ffff'ffff));
    return out;
}

Answer<ApiObject> ObjectStore::create(const ResourceKind& kind, std::string_view space,
                                      json::object object, const WriteOptions& options) {
    CAPSTAN_CHECK(check_identity(kind, space, object));
    CAPSTAN_CHECK(check_space(kind, space));
    if (!kind.is_custom) CAPSTAN_CHECK(check_amounts(kind, object));
    if (!text_at(object, "metadata.resourceVersion").empty())
        return fail(bad_request("resourceVersion should not be set on objects to be created"));
    CAPSTAN_CHECK(name_new(kind, space, object));
    if (options.is_from_outside) CAPSTAN_CHECK(check_selector(kind, object, nullptr));
    json::object& metadata = make_object(object, "metadata");
    metadata["uid"] = make_uid();
    metadata["creationTimestamp"] = format_rfc3339(options.created.value_or(now()), 0);
    metadata.erase("deletionTimestamp");
    metadata.erase("deletionGracePeriodSeconds");
    if (kind.has_generation) metadata["generation"] = 1;
    set_defaults(kind, object);
    if (options.part != ObjectPart::everything) set_initial_status(kind, object);
    if (!options.manager.empty())
        record_fields(object, nullptr, {options.manager, "Update", options.subresource}, now());
    if (options.is_dry_run) return std::make_shared<json::object>(std::move(object));
    set_value(object, "metadata.resourceVersion", "");  // make_stored() replaces it
    return keep(kind, ChangeType::added, object, nullptr);
}

Answer<ApiObject> ObjectStore::update(const ResourceKind& kind, std::string_view space,
                                      std::string_view name, json::object object,
                                      const WriteOptions& options) {
    CAPSTAN_TRY(const ApiObject current, get(kind, space, name));
    return replace(kind, current, std::move(object), options);
}

Answer<ApiObject> ObjectStore::replace(const ResourceKind& kind, const ApiObject& current,
                                       json::object object, const WriteOptions& options) {
    const std::string_view name = name_of(*current);
    CAPSTAN_CHECK(check_identity(kind, namespace_of(*current), object));
    if (name_of(object) != name)
        return fail(bad_request("the name of the object (" + std::string(name_of(object)) +
                                ") does not match the name on the URL (" + std::string(name) +
                                ")"));
    CAPSTAN_CHECK(check_preconditions(kind, *current, uid_of(object),
                                      text_at(object, "metadata.resourceVersion")));
    json::object fresh = merge_parts(kind, *current, std::move(object), options.part);
    if (options.is_from_outside && !kind.is_custom) {
        CAPSTAN_CHECK(check_amounts(kind, fresh));
        CAPSTAN_CHECK(check_selector(kind, fresh, current.get()));
    }
    set_defaults(kind, fresh);
    if (kind.has_generation && !is_same_desire(fresh, *current))
        set_value(fresh, "metadata.generation",
                  integer_at(*current, "metadata.generation").value_or(0) + 1);
    if (!options.manager.empty())
        record_fields(fresh, current.get(), {options.manager, "Update", options.subresource},
                      now());
    const bool loses_last_finalizer = find_value(fresh, "metadata.deletionTimestamp") != nullptr &&
                                      !has_finalizers(fresh) && has_finalizers(*current) &&
                                      integer_at(fresh, "metadata.deletionGracePeriodSeconds") == 0;
    if (is_same_object(fresh, *current) && is_equal(managers_of(fresh), managers_of(*current)))
        return current;
    if (options.is_dry_run) return std::make_shared<json::object>(std::move(fresh));
    if (loses_last_finalizer) return end(kind, fresh, current);
    return keep(kind, ChangeType::modified, fresh, current);
}

Answer<ApiObject> ObjectStore::edit(const ResourceKind& kind, std::string_view space,
                                    std::string_view name,
                                    const std::function<void(json::object&)>& change,
                                    const WriteOptions& options) {
    CAPSTAN_TRY(const ApiObject current, get(kind, space, name));
    // On the heap, like the values that `change` puts in, so that those are moved and not copied.
    json::object fresh(*current, json::storage_ptr());
    change(fresh);
    return replace(kind, current, std::move(fresh), options);
}

ApiObject ObjectStore::keep(const ResourceKind& kind, ChangeType type, const json::object& object,
                            ApiObject before) {
    ApiObject kept = make_stored(object, ++revision_);
    storage_of(kind).record(object_key(*kept), {revision_, type, kept, std::move(before)});
    return kept;
}

ApiObject ObjectStore::end(const ResourceKind& kind, const json::object& object, ApiObject before) {
    if (kind.resource() == "namespaces") empty_space(name_of(object));
    return keep(kind, ChangeType::deleted, object, std::move(before));
}

Answer<std::unique_ptr<Subscription>> ObjectStore::subscribe(const ResourceKind& kind,
                                                             std::uint64_t after,
                                                             Subscriber subscriber) {
    CAPSTAN_CHECK(check_revision(kind, after));
    return storage_of(kind).subscribe(after, std::move(subscriber));
}

void ObjectStore::compact(std::uint64_t revision) {
    for (const KindPtr& kind : kinds_.all())
        storage_of(*kind).forget_until(std::min(revision, revision_));
}

// Deletion: at once, after the grace period, or when the last finalizer is removed.

namespace {

/// The grace period in seconds; zero unless the object is a pod that a kubelet may run.
std::int64_t grace_of(const ResourceKind& kind, const json::object& object,
                      const RemoveOptions& options) {
    if (kind.resource() != "pods" || text_at(object, "spec.nodeName").empty()) return 0;
    const std::string_view phase = text_at(object, "status.phase");
    if (phase == "Succeeded" || phase == "Failed") return 0;
    const std::int64_t own = integer_at(object, "spec.terminationGracePeriodSeconds").value_or(30);
    return std::chrono::duration_cast<std::chrono::seconds>(
               bounded_seconds(options.grace_s.value_or(own)))
        .count();
}

void add_finalizer(json::object& object, std::string_view finalizer) {
    json::value& list = make_object(object, "metadata")["finalizers"];
    if (!list.is_array()) list.emplace_array();
    for (const json::value& item : list.get_array())
        if (item == json::value(json_view(finalizer))) return;
    list.get_array().push_back(json_view(finalizer));
}

/// The finalizer that a propagation policy adds; empty: none.
std::string_view finalizer_of(std::string_view propagation) {
    if (propagation == "Foreground") return "foregroundDeletion";
    return propagation == "Orphan" ? "orphan" : "";
}

/// Sets the deletion timestamp. A second removal can only shorten the grace period.
void mark_terminating(const ResourceKind& kind, json::object& object, Time now,
                      std::int64_t grace) {
    json::object& metadata = make_object(object, "metadata");
    const auto before = integer_at(object, "metadata.deletionGracePeriodSeconds");
    if (before && *before <= grace) return;
    metadata["deletionTimestamp"] = format_rfc3339(now + std::chrono::seconds(grace), 0);
    metadata["deletionGracePeriodSeconds"] = grace;
    if (kind.has_generation && !before)
        metadata["generation"] = integer_at(object, "metadata.generation").value_or(0) + 1;
}

/// The namespaces that an API server never deletes.
bool is_undeletable(const ResourceKind& kind, std::string_view name) {
    return kind.resource() == "namespaces" &&
           (name == "default" || name == "kube-system" || name == "kube-public");
}

}  // namespace

Answer<Removed> ObjectStore::remove(const ResourceKind& kind, std::string_view space,
                                    std::string_view name, const RemoveOptions& options) {
    CAPSTAN_TRY(const ApiObject current, get(kind, space, name));
    CAPSTAN_CHECK(check_preconditions(kind, *current, options.uid, options.resource_version));
    if (is_undeletable(kind, name))
        return fail(
            forbidden(kind.resource(), std::string(name), "this namespace may not be deleted"));
    const std::int64_t grace = grace_of(kind, *current, options);
    const std::string_view finalizer = finalizer_of(options.propagation);
    if (grace == 0 && finalizer.empty() && !has_finalizers(*current)) {
        if (options.is_dry_run) return Removed{current, true};
        return Removed{end(kind, *current, current), true};
    }
    json::object fresh(*current, json::storage_ptr());
    if (!finalizer.empty()) add_finalizer(fresh, finalizer);
    mark_terminating(kind, fresh, now(), grace);
    if (options.is_dry_run || is_same_object(fresh, *current)) return Removed{current, false};
    return Removed{keep(kind, ChangeType::modified, fresh, current), false};
}

void ObjectStore::empty_space(std::string_view space) {
    for (const KindPtr& kind : std::vector(kinds_.all())) {
        if (!kind->namespaced) continue;
        for (const ApiObject& object : list(*kind, space).items) end(*kind, *object, object);
    }
}

}  // namespace capstan::simulator::api_server
