/// Reads ELF files without mapping or running them. Each access is bounded, so any bytes are safe.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/partial_file.hpp"

namespace capstan::plugin_runtime::plugin_files {

using Bytes = std::span<const std::byte>;

/// A copy of the T at offset `at`, which need not be aligned. Absent: it is not wholly inside.
template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t at) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

/// `size` bytes from offset `at`, cut at the end of `bytes`.
inline Bytes part(Bytes bytes, std::uint64_t at, std::uint64_t size = UINT64_MAX) {
    if (at >= bytes.size()) return {};
    return bytes.subspan(at, size < bytes.size() - at ? size : std::dynamic_extent);
}

/// The file as the dynamic loader maps it: addresses refer to the bytes of the PT_LOAD segments,
/// which must be inside the file. Borrows the bytes.
class ElfImage {
public:
    ElfImage(Bytes file, std::vector<Elf64_Phdr> segments)
        : file_(file), segments_(std::move(segments)) {}

    /// The bytes from `address` to the end of the file's part of its segment. Empty: no segment has
    /// the address.
    Bytes from(std::uint64_t address) const {
        for (const Elf64_Phdr& s : segments_)
            if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
                return part(file_, s.p_offset, s.p_filesz).subspan(address - s.p_vaddr);
        return {};
    }
    const Elf64_Phdr* find_segment(std::uint32_t type) const {
        for (const Elf64_Phdr& s : segments_)
            if (s.p_type == type) return &s;
        return nullptr;
    }
    Bytes file() const { return file_; }
    const std::vector<Elf64_Phdr>& segments() const { return segments_; }

private:
    Bytes file_;
    std::vector<Elf64_Phdr> segments_;
};

// The facts about an ELF file. They come from the same parts that the dynamic loader reads: the
// program headers, and the sections that these refer to.

struct ElfSymbol {
    std::string name;
    std::uint64_t size = 0;
    bool is_data = false;
};

/// A note; `at` and `size` are the range of its payload, which is inside the file.
struct ElfNote {
    std::string name;
    std::uint32_t type = 0;
    std::size_t at = 0;
    std::size_t size = 0;
};

struct ElfFacts {
    std::string machine;                 ///< "x86_64", "aarch64"
    std::string soname;                  ///< empty: none
    std::vector<std::string> needed;     ///< DT_NEEDED, in order
    std::vector<std::string> run_paths;  ///< absolute folders that are searched for `needed`
    /// The run paths are DT_RPATH, not DT_RUNPATH: they are searched before LD_LIBRARY_PATH, and
    /// for indirectly needed libraries, too.
    bool run_paths_are_early = false;
    /// The newest required symbol versions: "GLIBC_2.34", "GLIBCXX_3.4.21".
    std::vector<std::string> required_versions;
    std::vector<ElfSymbol> exports;    ///< visible definitions
    std::vector<std::string> imports;  ///< undefined symbols, which other files must define
    /// STB_GNU_UNIQUE symbols, which all files of the process share; the loader never unloads a
    /// file that has one.
    std::vector<std::string> unique_symbols;
    std::vector<ElfNote> notes;
    bool bind_now = false;
    bool never_unloads = false;  ///< linked with -z nodelete
    bool has_thread_locals = false;

    const ElfSymbol* find_export(std::string_view name) const;
};

/// Accepts a complete shared object of this host's architecture. Refuses, with a message of its own
/// for each case: empty files, files other than ELF, other ELF classes, byte orders and
/// architectures, programs and object files, truncated files (with the number of missing bytes),
/// executable stacks, text relocations, and run paths that are not absolute. The host loads a
/// private copy, so `$ORIGIN` would be another folder, and a relative path depends on the host's
/// working folder.
Result<ElfFacts> read_elf(std::span<const std::byte> bytes);

/// Reads only the notes of a file. Refuses the same files as read_elf, as far as their first pages
/// show it.
Result<std::vector<ElfNote>> read_notes(PartialFile& file);

/// The image of a complete shared object of this architecture. Borrows the bytes. The section table
/// is optional; the only check is that it is inside the file, because a truncated file nearly
/// always ends before it.
Result<ElfImage> read_image(Bytes bytes);
/// The image of a file of which only the first pages are read.
Result<ElfImage> read_image(PartialFile& file);

/// "x86_64", "aarch64"
std::string machine_name(std::uint16_t machine);

}  // namespace capstan::plugin_runtime::plugin_files
