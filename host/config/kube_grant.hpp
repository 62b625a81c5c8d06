/// The grants of `grants.kube`: what an instance may do with the cluster's objects.
///
///     "pods:list,watch"                                       in all namespaces
///     "pods:list,watch@shop,tools"                            in these two namespaces
///     "balancers.balancer.x-k8s.io:get,list,watch,update/status"
///     "deployments.apps/scale:get,update"                     the subresource alone
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::config {

/// A request that a plugin wants to make.
struct KubeAction {
    std::string group{};  ///< empty: core
    std::string plural{};
    std::string subresource{};  ///< empty: the object itself
    std::string verb{};         ///< get, list, watch, create, update, patch or delete
    std::string ns{};           ///< empty: all namespaces, or a cluster-scoped kind
};

/// One text of `grants.kube`.
struct KubeGrant {
    struct Allowed {
        std::string subresource{};
        std::string verb{};
        auto operator<=>(const Allowed&) const = default;
    };
    std::string group{};
    std::string plural{};
    std::set<Allowed> allowed{};
    std::set<std::string> namespaces{};  ///< empty: all namespaces, and cluster-scoped kinds

    bool allows(const KubeAction& action) const;
};

/// `invalid_config`: the text is malformed. The message does not have its place in the file.
Result<KubeGrant> parse_kube_grant(std::string_view text);

/// The grants that can be parsed. A malformed text grants nothing; the configuration's check has
/// refused it.
std::vector<KubeGrant> read_kube_grants(const std::vector<std::string>& texts);

bool is_granted(const std::vector<KubeGrant>& grants, const KubeAction& action);

/// The text that grants the action: "nodes:create", "deployments.apps:update/scale@shop".
std::string grant_for(const KubeAction& action);

}  // namespace capstan::config
