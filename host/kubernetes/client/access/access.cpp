#include "kubernetes/client/access/access.hpp"

#include <algorithm>
#include <utility>

#include "io/url.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/exec_credentials.hpp"
#include "kubernetes/client/access/kubeconfig.hpp"

namespace capstan::kubernetes::client {
namespace {

constexpr std::string_view in_cluster = "in-cluster";

Result<std::string> ca_of(const KubeconfigCluster& cluster) {
    if (cluster.ca.file.empty()) return cluster.ca.text;
    auto text = read_pem_file(cluster.ca.file, PemKind::certificate);
    if (!text) return fail(within("certificate authority", std::move(text).error()));
    return text;
}

ExecCluster exec_cluster(const KubeconfigCluster& cluster, const ClusterAccess& access) {
    return {.server = access.server,
            .tls_server_name = access.tls.server_name,
            .insecure_skip_tls_verify = cluster.insecure_skip_tls_verify,
            .ca_pem = access.tls.ca_pem,
            .proxy_url = cluster.proxy_url,
            .disable_compression = cluster.disable_compression,
            .config = cluster.exec_config};
}

Result<std::unique_ptr<Credentials>> credentials_of(const Kubeconfig& config,
                                                    const ClusterAccess& access, io::Loop& loop,
                                                    const AccessEnvironment& environment) {
    if (!config.user.exec)
        return make_stored_credentials(loop, stored_secrets(config.user), environment.on_error);
    ExecCredentials::Options options{.plugin = *config.user.exec,
                                     .cluster = exec_cluster(config.cluster, access),
                                     .headers = config.user.impersonation,
                                     .environment = environment.variables,
                                     .seed = environment.seed};
    return std::make_unique<ExecCredentials>(loop, std::move(options));
}

Result<ClusterAccess> open_kubeconfig_access(const AccessChoice& choice, io::Loop& loop,
                                             const AccessEnvironment& environment) {
    const KubeconfigChoice which{.file = choice.kubeconfig, .context = choice.context};
    CAPSTAN_TRY(Kubeconfig config, read_kubeconfig(which, environment.variables));
    if (!choice.server.empty()) {
        config.cluster.server = choice.server;
        // tls-server-name belongs to the server that is replaced.
        config.cluster.tls_server_name.clear();
    }
    ClusterAccess out{.server = config.cluster.server,
                      .tls = {.server_name = config.cluster.tls_server_name,
                              .verify = !config.cluster.insecure_skip_tls_verify},
                      .ca_file = config.cluster.ca.file,
                      .proxy_url = config.cluster.proxy_url,
                      .compression = !config.cluster.disable_compression,
                      .kube_namespace = config.kube_namespace};
    CAPSTAN_TRY(out.tls.ca_pem, ca_of(config.cluster));
    CAPSTAN_TRY(out.credentials, credentials_of(config, out, loop, environment));
    return out;
}

/// The operator's URL, checked and without a slash at the end; empty: none was chosen.
Result<std::string> chosen_server(const AccessChoice& choice) {
    std::string out = choice.server;
    while (out.ends_with('/')) out.pop_back();
    const auto url = out.empty() ? Result<io::Url>() : io::parse_url(out);
    if (!url) return fail(ErrorCode::invalid_config, "server: " + url.error().message);
    return out;
}

}  // namespace

namespace {

bool is_pod(const Environment& environment) {
    return !environment.get("KUBERNETES_SERVICE_HOST").empty() &&
           !environment.get("KUBERNETES_SERVICE_PORT").empty();
}

/// Whether the pod's service account is chosen, and not a kubeconfig.
bool is_service_account(const AccessChoice& choice, const Environment& environment) {
    if (choice.kubeconfig == in_cluster) return true;
    const bool is_open = choice.kubeconfig.empty() && choice.context.empty();
    return is_open && environment.get("KUBECONFIG").empty() && is_pod(environment);
}

}  // namespace

Result<ClusterAccess> open_access(const AccessChoice& choice, io::Loop& loop,
                                  const AccessEnvironment& environment) {
    AccessChoice checked = choice;
    CAPSTAN_TRY(checked.server, chosen_server(choice));
    if (!is_service_account(choice, environment.variables))
        return open_kubeconfig_access(checked, loop, environment);
    if (!choice.context.empty())
        return fail(ErrorCode::invalid_config,
                    "a context requires a kubeconfig: a pod's service account has no contexts");
    CAPSTAN_TRY(ClusterAccess out, open_in_cluster_access(loop, environment));
    if (!checked.server.empty()) out.server = checked.server;
    return out;
}

std::vector<std::filesystem::path> secret_files_of(const AccessChoice& choice,
                                                   const AccessEnvironment& environment) {
    if (is_service_account(choice, environment.variables))
        return {environment.service_account / "token"};
    const KubeconfigChoice which{.file = choice.kubeconfig, .context = choice.context};
    const auto config = read_kubeconfig(which, environment.variables);
    if (!config) return {};
    std::vector<std::filesystem::path> out = config->files;
    for (const std::filesystem::path& file : {config->user.token_file, config->user.key.file})
        if (!file.empty()) out.push_back(file);
    return out;
}

CaWatch::CaWatch(io::Loop& loop, std::filesystem::path file, std::string known, OnChange on_change,
                 ErrorCallback on_error)
    : loop_(loop),
      later_(loop),
      file_(std::move(file)),
      known_(std::move(known)),
      on_change_(std::move(on_change)),
      on_error_(std::move(on_error)) {
    set_timer();
}

CaWatch::~CaWatch() { loop_.cancel(timer_); }

void CaWatch::set_timer() {
    // Guarded as well as cancelled: a timer that is about to fire cannot be cancelled any more.
    timer_ = loop_.after(ca_check_period, later_.guarded([this] { look(); }));
}

void CaWatch::look() {
    set_timer();
    auto text = read_pem_file(file_, PemKind::certificate);
    if (!text) {
        if (on_error_) on_error_(within("certificate authority", text.error()));
    } else if (*text != known_) {
        known_ = *std::move(text);
        on_change_(known_);
    }
}

namespace {

Result<std::string> in_cluster_server(const Environment& environment) {
    if (!is_pod(environment))
        return fail(ErrorCode::invalid_config,
                    "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not "
                    "set; use --kubeconfig or --context, or set cluster.kubeconfig");
    const std::string host = environment.get("KUBERNETES_SERVICE_HOST");
    const std::string port = environment.get("KUBERNETES_SERVICE_PORT");
    const bool is_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
    std::string out = "https://" + (is_ipv6 ? '[' + host + ']' : host) + ':' + port;
    if (!io::parse_url(out))
        return fail(
            ErrorCode::invalid_config,
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not a host and a port");
    return out;
}

std::string namespace_of(const AccessEnvironment& environment) {
    if (std::string ns = environment.variables.get("POD_NAMESPACE"); !ns.empty()) return ns;
    // A namespace is one word of ASCII, so the reader of tokens can read it.
    return read_token_file(environment.service_account / "namespace").value_or("default");
}

}  // namespace

Result<ClusterAccess> open_in_cluster_access(io::Loop& loop, const AccessEnvironment& environment) {
    ClusterAccess out;
    CAPSTAN_TRY(out.server, in_cluster_server(environment.variables));
    CAPSTAN_TRY(out.credentials,
                make_stored_credentials(loop, {.token_file = environment.service_account / "token"},
                                        environment.on_error));
    out.ca_file = environment.service_account / "ca.crt";
    if (auto ca = read_pem_file(out.ca_file, PemKind::certificate)) {
        out.tls.ca_pem = *std::move(ca);
    } else {
        out.warnings.push_back("certificate authority: " + ca.error().message +
                               "; using the system's certificate authorities instead");
    }
    out.kube_namespace = namespace_of(environment);
    return out;
}

}  // namespace capstan::kubernetes::client
