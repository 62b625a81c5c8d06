#include "engine/scheduling/predicates/dynamic_resources.hpp"

namespace capstan::engine::scheduling {

std::optional<std::string> check_dynamic_resources(const snapshot::PodSpec& pod) {
    if (!pod.uses_resource_claims) return std::nullopt;
    return "not supported: the pod uses resource claims (dynamic resource allocation)";
}

}  // namespace capstan::engine::scheduling
