/// What a kubeconfig says about one cluster and the user that asks it.
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
    KubeconfigUser user{};  ///< of a context without a user: anonymous
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

// Reading one entry of a kubeconfig: each step may find something wrong, and the first is kept.

/// A name as messages have it, in quotes. Of what is no single word only the first is shown: a
/// quote that ends too late may have drawn secrets into it.
std::string name_in_quotes(std::string_view name);

/// A map in a file, and what messages call it. Borrows the map and the place for what is wrong,
/// which entries made from this one share. Keys that are absent or null read as empty; keys that
/// are not asked for are not looked at. Cheap to copy.
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
    /// Relative to the file's folder.
    std::filesystem::path path(std::string_view key) const;
    /// What stands at KEY-data in base64, else the file at KEY.
    PemSource pem(const std::string& key) const;
    std::filesystem::path folder() const;

    /// Keeps 'FILE:12: user "admin": KEY why', unless something was wrong before. Without a key it
    /// is about the entry. Whatever a user wrote there stays out of `why`, unless it is known to be
    /// no secret.
    void complain(std::string_view key, std::string_view why) const;

private:
    std::vector<std::string> texts_of(const YamlValue& list, std::string_view key) const;

    std::filesystem::path file_;
    std::string what_;
    const YamlValue* value_;
    std::size_t line_;  ///< of the nearest map that is there
    std::optional<Error>* problem_;
};

// One entry of a kubeconfig as a value.

/// What is wrong goes where the entry keeps it; then the answer is of no use.
KubeconfigCluster decode_cluster(const KubeconfigEntry& entry);
KubeconfigUser decode_user(const KubeconfigEntry& entry);
ExecPlugin decode_exec_plugin(const KubeconfigEntry& entry);

// Which kubeconfigs there are, and which of them says what.

/// Longer kubeconfigs are refused; a hundred clusters with certificates take half of this.
inline constexpr std::size_t max_kubeconfig_bytes = std::size_t{4} << 20;

/// The lists of a kubeconfig that hold named entries.
struct KubeconfigList {
    std::string_view key;     ///< "clusters"
    std::string_view member;  ///< "cluster", which holds what the entry says
};
inline constexpr KubeconfigList kubeconfig_clusters{"clusters", "cluster"};
inline constexpr KubeconfigList kubeconfig_users{"users", "user"};
inline constexpr KubeconfigList kubeconfig_contexts{"contexts", "context"};

/// The files that count, in order. Entries taken from it borrow it.
class KubeconfigFiles {
public:
    /// `invalid_config`: there is none, or one of them cannot be read.
    static Result<KubeconfigFiles> read(const std::filesystem::path& file,
                                        const Environment& environment);

    /// The first current context; empty: no file has one.
    std::string current_context(std::optional<Error>& problem) const;
    /// What the first file that has it says; nothing: none has, or something was wrong.
    std::optional<KubeconfigEntry> find(const KubeconfigList& list, std::string_view name,
                                        std::optional<Error>& problem) const;
    /// All names, sorted, for messages.
    std::vector<std::string> names(const KubeconfigList& list) const;
    std::vector<std::filesystem::path> paths() const;
    /// The files, as messages name them.
    std::string text() const;

private:
    struct File {
        std::filesystem::path path;
        YamlValue root;
    };
    Result<void> add(const std::filesystem::path& file);
    Result<void> add_listed(const std::string& list);

    std::vector<File> files_;
};

}  // namespace capstan::kubernetes::client
