#include "simulator/control_plane/workloads/workload_controllers.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/workloads/pod_control.hpp"
#include "simulator/control_plane/workloads/replica_sets.hpp"

namespace capstan::simulator::control_plane {
namespace {

std::string pod_name(const json::object& set, std::int64_t ordinal) {
    return std::string(name_of(set)) + "-" + std::to_string(ordinal);
}

std::vector<const json::object*> claim_templates(const json::object& set) {
    return objects_at(set, "spec.volumeClaimTemplates");
}

/// "data-web-3"
std::string claim_name(const json::object& claim, const std::string& pod) {
    return std::string(name_of(claim)) + "-" + pod;
}

void add_volumes(json::object& pod, const json::object& set, const std::string& name) {
    json::array volumes;
    for (const json::object* claim : claim_templates(set))
        volumes.push_back(json::object{
            {"name", json_view(name_of(*claim))},
            {"persistentVolumeClaim", json::object{{"claimName", claim_name(*claim, name)}}}});
    for (const json::value& volume : list_at(pod, "spec.volumes")) volumes.push_back(volume);
    if (!volumes.empty()) set_value(pod, "spec.volumes", std::move(volumes));
}

/// The ordinal of a pod, 3 of "web-3"; absent: the name is not that of a pod of the set.
std::optional<std::int64_t> find_ordinal(const json::object& set, const json::object& pod) {
    std::string_view name = name_of(pod);
    const std::string start = std::string(name_of(set)) + "-";
    if (!name.starts_with(start)) return std::nullopt;
    name.remove_prefix(start.size());
    std::int64_t out = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), out);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
    return out;
}

/// The pod of an ordinal, "web-3", with volumes for the claims of the set's volumeClaimTemplates.
json::object make_stateful_pod(const Workload& set, std::int64_t ordinal,
                               std::string_view revision_hash) {
    json::object pod = make_pod(set);
    const std::string name = pod_name(*set.object, ordinal);
    json::object& metadata = make_object(pod, "metadata");
    metadata.erase("generateName");
    metadata["name"] = name;
    set_label(pod, "statefulset.kubernetes.io/pod-name", name);
    set_label(pod, "apps.kubernetes.io/pod-index", std::to_string(ordinal));
    set_label(pod, revision_label, revision_hash);
    json::object& spec = make_object(pod, "spec");
    spec["hostname"] = name;
    if (const std::string_view service = text_at(*set.object, "spec.serviceName"); !service.empty())
        spec["subdomain"] = json_view(service);
    add_volumes(pod, *set.object, name);
    return pod;
}

/// Creates the missing claims of that pod. Claims stay when the pod is deleted.
void make_claims(ControlContext& context, const Workload& set, std::int64_t ordinal) {
    const std::string_view space = namespace_of(*set.object);
    for (const json::object* from : claim_templates(*set.object)) {
        const std::string name = claim_name(*from, pod_name(*set.object, ordinal));
        if (context.find("persistentvolumeclaims", object_key(space, name)) != nullptr) continue;
        json::object claim = *from;
        make_object(claim, "metadata")["name"] = name;
        if (const json::object* labels = find_object(*set.object, "spec.selector.matchLabels"))
            for (const auto& [key, value] : *labels)
                make_object(make_object(claim, "metadata"), "labels")[key] = value;
        context.create("persistentvolumeclaims", space, std::move(claim));
    }
}

class StatefulSets final : public QueuedController {
public:
    explicit StatefulSets(ControlContext& context) : QueuedController(context) {
        watch_workloads(context, "statefulsets.apps", "pods", queue_);
    }

private:
    /// A StatefulSet during one reconciliation.
    struct SyncState {
        Workload set{};
        ApiObject current{}, update{};  ///< revisions, equal if no rollout is in progress
        std::map<std::int64_t, ApiObject> pods{};  ///< by ordinal
        std::int64_t first = 0,
                     end = 0;  ///< the set should have the ordinals from first to end - 1
        Duration min_ready{};
        Time now{};

        bool is_ordered() const {
            return text_at(*set.object, "spec.podManagementPolicy") != "Parallel";
        }
        bool serves(const json::object& pod) const {
            return !is_terminating(pod) && availability(pod, min_ready, now).is_available;
        }
        std::string_view update_name() const { return name_of(*update); }
        /// Whether the pod has the update revision, whatever its ordinal.
        bool is_updated(const json::object& pod) const {
            return label_of(pod, revision_label) == label_of(*update, revision_label);
        }
        std::int64_t partition() const {
            return number_or(*set.object, "spec.updateStrategy.rollingUpdate.partition", 0);
        }
        bool rolls() const {
            return text_at(*set.object, "spec.updateStrategy.type") != "OnDelete";
        }
    };

    void reconcile(const std::string& key) override {
        SyncState sync{.set = {&context_.kind("statefulsets.apps"),
                               context_.find("statefulsets.apps", key), "statefulset-controller"}};
        if (sync.set.object == nullptr) return;
        const json::object& object = *sync.set.object;
        sync.now = context_.now();
        sync.min_ready = context_.paced_s(number_or(object, "spec.minReadySeconds", 0));
        sync.first = number_or(object, "spec.ordinals.start", 0);
        sync.end = sync.first + number_or(object, "spec.replicas", 1);
        sync.update = update_revision_of(context_, sync.set);
        if (sync.update == nullptr) return;
        sync.current = find_revision(context_, sync.set, text_at(object, "status.currentRevision"));
        if (sync.current == nullptr) sync.current = sync.update;
        for (ApiObject& pod : claim(context_, sync.set, "pods"))
            if (const auto ordinal = find_ordinal(object, *pod))
                sync.pods[*ordinal] = std::move(pod);
        if (!is_terminating(object) && fill(sync) && shrink(sync) && sync.rolls()) update(sync);
        write_counts(key, sync);
    }

    /// Makes missing pods, the lowest ordinal first; with OrderedReady each one only when the pod
    /// before it is available.
    bool fill(const SyncState& sync) {
        for (std::int64_t ordinal = sync.first; ordinal < sync.end; ++ordinal)
            if (!fill_ordinal(sync, ordinal) && sync.is_ordered()) return false;
        return true;
    }

    /// Makes the pod of an ordinal if it is missing. Returns whether the pod is available.
    bool fill_ordinal(const SyncState& sync, std::int64_t ordinal) {
        const auto found = sync.pods.find(ordinal);
        if (found != sync.pods.end()) {
            if (has_ended(*found->second) && !is_terminating(*found->second))
                delete_pod(context_, sync.set, *found->second);
            return sync.serves(*found->second);
        }
        const bool is_updated = !sync.rolls() || ordinal >= sync.partition();
        const json::object& revision = is_updated ? *sync.update : *sync.current;
        make_claims(context_, sync.set, ordinal);
        create_pod(context_, sync.set,
                   make_stateful_pod(at_revision(sync.set, revision), ordinal,
                                     label_of(revision, revision_label)));
        return false;
    }

    /// Deletes surplus pods, the highest ordinal first; with OrderedReady each one only when the
    /// pod above it is gone.
    bool shrink(const SyncState& sync) {
        bool is_done = true;
        for (const auto& [ordinal, pod] : std::views::reverse(sync.pods)) {
            if (ordinal >= sync.first && ordinal < sync.end) continue;
            is_done = false;
            if (!is_terminating(*pod)) delete_pod(context_, sync.set, *pod);
            if (sync.is_ordered()) return false;
        }
        return is_done;
    }

    /// Deletes the old pod with the highest ordinal, if all pods above it are available.
    void update(const SyncState& sync) {
        for (const auto& [ordinal, pod] : std::views::reverse(sync.pods)) {
            if (ordinal < sync.partition()) return;
            if (!sync.is_updated(*pod)) {
                if (!is_terminating(*pod)) delete_pod(context_, sync.set, *pod);
                return;
            }
            if (!sync.serves(*pod)) return;
        }
    }

    void write_counts(const std::string& key, const SyncState& sync) {
        std::vector<ApiObject> pods, updated;
        for (const ApiObject& pod :
             context_.index().controlled_by(uid_of(*sync.set.object), "pods")) {
            if (!is_terminating(*pod)) pods.push_back(pod);
            if (!is_terminating(*pod) && sync.is_updated(*pod)) updated.push_back(pod);
        }
        const PodCounts counts = count_pods(pods, sync.min_ready, sync.now);
        const PodCounts fresh = count_pods(updated, sync.min_ready, sync.now);
        if (counts.next_available) queue_.add_after(key, *counts.next_available);
        const bool is_rolled_out = sync.partition() == 0 && fresh.all == counts.all &&
                                   fresh.all == sync.end - sync.first && fresh.ready == fresh.all;
        const ApiObject& current = is_rolled_out ? sync.update : sync.current;
        const bool is_same = current == sync.update;
        write_status(context_, sync.set, [&](json::object& whole) {
            json::object& status = make_object(whole, "status");
            status["observedGeneration"] = number_or(whole, "metadata.generation", 0);
            status["replicas"] = counts.all;
            status["readyReplicas"] = counts.ready;
            status["availableReplicas"] = counts.available;
            status["updatedReplicas"] = fresh.all;
            status["currentReplicas"] = is_same ? fresh.all : counts.all - fresh.all;
            status["currentRevision"] = json_view(name_of(*current));
            status["updateRevision"] = json_view(sync.update_name());
            status["collisionCount"] = 0;
        });
        delete_old_revisions(context_, sync.set,
                             {std::string(sync.update_name()), std::string(name_of(*current))});
    }
};

}  // namespace

std::unique_ptr<Controller> make_stateful_sets(ControlContext& context) {
    return std::make_unique<StatefulSets>(context);
}

}  // namespace capstan::simulator::control_plane
