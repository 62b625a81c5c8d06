#include "runtime/plugin_files/loader_paths.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "runtime/plugin_files/elf_image.hpp"

namespace capstan::runtime {

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

// As ldconfig writes them; offsets count from the header.
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
        // An empty one means the working folder.
        out.emplace_back(end == 0 ? "." : rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

/// Runs no code: with RTLD_NOLOAD the loader only tells what is there.
fs::path find_loaded_library(const std::string& name) {
    void* handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return {};
    link_map* map = nullptr;
    const bool is_told = ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
    fs::path out = is_told ? map->l_name : "";
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

}  // namespace capstan::runtime
