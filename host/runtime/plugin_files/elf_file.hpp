/// Bounded reading of an ELF file, by place in the file and by address in memory.
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

#include "runtime/plugin_files/partial_file.hpp"

namespace capstan::runtime::plugin_files {

using Bytes = std::span<const std::byte>;

/// A copy of the T that starts at `at`, or nothing when it does not lie inside. Needs no alignment.
template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t at) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

/// `size` bytes from `at` on, cut where `bytes` end.
inline Bytes part(Bytes bytes, std::uint64_t at, std::uint64_t size = UINT64_MAX) {
    if (at >= bytes.size()) return {};
    return bytes.subspan(at, size < bytes.size() - at ? size : std::dynamic_extent);
}

/// The file as the dynamic loader maps it: its addresses lead to the bytes of its PT_LOAD segments,
/// which must lie inside the file. Borrows the bytes.
class ElfImage {
public:
    ElfImage(Bytes file, std::vector<Elf64_Phdr> segments)
        : file_(file), segments_(std::move(segments)) {}

    /// The bytes from `address` to the end of what the file holds of its segment; empty outside.
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

// What an ELF file says about itself, read without running or mapping any of it.
//
// Reads what the dynamic loader reads: the program headers (elf_segments.hpp) and what they lead
// to, each step inside the bytes given. Any bytes at all give an answer or an error.

struct ElfSymbol {
    std::string name;
    std::uint64_t size = 0;
    bool is_data = false;
};

/// A note's place in the file; `at` and `size` are those of its payload and lie inside the file.
struct ElfNote {
    std::string name;
    std::uint32_t type = 0;
    std::size_t at = 0;
    std::size_t size = 0;
};

struct ElfFacts {
    std::string machine;                 ///< "x86_64", "aarch64"
    std::string soname;                  ///< empty: none
    std::vector<std::string> needed;     ///< libraries that are loaded with it, in order
    std::vector<std::string> run_paths;  ///< absolute folders where those are looked for first
    /// They are DT_RPATH's: looked into before LD_LIBRARY_PATH, and for what those need, too.
    bool run_paths_are_early = false;
    std::vector<std::string>
        floors;  ///< newest symbol versions asked for: "GLIBC_2.34", "GLIBCXX_3.4.21"
    std::vector<ElfSymbol> exports;    ///< visible definitions
    std::vector<std::string> imports;  ///< what others must define
    std::vector<std::string>
        unique_symbols;  ///< shared by all files of the process; they pin the file for ever
    std::vector<ElfNote> notes;
    bool bind_now = false;
    bool never_unloads = false;  ///< linked with -z nodelete
    bool has_thread_locals = false;

    const ElfSymbol* find_export(std::string_view name) const;
};

/// Accepts a complete shared object of this host's architecture. Refuses, each with its own
/// sentence: empty files, anything that is not ELF, other classes, byte orders and architectures,
/// programs and object files, truncated files (how many bytes are missing), executable stacks, text
/// relocations, and run paths that are not absolute: the host loads a private copy, so `$ORIGIN`
/// would lead astray, and a relative folder depends on where the host was started.
Result<ElfFacts> read_elf(std::span<const std::byte> bytes);

/// The notes of a file of which nothing else need be read. Refuses what read_elf refuses, as far as
/// its first pages tell.
Result<std::vector<ElfNote>> read_notes(PartialFile& file);

// The beginning of an ELF file: whether it is a shared object of this host's kind, complete, and
// which parts of it are loaded.

/// The image of a complete shared object of this architecture; borrows the bytes. Any bytes at all
/// give an answer or an error. The section table is optional and only asked whether it lies inside
/// the file, since a file that is cut short nearly always ends before it.
Result<ElfImage> read_image(Bytes bytes);
/// Likewise of a file whose first pages are read for it and nothing else.
Result<ElfImage> read_image(PartialFile& file);

/// "x86_64", "aarch64"
std::string machine_name(std::uint16_t machine);

}  // namespace capstan::runtime::plugin_files
