/// The plugins that come with the host: a name in the pipeline is enough for them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::runtime::config {

/// `lib/capstan/plugins` beside the folder of the program: build/release and an installed tree look
/// the same. Empty when the system does not tell where the program is.
std::filesystem::path shipped_plugins_root();

/// The .so files below one folder, itself and the subfolders of our source tree: expanders,
/// similarity, balancer.
class ShippedPlugins {
public:
    /// `root` need not exist; then there are none.
    explicit ShippedPlugins(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const noexcept { return root_; }
    /// The file of the plugin called `name` ("least_waste"), absolute. Nothing for names that are
    /// not file names.
    std::optional<std::filesystem::path> find(std::string_view name) const;
    /// All names, sorted.
    std::vector<std::string> names() const;
    /// Names of plugins that by their notes have classes of this kind ("capstan.cloud/1"); no code
    /// of any file is run.
    std::vector<std::string> names_of_kind(std::string_view kind) const;

private:
    std::filesystem::path root_;
};

}  // namespace capstan::runtime::config
