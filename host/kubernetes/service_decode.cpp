#include "kubernetes/service_decode.hpp"

#include <utility>

#include "kubernetes/metadata.hpp"

namespace capstan::kubernetes {

std::optional<engine::ServiceObject> decode_service(const JsonPlace& service) {
    const Complaints complaints(service);
    ObjectMetadata metadata = decode_named(service);
    engine::ServiceObject out{.ns = std::move(metadata.ns),
                              .name = std::move(metadata.name),
                              .selector = service["spec"]["selector"].labels()};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace capstan::kubernetes
