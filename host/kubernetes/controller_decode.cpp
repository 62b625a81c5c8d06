#include "kubernetes/controller_decode.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "kubernetes/metadata.hpp"

namespace capstan::kubernetes {

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
    return out;
}

}  // namespace capstan::kubernetes
