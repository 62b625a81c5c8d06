#include "kubernetes/client/cache/object_cache.hpp"

#include <utility>
#include <vector>

#include <capstan/time_text.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_copy.hpp"
#include "kubernetes/base/json_path.hpp"
#include "kubernetes/objects/list_decoder.hpp"

namespace capstan::kubernetes::client {
namespace {

constexpr std::string_view apps = "apps", batch = "batch", policy = "policy",
                           storage = "storage.k8s.io";
/// Terminated pods need no resources. A watch with a field selector reports a pod that no longer
/// matches as DELETED.
constexpr std::string_view not_terminated = "status.phase!=Succeeded,status.phase!=Failed";

constexpr std::string_view of_daemons = "know which DaemonSet pods a new node would run",
                           of_owners = "know which evicted pods are created again",
                           of_volumes = "know which nodes can attach the volumes of a pod";

constexpr CachedKind kinds[] = {
    {resources::nodes, "know which machines have joined and how much is free on them"},
    {resources::pods, "know which pods are pending and which pods run on each node",
     not_terminated},
    {{apps, "v1", "daemonsets", "DaemonSet"}, of_daemons},
    {{policy, "v1", "poddisruptionbudgets", "PodDisruptionBudget"},
     "drain nodes within PodDisruptionBudgets"},
    {{apps, "v1", "replicasets", "ReplicaSet"}, of_owners},
    {{"", "v1", "replicationcontrollers", "ReplicationController"}, of_owners},
    {{apps, "v1", "statefulsets", "StatefulSet"}, of_owners},
    {{batch, "v1", "jobs", "Job"}, of_owners},
    {{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"}, of_volumes},
    {{"", "v1", "persistentvolumes", "PersistentVolume", false}, of_volumes},
    {{storage, "v1", "storageclasses", "StorageClass", false}, of_volumes, {}, true},
    {{storage, "v1", "csinodes", "CSINode", false}, of_volumes, {}, true},
    {{storage, "v1", "csidrivers", "CSIDriver", false}, of_volumes, {}, true},
    {{storage, "v1", "csistoragecapacities", "CSIStorageCapacity"}, of_volumes, {}, true},
    {{"", "v1", "services", "Service"},
     "know which pods the scheduler spreads by default",
     {},
     true},
    {{"", "v1", "namespaces", "Namespace", false}, "match the namespace selectors of pod affinity"},
};

}  // namespace

std::span<const CachedKind> cached_kinds() noexcept { return kinds; }

namespace {

/// Sets objects in the builder, and notifies the publisher of unschedulable pods.
class PublisherSink final : public engine::snapshot::ClusterSink {
public:
    explicit PublisherSink(CachePublisher& publisher)
        : publisher_(publisher), builder_(publisher.builder()) {}

    void set(const engine::snapshot::PodObject& pod) override {
        const std::uint64_t before = builder_.changes();
        builder_.set(pod);
        const bool waits = pod.unscheduled_reason == "Unschedulable" && !pod.deleted;
        if (waits && builder_.changes() != before) publisher_.note_unschedulable();
    }
    void set(const engine::snapshot::NodeObject& node) override { builder_.set(node); }
    void set(engine::snapshot::DaemonSetObject object) override { builder_.set(std::move(object)); }
    void set(engine::snapshot::DisruptionBudgetObject object) override {
        builder_.set(std::move(object));
    }
    void set(engine::snapshot::ControllerObject object) override {
        builder_.set(std::move(object));
    }
    void set(engine::snapshot::ClaimObject object) override { builder_.set(std::move(object)); }
    void set(engine::snapshot::VolumeObject object) override { builder_.set(std::move(object)); }
    void set(engine::snapshot::StorageClassObject object) override {
        builder_.set(std::move(object));
    }
    void set(engine::snapshot::CsiNodeObject object) override { builder_.set(std::move(object)); }
    void set(engine::snapshot::CsiDriverObject object) override { builder_.set(std::move(object)); }
    void set(engine::snapshot::CsiCapacityObject object) override {
        builder_.set(std::move(object));
    }
    void set(engine::snapshot::NamespaceObject object) override { builder_.set(std::move(object)); }
    void set(engine::snapshot::ServiceObject object) override { builder_.set(std::move(object)); }

private:
    CachePublisher& publisher_;
    engine::snapshot::ClusterBuilder& builder_;
};

/// Since when the pod's condition PodScheduled has been False with the reason Unschedulable.
std::optional<Time> find_unschedulable_since(const boost::json::value& pod) {
    const boost::json::object* const scheduled = base::find_condition(pod, "PodScheduled");
    if (base::text_at(scheduled, "status") != "False" ||
        base::text_at(scheduled, "reason") != "Unschedulable")
        return std::nullopt;
    return find_rfc3339(base::text_at(scheduled, "lastTransitionTime"));
}

/// No further object is reported while so many objects have a problem.
constexpr std::size_t most_reports = 100;

}  // namespace

ObjectCache::ObjectCache(const objects::ObjectKind& kind, CachePublisher& publisher,
                         OnProblem on_problem)
    : kind_(kind), publisher_(publisher), on_problem_(std::move(on_problem)) {}

void ObjectCache::begin_replace() {
    seen_.clear();
    if (std::exchange(is_replacing_, true)) {
        may_have_old_ = true;  // objects of the list that was cut off
    } else {
        publisher_.begin_replace();
    }
}

void ObjectCache::finish_replace() {
    if (may_have_old_) remove_unseen();
    seen_ = {};
    may_have_old_ = true;
    if (std::exchange(is_replacing_, false)) publisher_.end_replace();
}

void ObjectCache::remove_unseen() {
    std::vector<objects::ObjectName> gone;
    engine::snapshot::ClusterBuilder& builder = publisher_.builder();
    engine::snapshot::for_each_name(builder.build(), kind_.object, [&](auto ns, auto name) {
        objects::ObjectName full{std::string(ns), std::string(name)};
        if (!seen_.contains(to_string(full))) gone.push_back(std::move(full));
    });
    for (const objects::ObjectName& name : gone) builder.remove(kind_.object, name.ns, name.name);
    const auto is_gone = [&](const std::string& name) { return !seen_.contains(name); };
    std::erase_if(unschedulable_, [&](const auto& pod) { return is_gone(pod.first); });
    std::erase_if(reported_, is_gone);
    std::erase_if(unreadable_, is_gone);
}

void ObjectCache::set(const boost::json::value& object) {
    const std::optional<objects::ObjectName> known = objects::find_object_name(kind_, object);
    const std::string name = known ? to_string(*known) : "(unnamed)";
    if (is_replacing_ && may_have_old_) seen_.insert(name);
    if (kind_.object == engine::snapshot::ObjectKind::pod) note_waiting(name, object);
    JsonProblems problems(object);
    PublisherSink sink(publisher_);
    const bool is_loaded = kind_.load(problems.root(), sink);
    if (is_loaded) unreadable_.erase(name);
    if (problems.empty()) {
        reported_.erase(name);
    } else {
        report(name, problems, is_loaded);
    }
}

void ObjectCache::note_waiting(const std::string& name, const boost::json::value& pod) {
    if (const std::optional<Time> since = find_unschedulable_since(pod)) {
        unschedulable_[name] = *since;
    } else {
        unschedulable_.erase(name);
    }
}

std::optional<Time> ObjectCache::unschedulable_since(const std::string& name) const {
    const auto at = unschedulable_.find(name);
    return at == unschedulable_.end() ? std::nullopt : std::optional(at->second);
}

void ObjectCache::report(const std::string& name, const JsonProblems& problems, bool is_loaded) {
    const bool is_new = reported_.insert(name).second;
    const bool is_lost = !is_loaded && unreadable_.insert(name).second;
    if ((!is_new && !is_lost) || reported_.size() > most_reports) return;
    const JsonProblem& first = problems.kept().front();
    const objects::ObjectProblem problem{std::string(kind_.kind) + " " + name, first.pointer,
                                         first.what};
    const char* outcome = is_loaded ? "" : "; its previous version is kept";
    on_problem_({ErrorCode::invalid_argument, to_string(problem) + outcome});
}

void ObjectCache::remove(const boost::json::value& object) {
    const std::optional<objects::ObjectName> name = objects::find_object_name(kind_, object);
    if (!name) return;
    publisher_.builder().remove(kind_.object, name->ns, name->name);
    unschedulable_.erase(to_string(*name));
    reported_.erase(to_string(*name));
    unreadable_.erase(to_string(*name));
}

}  // namespace capstan::kubernetes::client
