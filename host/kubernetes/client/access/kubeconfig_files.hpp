/// Which kubeconfigs there are, and which of them says what.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "kubernetes/client/access/kubeconfig.hpp"

namespace capstan::kubernetes::client {

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
