#include "kubernetes/daemon_set_decode.hpp"

#include <utility>

#include "kubernetes/metadata.hpp"
#include "kubernetes/pod_spec_decode.hpp"

namespace capstan::kubernetes {

std::optional<engine::DaemonSetObject> decode_daemon_set(const JsonPlace& daemon_set) {
    ObjectMetadata own = decode_named(daemon_set);
    const JsonPlace pod = daemon_set.required("spec").required("template");
    ObjectMetadata metadata = decode_metadata(pod["metadata"]);
    const bool has_containers = static_cast<bool>(pod.required("spec").required("containers"));
    DecodedPodSpec spec = decode_pod_spec(pod["spec"]);
    if (!own.is_identified || !metadata.is_identified || !has_containers || !spec.is_complete)
        return std::nullopt;
    return engine::DaemonSetObject{.ns = std::move(own.ns),
                                   .name = std::move(own.name),
                                   .uid = std::move(own.uid),
                                   .spec = std::move(spec.spec),
                                   .labels = std::move(metadata.labels),
                                   .annotations = std::move(metadata.annotations)};
}

}  // namespace capstan::kubernetes
