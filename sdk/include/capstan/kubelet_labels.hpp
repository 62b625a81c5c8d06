/// Labels that kubelet may set on its own node at registration.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <capstan/result.hpp>
#include <capstan/well_known.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// In Kubernetes' own domains only the labels below are allowed, and all labels of
/// kubelet.kubernetes.io, node.kubernetes.io and their subdomains. With any other label of these
/// domains kubelet does not start. `unsupported`: not allowed; the message has the key.
///     check_kubelet_label("node-role.kubernetes.io/worker")  ->  an error
///     check_kubelet_label("example.com/team")                ->  ok
inline Result<void> check_kubelet_label(std::string_view key) {
    constexpr std::array<std::string_view, 11> allowed{
        well_known::hostname_label,      well_known::os_label,
        well_known::arch_label,          well_known::beta_os_label,
        well_known::beta_arch_label,     well_known::beta_instance_type_label,
        well_known::instance_type_label, well_known::zone_label,
        well_known::region_label,        well_known::beta_zone_label,
        well_known::beta_region_label};
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos || std::count(allowed.begin(), allowed.end(), key) > 0)
        return {};
    const std::string_view domain = key.substr(0, slash);
    const auto is_in = [domain](std::string_view parent) {
        return domain == parent || (domain.size() > parent.size() && domain.ends_with(parent) &&
                                    domain[domain.size() - parent.size() - 1] == '.');
    };
    if (is_in("kubelet.kubernetes.io") || is_in("node.kubernetes.io")) return {};
    if (!is_in("kubernetes.io") && !is_in("k8s.io")) return {};
    return fail(ErrorCode::unsupported,
                "kubelet must not set this label on its node: " + std::string(key));
}

CAPSTAN_NAMESPACE_END
