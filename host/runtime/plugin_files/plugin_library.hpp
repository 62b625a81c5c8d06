/// A plugin file that has become part of the process.
#pragma once

#include <capstan/abi/plugin.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/plugin_files/plugin_classes.hpp"
#include "runtime/plugin_files/plugin_file.hpp"

namespace capstan::runtime::plugin_files {

/// Made by LibraryRegistry, shared as `std::shared_ptr<const PluginLibrary>` by everything that
/// uses its code. What it offers was checked once and never changes. Unless it is closed, its code
/// stays mapped for ever, also after this object has gone: unloading is only safe where it is
/// proven to be.
class PluginLibrary {
public:
    /// [load] Opens `copy`, the private copy of the file that `facts` tell of, compares entry and
    /// note, calls init and reads the classes. Constructors of the file run in here, for the first
    /// time. On failure what was begun is undone (deinit), except that the code stays mapped.
    static Result<std::shared_ptr<PluginLibrary>> open(PluginFacts facts,
                                                       const std::filesystem::path& copy);

    PluginLibrary(const PluginLibrary&) = delete;
    PluginLibrary& operator=(const PluginLibrary&) = delete;
    /// [load] Calls deinit.
    ~PluginLibrary();

    const PluginFacts& facts() const { return facts_; }
    const capstan_entry& entry() const { return *entry_; }
    /// At least one, with different ids.
    std::span<const ClassInfo> classes() const { return classes_; }
    const ClassInfo* find_class(std::string_view id) const;
    const std::filesystem::path& copy() const { return copy_; }

    /// [load] Calls deinit and asks the dynamic loader to unload. The library must not be used any
    /// more.
    void close();

private:
    struct Mapping;  // Boost.DLL's part stays in one source

    PluginLibrary(PluginFacts facts, std::filesystem::path copy);
    Result<void> load();
    Result<void> init();
    void deinit();
    static void keep_mapped(std::unique_ptr<Mapping> mapping);

    PluginFacts facts_;
    std::filesystem::path copy_;
    std::unique_ptr<Mapping> mapping_;
    const capstan_entry* entry_ = nullptr;
    bool is_initialised_ = false;
    std::vector<ClassInfo> classes_;
};

}  // namespace capstan::runtime::plugin_files
