/// A program that prints credentials, as a kubeconfig's user describes it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

namespace capstan::kubernetes {

struct ExecPlugin {
    std::string api_version{};  ///< "client.authentication.k8s.io/v1" or ".../v1beta1"
    std::string command{};      ///< absolute, or a bare name that PATH leads to
    std::vector<std::string> arguments{};
    std::vector<std::pair<std::string, std::string>> variables{};  ///< besides the host's own
    std::string install_hint{};
    bool provides_cluster_info = false;
};

/// What a plugin is told about the server it makes credentials for, if it wants to know.
struct ExecCluster {
    std::string server{};
    std::string tls_server_name{};
    bool insecure_skip_tls_verify = false;
    std::string ca_pem{};
    std::string proxy_url{};
    bool disable_compression = false;
    std::optional<boost::json::value> config{};
};

}  // namespace capstan::kubernetes
