/// A loaded plugin file.
#pragma once

#include <capstan/abi/plugin.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/plugin_classes.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"

namespace capstan::plugin_runtime::plugin_files {

/// Created by LibraryRegistry, and shared as `std::shared_ptr<const PluginLibrary>` by all users of
/// its code. Its classes have been checked once and never change. Unless close() is called, its
/// code stays mapped for ever, even after this object's destruction, because unloading is safe only
/// for some files (see unloading.hpp).
class PluginLibrary {
public:
    /// [load] Opens `copy`, the private copy of the file of `facts`, compares entry and note, calls
    /// init and reads the classes. The file's constructors run in this call. On failure deinit is
    /// called if init has succeeded; the code stays mapped.
    static Result<std::shared_ptr<PluginLibrary>> open(PluginFacts facts,
                                                       const std::filesystem::path& copy);

    PluginLibrary(const PluginLibrary&) = delete;
    PluginLibrary& operator=(const PluginLibrary&) = delete;
    /// [load] Calls deinit.
    ~PluginLibrary();

    const PluginFacts& facts() const { return facts_; }
    const capstan_entry& entry() const { return *entry_; }
    /// At least one class; ids are unique.
    std::span<const ClassInfo> classes() const { return classes_; }
    const ClassInfo* find_class(std::string_view id) const;
    const std::filesystem::path& copy() const { return copy_; }

    /// [load] Calls deinit and dlclose. The library must not be used afterwards.
    void close();

private:
    struct Mapping;  // hides Boost.DLL

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

}  // namespace capstan::plugin_runtime::plugin_files
