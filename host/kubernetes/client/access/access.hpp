/// Where the API server is, how it proves its identity, and how this client proves its own.
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

/// What the operator chose.
struct AccessChoice {
    /// "in-cluster": the pod's service account. Else a kubeconfig's path; empty: where kubectl
    /// would look, that is KUBECONFIG and HOME's .kube/config.
    std::string kubeconfig = "in-cluster";
    std::string context{};  ///< of the kubeconfig; empty: the current one
    std::string server{};   ///< a URL in place of the one found; empty: that
};

/// What surrounds the program; tests bring their own.
struct AccessSurroundings {
    Environment environment = Environment::of_process();
    std::filesystem::path service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
    /// What goes wrong later without ending anything: a file that cannot be read again.
    OnTrouble on_trouble{};
    std::uint64_t seed = 0;  ///< of jitter
};

struct ClusterAccess {
    std::string server{};  ///< "https://10.0.0.1:6443", without a slash at the end
    /// The authorities to trust; the client's certificate comes with each Credential instead.
    io::TlsOptions tls{};
    std::filesystem::path ca_file{};  ///< where tls.ca_pem is from, for a CaWatch; empty: it stays
    std::string proxy_url{};          ///< empty: as the environment says, NO_PROXY included
    bool compression = true;          ///< whether replies may come compressed
    std::string kube_namespace{};
    std::unique_ptr<Credentials> credentials{};
    std::vector<std::string> warnings{};  ///< for the log, once
};

/// Reads everything that is needed at the start, which may fail with `invalid_config`: then it says
/// which file or variable to mend, and no secret. Borrows the loop for as long as the credentials
/// live.
Result<ClusterAccess> open_access(const AccessChoice& choice, io::Loop& loop,
                                  const AccessSurroundings& surroundings);

/// The files with secrets that open_access would read: kubeconfigs, and tokens and keys that they
/// name, or the service account's token. Those that a program gives are in none.
std::vector<std::filesystem::path> secret_files_of(const AccessChoice& choice,
                                                   const AccessSurroundings& surroundings);

/// The pod's service account. Its certificate authority may be missing: then the system's count,
/// and a warning says so.
Result<ClusterAccess> open_in_cluster_access(io::Loop& loop,
                                             const AccessSurroundings& surroundings);

// The certificate authority that an API server's certificate is checked with.

inline constexpr Duration ca_check_period = std::chrono::minutes(5);

/// Looks every five minutes whether the file has other certificates; open connections may run on,
/// new ones need them. Used on the loop's thread alone.
class CaWatch {
public:
    using OnChange = std::function<void(const std::string& ca_pem)>;
    /// Borrows the loop. `known` is what counts now. A file that cannot be read, or that holds no
    /// certificate, changes nothing and is told to `on_trouble`.
    CaWatch(io::Loop& loop, std::filesystem::path file, std::string known, OnChange on_change,
            OnTrouble on_trouble = {});
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
    OnTrouble on_trouble_;
    io::TimerId timer_ = 0;
};

}  // namespace capstan::kubernetes::client
