#include "plugin_runtime/plugin_files/library_registry.hpp"

#include <utility>

#include "plugin_runtime/plugin_files/unloading.hpp"

namespace capstan::plugin_runtime::plugin_files {

Result<std::shared_ptr<const PluginLibrary>> LibraryRegistry::load(const PluginFile& file) {
    auto& slot = by_hash_[file.facts.sha256];
    if (slot) return slot;
    auto opened = open(file).map_error(
        [&](Error e) { return within("plugin " + file.facts.path.string(), std::move(e)); });
    if (!opened) {
        by_hash_.erase(file.facts.sha256);
        return fail(std::move(opened).error());
    }
    slot = *std::move(opened);
    return slot;
}

Result<std::shared_ptr<const PluginLibrary>> LibraryRegistry::load(const PluginRequest& request,
                                                                   const TrustPolicy& policy) {
    CAPSTAN_TRY(const PluginFile file, read_plugin(request, policy));
    return load(file);
}

Result<int> LibraryRegistry::prepare(const PluginFile& file) {
    CAPSTAN_CHECK(copy(file).map_error(
        [&](Error e) { return within("plugin " + file.facts.path.string(), std::move(e)); }));
    return private_copies().descriptor();
}

Result<std::filesystem::path> LibraryRegistry::copy(const PluginFile& file) {
    if (!copies_) {
        CAPSTAN_TRY(PrivateCopies copies, PrivateCopies::create(places_));
        copies_.emplace(std::move(copies));
    }
    return copies_->write(file.bytes, file.facts.sha256);
}

Result<std::shared_ptr<PluginLibrary>> LibraryRegistry::open(const PluginFile& file) {
    CAPSTAN_TRY(const std::filesystem::path path, copy(file));
    return PluginLibrary::open(file.facts, path);
}

UnloadReport LibraryRegistry::unload_unused() {
    UnloadReport report;
    for (auto it = by_hash_.begin(); it != by_hash_.end();) {
        PluginLibrary& library = *it->second;
        const std::filesystem::path file = library.facts().path;
        std::optional<std::string> because = reason_to_keep(library.facts().elf);
        if (it->second.use_count() > 1) because = "is in use";
        if (because) {
            report.kept.push_back({file, *because});
            ++it;
            continue;
        }
        library.close();
        if (is_mapped(library.copy())) {
            report.kept.push_back(
                {file, "is still mapped after it was closed; another library may use it"});
        } else {
            report.unloaded.push_back(file);
            private_copies().remove(library.copy());
        }
        it = by_hash_.erase(it);
    }
    return report;
}

std::vector<std::shared_ptr<const PluginLibrary>> LibraryRegistry::libraries() const {
    std::vector<std::shared_ptr<const PluginLibrary>> all;
    for (const auto& [hash, library] : by_hash_) all.push_back(library);
    return all;
}

}  // namespace capstan::plugin_runtime::plugin_files
