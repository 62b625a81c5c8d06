/// Paths of API resources.
#pragma once

#include <string>
#include <string_view>

namespace capstan::kubernetes::client {

struct ApiResource {
    std::string_view group{};  ///< "apps"; empty: core
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

/// "v1", "apps/v1"
std::string api_version_of(const ApiResource& resource);

/// "/apis/apps/v1/namespaces/shop/replicasets/web/scale". An empty `ns` is all namespaces, an empty
/// `name` the collection. Each part is percent-encoded.
std::string path_of(const ApiResource& resource, std::string_view ns = {},
                    std::string_view name = {}, std::string_view subresource = {});

}  // namespace capstan::kubernetes::client
