#include "autoscaler/daemon/cluster_link.hpp"

#include <optional>
#include <utility>

#include "autoscaler/daemon/watch_outage.hpp"
#include "io/curl_http_client.hpp"
#include "kubernetes/client/access/access.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr std::string_view link_source = "kubernetes";

io::CurlHttpClient::Options http_options(const kubernetes::client::ClusterAccess& access,
                                         const std::string& version) {
    return {.tls = access.tls,
            .proxy = access.proxy_url,
            .gzip = access.compression,
            .user_agent = "capstan/" + version};
}

}  // namespace

/// Each member borrows from those before it.
struct ClusterLink::Parts {
    Parts(kubernetes::client::ClusterAccess opened, const config::Cluster& config, io::Loop& loop,
          plugin_runtime::services::Logger& log, const Options& options)
        : access(std::move(opened)),
          tls(access.tls),
          http(loop.io(), http_options(access, options.version)),
          api(options.http != nullptr ? *options.http : http, loop, *access.credentials,
              api_options(config, log, options)),
          outage(loop, log, [this] { return cluster_cache.watch_failures(); }),
          cluster_cache(api, loop, cluster_cache_options(log, options)) {
        if (!access.ca_file.empty()) watch_ca(loop, log);
    }

    kubernetes::client::ApiClientOptions api_options(const config::Cluster& config,
                                                     plugin_runtime::services::Logger& log,
                                                     const Options& options) {
        return {.server = access.server,
                .user_agent = "capstan/" + options.version,
                .requests_per_second = config.kube_client_qps,
                .burst = static_cast<double>(config.kube_client_burst),
                .is_read_only = options.dry_run,
                .use_certificate =
                    [this](const kubernetes::client::Credential& credential) {
                        tls.certificate_pem = credential.certificate_pem;
                        tls.key_pem = credential.key_pem;
                        http.set_tls(tls);
                    },
                .on_attempt = options.on_attempt,
                .on_warning =
                    [&log](const std::string& text) {
                        log.write(config::LogLevel::warn, link_source,
                                  "API server warning: " + text);
                    }};
    }
    kubernetes::client::ClusterCache::Options cluster_cache_options(
        plugin_runtime::services::Logger& log, const Options& options) {
        return {.builder = options.builder,
                .seed = options.seed,
                .on_unschedulable = options.on_unschedulable,
                .on_error = [this](const std::string& kind,
                                   const Error& error) { outage.begin(kind, error); },
                .on_unreadable =
                    [&log](const std::string& kind, const Error& error) {
                        log.write(config::LogLevel::warn, link_source, error.message,
                                  {{"kind", kind}});
                    }};
    }
    void watch_ca(io::Loop& loop, plugin_runtime::services::Logger& log) {
        ca_watch.emplace(
            loop, access.ca_file, tls.ca_pem,
            [this](const std::string& ca_pem) {
                tls.ca_pem = ca_pem;
                http.set_tls(tls);
            },
            [&log](const Error& error) {
                log.write(config::LogLevel::warn, link_source, error.message);
            });
    }

    kubernetes::client::ClusterAccess access;
    io::TlsOptions tls;  ///< with the present certificates
    io::CurlHttpClient http;
    kubernetes::client::ApiClient api;
    WatchOutage outage;
    kubernetes::client::ClusterCache cluster_cache;
    std::optional<kubernetes::client::CaWatch> ca_watch{};
};

ClusterLink::ClusterLink(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ClusterLink::~ClusterLink() = default;

Result<std::unique_ptr<ClusterLink>> ClusterLink::open(const config::Cluster& config,
                                                       io::Loop& loop,
                                                       plugin_runtime::services::Logger& log,
                                                       const Options& options) {
    const kubernetes::client::AccessEnvironment environment{
        .on_error =
            [&log](const Error& error) {
                log.write(config::LogLevel::warn, link_source, error.message);
            },
        .seed = options.seed};
    const kubernetes::client::AccessChoice choice{
        .kubeconfig = config.kubeconfig, .context = config.context, .server = config.server};
    auto access = kubernetes::client::open_access(choice, loop, environment);
    if (!access) return fail(within("cluster", std::move(access).error()));
    for (const std::string& warning : access->warnings)
        log.write(config::LogLevel::warn, link_source, warning);
    return std::unique_ptr<ClusterLink>(
        new ClusterLink(std::make_unique<Parts>(*std::move(access), config, loop, log, options)));
}

kubernetes::client::Api& ClusterLink::api() noexcept { return parts_->api; }
void ClusterLink::limit_timeouts(Duration most) { parts_->api.limit_timeouts(most); }
kubernetes::client::ClusterCache& ClusterLink::cluster_cache() noexcept {
    return parts_->cluster_cache;
}
const std::string& ClusterLink::server() const noexcept { return parts_->access.server; }

}  // namespace capstan::autoscaler::daemon
