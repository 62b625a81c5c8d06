/// A configuration with loaded and checked plugins. It can use the shipped plugins of this build
/// tree. The only search path has tiny.so and failing.so, whose create fails.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../plugin_runtime/plugin_bytes.hpp"
#include "autoscaler/plugin_set.hpp"

namespace capstan::autoscaler {

class Assembly {
public:
    /// `files`: further plugins, copied to the search path.
    explicit Assembly(const std::string& toml, const std::vector<std::filesystem::path>& files = {})
        : loaded_(config::load_config(
              config::Source{"test.toml", "[trust]\nsearch_paths = [\"" + folder_.path().string() +
                                              "\"]\n" + toml},
              shipped_)) {
        folder_.file("tiny.so", plugin_runtime::tiny());
        folder_.file("failing.so", plugin_runtime::tiny("tiny_failing_create"));
        for (const std::filesystem::path& file : files)
            folder_.file(file.filename().string(), plugin_runtime::read_bytes_of(file));
        if (loaded_.config)
            plugins_ = load_plugins(*loaded_.config, shipped_, registry_, loaded_.diagnostics);
    }
    const config::Config& config() const { return *loaded_.config; }
    const PluginSet& plugins() const { return plugins_; }
    const config::Diagnostics& diagnostics() const { return loaded_.diagnostics; }

private:
    plugin_runtime::TemporaryFolder folder_;
    config::ShippedPlugins shipped_{std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                    "../../lib/capstan/plugins"};
    plugin_runtime::plugin_files::LibraryRegistry registry_{std::vector{folder_.path()}};
    config::Loaded loaded_;
    PluginSet plugins_;
};

}  // namespace capstan::autoscaler
