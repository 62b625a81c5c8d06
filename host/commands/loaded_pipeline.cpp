#include "commands/loaded_pipeline.hpp"

#include <CLI/CLI.hpp>

#include "commands/option_texts.hpp"

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

void add_config_file(CLI::App& command, std::string& file) {
    command.add_option("-c,--config", file, config_help)->required()->type_name("FILE");
}

void add_overrides(CLI::App& command, std::vector<std::string>& set) {
    command.add_option("--set", set, set_help)->type_name("KEY=VALUE")->allow_extra_args(false);
}

}  // namespace capstan::commands
