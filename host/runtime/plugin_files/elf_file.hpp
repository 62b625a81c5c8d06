/// What an ELF file says about itself, read without running or mapping any of it.
///
/// Reads what the dynamic loader reads: the program headers (elf_segments.hpp) and what they lead
/// to, each step inside the bytes given. Any bytes at all give an answer or an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/plugin_files/partial_file.hpp"

namespace capstan::runtime {

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
    bool imports_symbol(std::string_view name) const;
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

}  // namespace capstan::runtime
