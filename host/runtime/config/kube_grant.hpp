/// What an instance may do with the cluster's objects, as `grants.kube` has it.
///
///     "pods:list,watch"                                       in all namespaces
///     "pods:list,watch@shop,tools"                            in these two
///     "balancers.balancer.x-k8s.io:get,list,watch,update/status"
///     "deployments.apps/scale:get,update"                     the subresource alone
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

namespace capstan::runtime::config {

/// One thing that is done to objects of one kind.
struct KubeAction {
    std::string group{};  ///< empty: the core's
    std::string plural{};
    std::string subresource{};  ///< empty: the object itself
    std::string verb{};         ///< get, list, watch, create, update, patch or delete
    std::string ns{};           ///< empty: in all namespaces, or the kind has none
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
    std::set<std::string> namespaces{};  ///< empty: all, and kinds without namespaces

    bool allows(const KubeAction& action) const;
};

/// `invalid_config`: the message says what is wrong with it, and not where it stands.
Result<KubeGrant> parse_kube_grant(std::string_view text);

/// Those that can be read: an unreadable one grants nothing, and the configuration has been refused
/// because of it.
std::vector<KubeGrant> read_kube_grants(const std::vector<std::string>& texts);

bool is_granted(const std::vector<KubeGrant>& grants, const KubeAction& action);

/// The text that would grant it: "nodes:create", "deployments.apps:update/scale@shop".
std::string grant_for(const KubeAction& action);

}  // namespace capstan::runtime::config
