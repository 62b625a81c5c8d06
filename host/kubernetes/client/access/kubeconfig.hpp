/// What a kubeconfig says about one cluster and who asks it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>
#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "kubernetes/client/access/credentials_environment.hpp"
#include "kubernetes/client/access/exec_credentials_plugin.hpp"

namespace capstan::kubernetes {

/// A certificate or key: either the text itself, which then counts for ever, or the file that has
/// it at the moment. Neither: there is none.
struct PemSource {
    std::string text{};
    std::filesystem::path file{};  ///< not opened yet

    bool empty() const noexcept { return text.empty() && file.empty(); }
};

struct KubeconfigCluster {
    std::string server{};  ///< http or https, without a slash at the end
    std::string tls_server_name{};
    bool insecure_skip_tls_verify = false;
    PemSource ca{};
    std::string proxy_url{};  ///< http, https or socks5
    bool disable_compression = false;
    std::optional<boost::json::value> exec_config{};  ///< for exec plugins that ask for it
};

/// At most one of token, user name and exec plugin.
struct KubeconfigUser {
    HttpHeaders impersonation{};     ///< names in lower case
    PemSource certificate{}, key{};  ///< both or neither
    /// What the file holds goes before `token`, which bridges the time until it can be read.
    std::string token{};
    std::filesystem::path token_file{};
    std::string username{}, password{};
    /// Nothing also when a token, a password or a certificate makes it superfluous.
    std::optional<ExecPlugin> exec{};
};

struct Kubeconfig {
    std::string context{};
    KubeconfigCluster cluster{};
    KubeconfigUser user{};  ///< of a context without a user: nobody
    std::string kube_namespace = "default";
    std::vector<std::filesystem::path> files{};  ///< that were read
};

struct KubeconfigChoice {
    /// Used alone, and has to exist. Empty: the files that KUBECONFIG lists and that exist, else
    /// HOME's .kube/config.
    std::filesystem::path file{};
    std::string context{};  ///< empty: the current one
};

/// Of several files the first that names a cluster, user or context defines it wholly, and the
/// first that has a current context says which. Paths within a file are relative to its folder.
///
/// Only what the context uses is looked at. Certificates, keys and tokens in files are not read
/// here. `invalid_config`, as 'FILE:12: user "admin": why', without any secret: whatever is
/// missing, malformed, contradictory, or asks for what a daemon cannot do (a terminal, a built-in
/// provider).
Result<Kubeconfig> read_kubeconfig(const KubeconfigChoice& choice, const Environment& environment);

}  // namespace capstan::kubernetes
