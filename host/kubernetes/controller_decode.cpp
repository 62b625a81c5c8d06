#include "kubernetes/controller_decode.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "kubernetes/metadata.hpp"
#include "kubernetes/selectors.hpp"

namespace capstan::kubernetes {
namespace {

/// One that cannot be read is none, as the scheduler takes it.
std::optional<LabelSelector> decode_pod_selector(const JsonPlace& selector, std::string_view kind) {
    if (kind == "Job" || selector.is_absent()) return std::nullopt;
    const Complaints complaints(selector);
    std::optional<LabelSelector> out = kind == "ReplicationController"
                                           ? LabelSelector{.match_labels = selector.labels()}
                                           : decode_label_selector(selector);
    return complaints.any() ? std::nullopt : std::move(out);
}

}  // namespace

std::optional<engine::ControllerObject> decode_controller(const JsonPlace& controller,
                                                          std::string_view kind) {
    ObjectMetadata metadata = decode_named(controller);
    const Complaints complaints(controller);
    const auto replicas =
        controller["spec"]["replicas"].integer(0, std::numeric_limits<std::int32_t>::max());
    if (!metadata.is_identified || complaints.any()) return std::nullopt;
    engine::ControllerObject out{.kind = std::string(kind),
                                 .ns = std::move(metadata.ns),
                                 .name = std::move(metadata.name),
                                 .uid = std::move(metadata.uid)};
    if (replicas) out.replicas = static_cast<int>(*replicas);
    out.selector = decode_pod_selector(controller["spec"]["selector"], kind);
    return out;
}

}  // namespace capstan::kubernetes
