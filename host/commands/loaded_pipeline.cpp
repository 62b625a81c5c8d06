#include "commands/loaded_pipeline.hpp"

namespace capstan::commands {
namespace {

/// `from` is the path of a file, or a Source with the text.
template <class From>
std::unique_ptr<LoadedPipeline> prepare_from(const From& from,
                                             std::span<const std::string> overrides = {}) {
    config::ShippedPlugins shipped(config::shipped_plugins_root());
    config::Loaded loaded = config::load_config(from, shipped, overrides);
    auto prepared = std::make_unique<LoadedPipeline>(
        LoadedPipeline{std::move(shipped),
                       plugin_runtime::plugin_files::LibraryRegistry(),
                       std::move(loaded),
                       {}});
    if (prepared->loaded.config) {
        prepared->plugins =
            autoscaler::load_plugins(prepared->config(), prepared->shipped, prepared->registry,
                                     prepared->loaded.diagnostics);
    }
    return prepared;
}

}  // namespace

std::unique_ptr<LoadedPipeline> load_pipeline(const std::filesystem::path& file,
                                              std::span<const std::string> overrides) {
    return prepare_from(file, overrides);
}

std::unique_ptr<LoadedPipeline> load_default_pipeline() {
    return prepare_from(config::Source{"defaults", ""});
}

}  // namespace capstan::commands
