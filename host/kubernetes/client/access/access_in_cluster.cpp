#include <algorithm>
#include <utility>

#include "io/url.hpp"
#include "kubernetes/client/access/access.hpp"
#include "kubernetes/client/access/credentials_file.hpp"

namespace capstan::kubernetes {
namespace {

Result<std::string> in_cluster_server(const Environment& environment) {
    const std::string host = environment.get("KUBERNETES_SERVICE_HOST");
    const std::string port = environment.get("KUBERNETES_SERVICE_PORT");
    if (host.empty() || port.empty())
        return fail(ErrorCode::invalid_config,
                    "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not "
                    "set; name a kubeconfig");
    const bool is_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
    std::string out = "https://" + (is_ipv6 ? '[' + host + ']' : host) + ':' + port;
    if (!io::parse_url(out))
        return fail(ErrorCode::invalid_config,
                    "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: no host and port");
    return out;
}

std::string namespace_of(const AccessSurroundings& surroundings) {
    if (std::string ns = surroundings.environment.get("POD_NAMESPACE"); !ns.empty()) return ns;
    // A namespace is one word, and so read like a token.
    return read_token_file(surroundings.service_account / "namespace").value_or("default");
}

}  // namespace

Result<ClusterAccess> open_in_cluster_access(io::Loop& loop,
                                             const AccessSurroundings& surroundings) {
    ClusterAccess out;
    CAPSTAN_TRY(out.server, in_cluster_server(surroundings.environment));
    CAPSTAN_TRY(out.credentials, make_stored_credentials(
                                     loop, {.token_file = surroundings.service_account / "token"},
                                     surroundings.on_trouble));
    out.ca_file = surroundings.service_account / "ca.crt";
    if (auto ca = read_pem_file(out.ca_file, PemKind::certificate)) {
        out.tls.ca_pem = *std::move(ca);
    } else {
        out.warnings.push_back("certificate authority: " + ca.error().message +
                               "; the system's authorities count instead");
    }
    out.kube_namespace = namespace_of(surroundings);
    return out;
}

}  // namespace capstan::kubernetes
