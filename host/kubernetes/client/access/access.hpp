/// From the configuration to a URL, the certificate authorities to trust, and the credentials.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "io/loop.hpp"
#include "io/tls_options.hpp"
#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/credentials_stored.hpp"

namespace capstan::kubernetes::client {

/// The operator's choice.
struct AccessChoice {
    /// "in-cluster": the pod's service account. Otherwise the path of a kubeconfig. Empty: the
    /// first of the files in KUBECONFIG, the service account if this is a pod and no context is
    /// chosen, and HOME's .kube/config.
    std::string kubeconfig{};
    std::string context{};  ///< of the kubeconfig; empty: the current one
    std::string server{};   ///< a URL that replaces the one found; empty: none
};

/// The environment of the program; tests replace it.
struct AccessEnvironment {
    Environment variables = Environment::of_process();
    std::filesystem::path service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
    /// Called if a file cannot be read and an earlier value stays in use.
    ErrorCallback on_error{};
    std::uint64_t seed = 0;  ///< of jitter
};

struct ClusterAccess {
    std::string server{};  ///< "https://10.0.0.1:6443", without a slash at the end
    /// The authorities to trust. The client certificate is not here: it comes with each Credential.
    io::TlsOptions tls{};
    std::filesystem::path ca_file{};  ///< the file of tls.ca_pem, for a CaWatch; empty: no file
    std::string proxy_url{};          ///< empty: the environment's proxy, NO_PROXY included
    bool compression = true;          ///< whether replies may be compressed
    std::string kube_namespace{};
    std::unique_ptr<Credentials> credentials{};
    std::vector<std::string> warnings{};  ///< for the log, once
};

/// Reads all files that are needed at the start. Fails with `invalid_config`; the message names the
/// file or variable to fix, and holds no secret. Borrows the loop for as long as the credentials
/// live.
Result<ClusterAccess> open_access(const AccessChoice& choice, io::Loop& loop,
                                  const AccessEnvironment& environment);

/// The files with secrets that open_access would read: kubeconfigs, the tokens and keys that they
/// name, or the service account's token. Secrets of an exec plugin are in no file.
std::vector<std::filesystem::path> secret_files_of(const AccessChoice& choice,
                                                   const AccessEnvironment& environment);

/// Access with the pod's service account. Without its certificate authority the system's
/// authorities are trusted, and a warning says so.
Result<ClusterAccess> open_in_cluster_access(io::Loop& loop, const AccessEnvironment& environment);

inline constexpr Duration ca_check_period = std::chrono::minutes(5);

/// Checks every five minutes whether the file of the certificate authority has changed. New
/// connections need the new authorities; open connections may stay. Used on the loop's thread
/// alone.
class CaWatch {
public:
    using OnChange = std::function<void(const std::string& ca_pem)>;
    /// Borrows the loop. `known` is the file's content that is in use. A file that cannot be read,
    /// or that holds no certificate, changes nothing and is reported to `on_error`.
    CaWatch(io::Loop& loop, std::filesystem::path file, std::string known, OnChange on_change,
            ErrorCallback on_error = {});
    CaWatch(const CaWatch&) = delete;
    CaWatch& operator=(const CaWatch&) = delete;
    /// No callback runs afterwards.
    ~CaWatch();

private:
    void set_timer();
    void look();

    io::Loop& loop_;
    Later later_;
    const std::filesystem::path file_;
    std::string known_;
    OnChange on_change_;
    ErrorCallback on_error_;
    io::TimerId timer_ = 0;
};

}  // namespace capstan::kubernetes::client
