#include "kubernetes/objects/object_kinds.hpp"

#include <utility>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/metadata.hpp"
#include "kubernetes/objects/object_decode.hpp"
#include "kubernetes/objects/pod_decode.hpp"

namespace capstan::kubernetes::objects {
namespace {

template <auto decode>
bool load(const JsonCursor& object, engine::snapshot::ClusterSink& sink) {
    auto decoded = decode(object);
    if (!decoded) return false;
    sink.set(*std::move(decoded));
    return true;
}

/// A pod without containers would count as a pod without requests. The API server accepts none.
std::optional<engine::snapshot::PodObject> decode_whole_pod(const JsonCursor& object) {
    const bool has_name = object.required("metadata").required("name").name().has_value();
    const bool has_containers = static_cast<bool>(object.required("spec").required("containers"));
    DecodedPod decoded = decode_pod_object(object);
    if (!has_name || !has_containers || !decoded.is_complete) return std::nullopt;
    return std::move(decoded.pod);
}

std::optional<engine::snapshot::NamespaceObject> decode_namespace(const JsonCursor& object) {
    ObjectMetadata metadata = decode_named(object);
    if (!metadata.is_identified) return std::nullopt;
    return engine::snapshot::NamespaceObject{.name = std::move(metadata.name),
                                             .labels = std::move(metadata.labels)};
}

constexpr char replica_set[] = "ReplicaSet", replication_controller[] = "ReplicationController",
               stateful_set[] = "StatefulSet", job[] = "Job";

template <const char* kind>
std::optional<engine::snapshot::ControllerObject> decode_controller_of(const JsonCursor& object) {
    return decode_controller(object, kind);
}

constexpr std::string_view storage = "storage.k8s.io";

using Is = engine::snapshot::ObjectKind;

constexpr ObjectKind kinds[] = {
    {"Pod", "", true, Is::pod, load<decode_whole_pod>},
    {"Node", "", false, Is::node, load<decode_node>},
    {"DaemonSet", "apps", true, Is::daemon_set, load<decode_daemon_set>},
    {"PodDisruptionBudget", "policy", true, Is::disruption_budget, load<decode_disruption_budget>},
    {"ReplicaSet", "apps", true, Is::replica_set, load<decode_controller_of<replica_set>>},
    {"ReplicationController", "", true, Is::replication_controller,
     load<decode_controller_of<replication_controller>>},
    {"StatefulSet", "apps", true, Is::stateful_set, load<decode_controller_of<stateful_set>>},
    {"Job", "batch", true, Is::job, load<decode_controller_of<job>>},
    {"PersistentVolumeClaim", "", true, Is::claim, load<decode_claim>},
    {"PersistentVolume", "", false, Is::volume, load<decode_volume>},
    {"StorageClass", storage, false, Is::storage_class, load<decode_storage_class>},
    {"CSINode", storage, false, Is::csi_node, load<decode_csi_node>},
    {"CSIDriver", storage, false, Is::csi_driver, load<decode_csi_driver>},
    {"CSIStorageCapacity", storage, true, Is::csi_capacity, load<decode_csi_capacity>},
    {"Namespace", "", false, Is::ns, load<decode_namespace>},
    {"Service", "", true, Is::service, load<decode_service>},
};

}  // namespace

std::string_view group_of(std::string_view api_version) noexcept {
    const std::size_t slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

const ObjectKind* find_kind(std::string_view kind, std::string_view api_version) noexcept {
    for (const ObjectKind& known : kinds) {
        if (known.kind != kind) continue;
        const bool same_group = api_version.empty() || group_of(api_version) == known.group;
        return same_group ? &known : nullptr;
    }
    return nullptr;
}

std::string to_string(const ObjectName& name) {
    return name.ns.empty() ? name.name : name.ns + "/" + name.name;
}

std::optional<ObjectName> find_object_name(const ObjectKind& kind,
                                           const boost::json::value& object) {
    ObjectName out{.name = std::string(base::text_at(object, "metadata.name"))};
    if (out.name.empty()) return std::nullopt;
    if (!kind.has_namespace) return out;
    out.ns = base::text_at(object, "metadata.namespace");
    if (out.ns.empty()) out.ns = "default";
    return out;
}

}  // namespace capstan::kubernetes::objects
