/// Reads kubeconfigs: the cluster and the user of one context.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include <capstan/error.hpp>
#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/exec_credentials.hpp"
#include "kubernetes/client/access/kubeconfig_yaml.hpp"

namespace capstan::kubernetes::client {

/// A certificate or key: either its text, which never changes, or a file that may change.
/// Neither: there is none.
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
    std::optional<boost::json::value> exec_config{};  ///< for plugins with provideClusterInfo
};

/// At most one of token, user name and exec plugin.
struct KubeconfigUser {
    HttpHeaders impersonation{};     ///< names in lower case
    PemSource certificate{}, key{};  ///< both or neither
    /// The content of `token_file` takes precedence; `token` is used until the file can be read.
    std::string token{};
    std::filesystem::path token_file{};
    std::string username{}, password{};
    /// Absent also if there is a token, a password or a certificate, which take precedence.
    std::optional<ExecPlugin> exec{};
};

struct Kubeconfig {
    std::string context{};
    KubeconfigCluster cluster{};
    KubeconfigUser user{};  ///< anonymous if the context has no user
    std::string kube_namespace = "default";
    std::vector<std::filesystem::path> files{};  ///< the files that were read
};

struct KubeconfigChoice {
    /// The only file to read, which must exist. Empty: the existing files of the list KUBECONFIG,
    /// or, if that is not set, HOME's .kube/config.
    std::filesystem::path file{};
    std::string context{};  ///< empty: the current one
};

/// With several files, the first file that has an entry (a cluster, user or context) of a given
/// name defines the whole entry, and the first file with a current context defines the current
/// context. Relative paths in a file are relative to its folder.
///
/// Only entries that the context uses are read. Files of certificates, keys and tokens are not read
/// here. `invalid_config`, as 'FILE:12: user "admin": why' and without secrets: an entry is
/// missing, malformed or contradictory, or needs what a daemon does not have (a terminal, a
/// built-in auth provider).
Result<Kubeconfig> read_kubeconfig(const KubeconfigChoice& choice, const Environment& environment);

// Reading one entry of a kubeconfig. Each step may find a problem, and the first problem is kept.

/// A name in quotes, for messages. A name of several words is cut after the first word: if a
/// closing quote is missing, the YAML parser may have read following lines, and secrets, into the
/// name.
std::string name_in_quotes(std::string_view name);

/// A map in a file, and its name for messages. Borrows the map and the place of the first problem,
/// which all entries made from this one share. A key that is absent or null reads as empty. Keys
/// that are not asked for are not checked. Cheap to copy.
class KubeconfigEntry {
public:
    /// `what` is 'user "admin"', or empty for the file as a whole.
    KubeconfigEntry(std::filesystem::path file, std::string what, const YamlValue& value,
                    std::optional<Error>& problem);

    /// The map at `key`; an empty one when there is none.
    KubeconfigEntry below(std::string_view key) const;
    /// The maps in the list at `key`.
    std::vector<KubeconfigEntry> each(std::string_view key) const;
    /// The same map under a name of its own.
    KubeconfigEntry named(std::string what) const;

    bool has(std::string_view key) const { return value_->find(key) != nullptr; }
    const YamlValue* find(std::string_view key) const { return value_->find(key); }
    std::string text(std::string_view key) const;
    std::vector<std::string> texts(std::string_view key) const;
    /// A map of lists of text, in order.
    std::vector<std::pair<std::string, std::vector<std::string>>> lists(std::string_view key) const;
    bool flag(std::string_view key) const;
    /// Relative paths are relative to the file's folder.
    std::filesystem::path path(std::string_view key) const;
    /// The base64 text at KEY-data, or else the file at KEY.
    PemSource pem(const std::string& key) const;
    std::filesystem::path folder() const;

    /// Keeps 'FILE:12: user "admin": KEY why', unless there was a problem before. An empty key
    /// means the entry as a whole. `why` must not quote the file's values, unless they are
    /// certainly no secret.
    void complain(std::string_view key, std::string_view why) const;

private:
    std::vector<std::string> texts_of(const YamlValue& list, std::string_view key) const;

    std::filesystem::path file_;
    std::string what_;
    const YamlValue* value_;
    std::size_t line_;  ///< of the nearest map that is there
    std::optional<Error>* problem_;
};

/// Decode one entry. After a problem, which the entry keeps, the result must not be used.
KubeconfigCluster decode_cluster(const KubeconfigEntry& entry);
KubeconfigUser decode_user(const KubeconfigEntry& entry);
ExecPlugin decode_exec_plugin(const KubeconfigEntry& entry);

}  // namespace capstan::kubernetes::client
