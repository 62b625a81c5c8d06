#include "plugin_runtime/plugin_files/unloading.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace capstan::plugin_runtime::plugin_files {

namespace {

struct ImportHint {
    std::string_view import;  // a whole name, or the beginning of a mangled one
    std::string_view meaning;
};

/// Functions after whose call a thread or a callback may refer to the caller's code.
constexpr std::array hints{
    ImportHint{"pthread_create", "starts threads of its own"},
    ImportHint{"thrd_create", "starts threads of its own"},
    ImportHint{"_ZNSt6thread15_M_start_thread", "starts threads of its own"},
    ImportHint{"__cxa_thread_atexit", "has thread_local objects with destructors"},
    ImportHint{"pthread_key_create", "registers clean-up functions of threads"},
    ImportHint{"tss_create", "registers clean-up functions of threads"},
    ImportHint{"sigaction", "may install signal handlers"},
    ImportHint{"signal", "may install signal handlers"},
};

/// Libraries that are never unloaded, and that never call a plugin by themselves.
constexpr std::array<std::string_view, 9> harmless{
    "libc.so.6",  "libm.so.6",  "libstdc++.so.6",       "libgcc_s.so.1",         "libpthread.so.0",
    "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
};

bool is_hinted(std::string_view import, const ImportHint& hint) {
    // A C name must match as a whole, a mangled C++ name by its prefix.
    return hint.import.starts_with('_') ? import.starts_with(hint.import) : import == hint.import;
}

}  // namespace

std::optional<std::string> reason_to_keep(const ElfFacts& elf) {
    if (!elf.unique_symbols.empty())
        return "defines " + std::to_string(elf.unique_symbols.size()) +
               " unique symbols, such as " + elf.unique_symbols.front() +
               " (g++ needs -fno-gnu-unique)";
    if (elf.never_unloads) return "is linked with -z nodelete";
    for (const std::string& library : elf.needed)
        if (std::ranges::find(harmless, library) == harmless.end())
            return "needs " + library + ", which is not known to be safe to unload";
    for (const std::string& import : elf.imports)
        for (const ImportHint& hint : hints)
            if (is_hinted(import, hint))
                return std::string(hint.meaning) + " (imports " + import + ")";
    return std::nullopt;
}

bool is_mapped(const std::filesystem::path& copy) {
    void* handle = ::dlopen(copy.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return false;
    ::dlclose(handle);  // undoes what the question added
    return true;
}

}  // namespace capstan::plugin_runtime::plugin_files
