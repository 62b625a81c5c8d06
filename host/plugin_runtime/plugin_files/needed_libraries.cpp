#include "plugin_runtime/plugin_files/needed_libraries.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "plugin_runtime/plugin_files/elf_file.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"
#include "plugin_runtime/plugin_files/trust.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t cache_bytes_max = 16 << 20;
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";

#if defined(__x86_64__)
constexpr std::int32_t library_flags = 0x0303;  // of the C library 6, for x86-64
constexpr const char* multiarch = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr std::int32_t library_flags = 0x0a03;
constexpr const char* multiarch = "aarch64-linux-gnu";
#endif

// The format of /etc/ld.so.cache. Offsets count from the header.
struct CacheHeader {
    char magic[20];
    std::uint32_t count, text_size;
    std::uint8_t flags, padding[3];
    std::uint32_t extension, unused[3];
};
struct CacheEntry {
    std::int32_t flags;
    std::uint32_t name, file, version;
    std::uint64_t processor;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);

std::optional<std::string_view> cached_text(Bytes cache, std::uint32_t at) {
    const Bytes rest = part(cache, at);
    const void* end = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
    if (end == nullptr) return std::nullopt;
    const char* begin = reinterpret_cast<const char*>(rest.data());
    return std::string_view(begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin));
}

std::vector<std::byte> read_cache() {
    std::ifstream in("/etc/ld.so.cache", std::ios::binary);
    std::vector<std::byte> bytes(cache_bytes_max);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    bytes.shrink_to_fit();
    return bytes;
}

std::vector<fs::path> environment_folders() {
    std::vector<fs::path> out;
    const char* list = std::getenv("LD_LIBRARY_PATH");
    std::string_view rest = list == nullptr ? "" : list;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(":;"), rest.size());
        // An empty part means the working folder.
        out.emplace_back(end == 0 ? "." : rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

/// Runs no code: with RTLD_NOLOAD the loader only finds loaded libraries.
fs::path find_loaded_library(const std::string& name) {
    void* handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return {};
    link_map* map = nullptr;
    const bool is_found = ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
    fs::path out = is_found ? map->l_name : "";
    ::dlclose(handle);  // undoes what the question added
    return out;
}

}  // namespace

LoaderPaths LoaderPaths::of_this_process() {
    const std::string own = multiarch;
    return {
        .environment = environment_folders(),
        .cache = read_cache(),
        .defaults = {"/lib/" + own, "/usr/lib/" + own, "/lib64", "/usr/lib64", "/lib", "/usr/lib"},
        .find_loaded = find_loaded_library};
}

std::vector<fs::path> find_in_cache(Bytes cache, std::string_view name) {
    const auto header = read_at<CacheHeader>(cache, 0);
    if (!header || std::string_view(header->magic, sizeof header->magic) != cache_magic) return {};
    std::vector<fs::path> out;
    for (std::uint64_t i = 0; i < header->count; ++i) {
        const auto entry = read_at<CacheEntry>(cache, sizeof *header + i * sizeof(CacheEntry));
        if (!entry) break;
        if (entry->flags != library_flags || cached_text(cache, entry->name) != name) continue;
        if (const auto file = cached_text(cache, entry->file)) out.emplace_back(*file);
    }
    return out;
}

namespace fs = std::filesystem;

namespace {

using Found = NeededLibrary::Found;

/// More than any plugin needs. The limit ends a chain of crafted libraries.
constexpr std::size_t libraries_max = 512;

/// The plugin or a library, with the file that needs it, because DT_RPATH of all these files
/// counts.
struct Loading {
    std::string name;  ///< empty: the plugin
    LibraryNeeds needs;
    std::shared_ptr<const Loading> parent;
};

struct Folder {
    fs::path path;
    Found found;
};

/// Checks the file that the loader opens, and its whole path.
Result<void> check_library(const fs::path& file) {
    CAPSTAN_TRY(const ResolvedPath end, resolve_trusted(file));
    if (!end.facts) return {};  // deleted since this process loaded it
    return check_file(*end.facts, ::geteuid());
}

/// Checks that no other user may replace or add files in the folder.
Result<void> check_searched(const fs::path& folder) {
    if (folder.string().find('$') != std::string::npos)
        return refuse("the folder depends on the machine");
    CAPSTAN_TRY(const ResolvedPath end, resolve_trusted(folder));
    if (!end.facts) return {};  // absent, and no other user can create it
    CAPSTAN_CHECK(check_folder(*end.facts, ::geteuid()));
    if ((end.facts->st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
    return refuse("is writable by other users (mode " + octal(end.facts->st_mode) + ")");
}

Result<LibraryNeeds> read_needs_of(const fs::path& file) {
    const io::FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return refuse("cannot be opened: " + io::errno_message());
    CAPSTAN_TRY(PartialFile bytes, PartialFile::open(fd.get()));
    CAPSTAN_TRY(LibraryNeeds needs, read_library_needs(bytes));
    for (auto* folders : {&needs.early_folders, &needs.late_folders})
        for (std::string& folder : *folders)
            for (const std::string_view origin : {"${ORIGIN}", "$ORIGIN"})
                if (const std::size_t at = folder.find(origin); at != std::string::npos)
                    folder.replace(at, origin.size(), file.parent_path().string());
    return needs;
}

/// The files of a name in a folder: the variants for newer processors, which the loader prefers,
/// and then the plain one.
std::vector<fs::path> variants_in(const fs::path& folder, const std::string& name) {
    std::vector<fs::path> out;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder / "glibc-hwcaps", error);
         !error && entry != fs::directory_iterator(); entry.increment(error))
        out.push_back(entry->path() / name);
    out.push_back(folder / name);
    std::erase_if(out, [&](const fs::path& file) { return !fs::exists(file, error); });
    return out;
}

class Search {
public:
    Search(const fs::path& plugin, const LoaderPaths& paths)
        : beside_(plugin.parent_path()), paths_(paths) {}

    void add(LibraryNeeds needs) {
        Loading plugin{{}, std::move(needs), nullptr};
        for (const std::string& folder : plugin.needs.early_folders) look_into(folder, true);
        for (const std::string& folder : plugin.needs.late_folders) look_into(folder, true);
        to_do_.push_back(std::make_shared<const Loading>(std::move(plugin)));
        while (!to_do_.empty()) {
            const auto next = std::move(to_do_.front());
            to_do_.pop_front();
            for (const std::string& name : next->needs.needed)
                if (found_.libraries.size() < libraries_max && names_.insert(name).second)
                    find(name, next);
        }
    }
    NeededLibraries found() && { return std::move(found_); }

private:
    void find(const std::string& name, const std::shared_ptr<const Loading>& by) {
        NeededLibrary library{name, by->name, Found::nowhere, {}};
        if (name.find('/') != std::string::npos) {
            library.found = Found::path;
            library.file = name;
            check(library, {name});
        } else if (fs::path loaded = paths_.find_loaded(name); !loaded.empty()) {
            library.found = Found::loaded;
            library.file = std::move(loaded);
            check(library, {library.file});
        } else {
            find_in_folders(library, *by);
        }
        if (library.found != Found::nowhere && library.found != Found::loaded)
            if (auto needs = read_needs_of(library.file))
                to_do_.push_back(
                    std::make_shared<const Loading>(Loading{name, *std::move(needs), by}));
        found_.libraries.push_back(std::move(library));
    }
    void find_in_folders(NeededLibrary& library, const Loading& by) {
        for (const Folder& folder : folders_for(by)) {
            look_into(folder.path, folder.found == Found::run_path);
            if (take(library, folder.found, variants_in(folder.path, library.name))) return;
        }
        std::vector<fs::path> cached = find_in_cache(paths_.cache, library.name);
        std::error_code error;
        std::erase_if(cached, [&](const fs::path& file) { return !fs::exists(file, error); });
        if (take(library, Found::system, cached)) return;
        for (const fs::path& folder : paths_.defaults)
            if (take(library, Found::system, variants_in(folder, library.name))) return;
    }
    /// The folders in the loader's order, without the system's.
    std::vector<Folder> folders_for(const Loading& by) const {
        std::vector<Folder> out;
        if (by.needs.late_folders.empty())
            for (const Loading* from = &by; from != nullptr; from = from->parent.get())
                if (from->needs.late_folders.empty())
                    for (const std::string& folder : from->needs.early_folders)
                        out.push_back({folder, Found::run_path});
        for (const fs::path& folder : paths_.environment)
            out.push_back({folder, Found::environment});
        for (const std::string& folder : by.needs.late_folders)
            out.push_back({folder, Found::run_path});
        return out;
    }
    bool take(NeededLibrary& library, Found found, const std::vector<fs::path>& files) {
        if (files.empty()) return false;
        library.found = found;
        library.file = files.front();
        check(library, files);
        return true;
    }
    void check(const NeededLibrary& library, const std::vector<fs::path>& files) {
        for (const fs::path& file : files)
            if (const Result<void> good = check_library(file); !good)
                doubt("needs " + library.name + ", which is loaded from " + file.string() + ": " +
                          good.error().message,
                      library.found == Found::run_path || file.parent_path() == beside_);
    }
    void look_into(const fs::path& folder, bool is_run_path) {
        if (!folders_.insert(folder).second) return;
        if (const Result<void> good = check_searched(folder); !good)
            doubt("looks for libraries in " + folder.string() +
                      ", where other users may place files: " + good.error().message,
                  is_run_path);
    }
    void doubt(std::string sentence, bool is_about_plugin) {
        found_.warnings.push_back({std::move(sentence), is_about_plugin});
    }

    const fs::path beside_;
    const LoaderPaths& paths_;
    std::deque<std::shared_ptr<const Loading>> to_do_;
    std::set<std::string> names_;
    std::set<fs::path> folders_;
    NeededLibraries found_;
};

}  // namespace

NeededLibraries find_needed(const fs::path& plugin, const ElfFacts& elf, const LoaderPaths& paths) {
    LibraryNeeds needs{.soname = elf.soname, .needed = elf.needed};
    (elf.run_paths_are_early ? needs.early_folders : needs.late_folders) = elf.run_paths;
    Search search(plugin, paths);
    search.add(std::move(needs));
    return std::move(search).found();
}

std::string_view name_of(NeededLibrary::Found found) {
    switch (found) {
        case Found::loaded: return "already loaded";
        case Found::run_path: return "run path";
        case Found::environment: return "LD_LIBRARY_PATH";
        case Found::system: return "system";
        case Found::path: return "path";
        case Found::nowhere: return "nowhere";
    }
    return {};
}

}  // namespace capstan::plugin_runtime::plugin_files
