#include "kubernetes/object_kinds.hpp"

#include <optional>
#include <utility>

#include "kubernetes/daemon_set_decode.hpp"
#include "kubernetes/metadata.hpp"
#include "kubernetes/node_decode.hpp"
#include "kubernetes/pod_decode.hpp"
#include "kubernetes/storage_decode.hpp"

namespace capstan::kubernetes {
namespace {

template <auto decode>
bool load(const JsonPlace& object, engine::ClusterSink& sink) {
    auto decoded = decode(object);
    if (!decoded) return false;
    sink.set(*std::move(decoded));
    return true;
}

/// A pod without containers would seem to need nothing; the API server has none such.
std::optional<engine::PodObject> decode_whole_pod(const JsonPlace& object) {
    const bool has_name = object.required("metadata").required("name").name().has_value();
    const bool has_containers = static_cast<bool>(object.required("spec").required("containers"));
    DecodedPod decoded = decode_pod_object(object);
    if (!has_name || !has_containers || !decoded.is_complete) return std::nullopt;
    return std::move(decoded.pod);
}

std::optional<engine::NamespaceObject> decode_namespace(const JsonPlace& object) {
    ObjectMetadata metadata = decode_named(object);
    if (!metadata.is_identified) return std::nullopt;
    return engine::NamespaceObject{.name = std::move(metadata.name),
                                   .labels = std::move(metadata.labels)};
}

constexpr std::string_view storage = "storage.k8s.io";

constexpr ObjectKind kinds[] = {
    {"Pod", "", true, load<decode_whole_pod>},
    {"Node", "", false, load<decode_node>},
    {"DaemonSet", "apps", true, load<decode_daemon_set>},
    {"PersistentVolumeClaim", "", true, load<decode_claim>},
    {"PersistentVolume", "", false, load<decode_volume>},
    {"StorageClass", storage, false, load<decode_storage_class>},
    {"CSINode", storage, false, load<decode_csi_node>},
    {"CSIDriver", storage, false, load<decode_csi_driver>},
    {"CSIStorageCapacity", storage, true, load<decode_csi_capacity>},
    {"Namespace", "", false, load<decode_namespace>},
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

}  // namespace capstan::kubernetes
