#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "io/http_syntax.hpp"
#include "io/url.hpp"
#include "kubernetes/client/access/kubeconfig_decode.hpp"

namespace capstan::kubernetes {
namespace {

constexpr std::string_view exec_extension = "client.authentication.k8s.io/exec";

std::string decode_server(const KubeconfigEntry& entry) {
    std::string server = entry.text("server");
    // Not quoted, for it may hold a password.
    if (server.empty()) {
        entry.complain("server", "is missing: the API server's URL");
    } else if (server.find("://") == std::string::npos) {
        entry.complain("server", "has no scheme: write https:// in front, or http://");
    } else if (const auto url = io::parse_url(server); !url) {
        entry.complain("server", url.error().message);
    } else if (server.find_first_of("?#") != std::string::npos) {
        entry.complain("server", "expects a URL without a query");
    } else {
        server.replace(0, url->scheme.size(), url->scheme);
    }
    while (server.ends_with('/')) server.pop_back();
    return server;
}

std::string decode_proxy(const KubeconfigEntry& entry) {
    constexpr std::array<std::string_view, 4> known{"http", "https", "socks5", "socks5h"};
    std::string proxy = entry.text("proxy-url");
    const std::size_t end = std::min(proxy.find("://"), proxy.size());
    const std::string scheme = io::lower_case(std::string_view(proxy).substr(0, end));
    const bool is_known = end < proxy.size() && std::ranges::find(known, scheme) != known.end();
    if (!proxy.empty() && !is_known)
        entry.complain("proxy-url", "expects an http, https or socks5 URL");
    return proxy;
}

std::optional<boost::json::value> find_exec_config(const KubeconfigEntry& entry) {
    for (const KubeconfigEntry& extension : entry.each("extensions")) {
        const YamlValue* value = extension.find("extension");
        if (extension.text("name") == exec_extension && value != nullptr) return json_of(*value);
    }
    return std::nullopt;
}

}  // namespace

KubeconfigCluster decode_cluster(const KubeconfigEntry& entry) {
    KubeconfigCluster out;
    out.server = decode_server(entry);
    out.tls_server_name = entry.text("tls-server-name");
    out.insecure_skip_tls_verify = entry.flag("insecure-skip-tls-verify");
    out.ca = entry.pem("certificate-authority");
    if (out.insecure_skip_tls_verify && !out.ca.empty())
        entry.complain("insecure-skip-tls-verify", "contradicts a certificate-authority");
    out.proxy_url = decode_proxy(entry);
    out.disable_compression = entry.flag("disable-compression");
    out.exec_config = find_exec_config(entry);
    return out;
}

}  // namespace capstan::kubernetes
