/// The kubeconfig files, and the merge of their entries.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/result.hpp>

#include "kubernetes/client/access/credentials.hpp"
#include "kubernetes/client/access/kubeconfig.hpp"
#include "kubernetes/client/access/kubeconfig_yaml.hpp"

namespace capstan::kubernetes::client {

/// Longer kubeconfigs are refused. A hundred clusters with certificates take half of this.
inline constexpr std::size_t max_kubeconfig_bytes = std::size_t{4} << 20;

/// The lists of a kubeconfig that hold named entries.
struct KubeconfigList {
    std::string_view key;     ///< "clusters"
    std::string_view member;  ///< "cluster", which holds what the entry says
};
inline constexpr KubeconfigList kubeconfig_clusters{"clusters", "cluster"};
inline constexpr KubeconfigList kubeconfig_users{"users", "user"};
inline constexpr KubeconfigList kubeconfig_contexts{"contexts", "context"};

/// The kubeconfig files in the order of their precedence. Entries borrow from this object.
class KubeconfigFiles {
public:
    /// `invalid_config`: there is none, or one of them cannot be read.
    static Result<KubeconfigFiles> read(const std::filesystem::path& file,
                                        const Environment& environment);

    /// The first current context; empty: no file has one.
    std::string current_context(std::optional<Error>& problem) const;
    /// The entry of the first file that has it. Absent: no file has it, or there was a problem.
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
