/// Where the API keeps its objects.
#pragma once

#include <string>
#include <string_view>

namespace capstan::kubernetes::client {

/// A kind of objects as paths have it.
struct ApiResource {
    std::string_view group{};  ///< "apps"; empty: the core's
    std::string_view version{};
    std::string_view plural{};  ///< "replicasets"
    std::string_view kind{};
    bool has_namespace = true;
};

namespace resources {
inline constexpr ApiResource nodes{"", "v1", "nodes", "Node", false};
inline constexpr ApiResource pods{"", "v1", "pods", "Pod"};
inline constexpr ApiResource events{"", "v1", "events", "Event"};
inline constexpr ApiResource config_maps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr ApiResource leases{"coordination.k8s.io", "v1", "leases", "Lease"};
}  // namespace resources

/// "/apis/apps/v1/namespaces/shop/replicasets/web/scale". Without `ns` of all namespaces, without
/// `name` the collection. Names are percent-encoded.
std::string path_of(const ApiResource& resource, std::string_view ns = {},
                    std::string_view name = {}, std::string_view subresource = {});

}  // namespace capstan::kubernetes::client
