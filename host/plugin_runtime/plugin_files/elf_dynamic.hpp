/// Reads the dynamic section of a shared object: needed libraries, symbols, run paths and flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "plugin_runtime/plugin_files/elf_file.hpp"

namespace capstan::plugin_runtime::plugin_files {

/// Sets the members of `facts` that come from the dynamic section. Addresses are resolved as the
/// dynamic loader does. Tables are bounded by their segment and by fixed limits, so a crafted file
/// cannot cost much memory or time.
Result<void> read_dynamic(const ElfImage& image, ElfFacts& facts);

/// A dynamic string table. Borrows its bytes.
class StringTable {
public:
    explicit StringTable(Bytes bytes) : bytes_(bytes) {}
    /// The text at `offset`. Fails if it does not end inside the table.
    Result<std::string_view> at(std::uint64_t offset) const;

private:
    Bytes bytes_;
};

/// The symbol versions that a file needs, that is how new a C library, C++ library and so on: the
/// newest version of each name in the table `needed` (DT_VERNEED), sorted:
///     GLIBC_2.2.5, GLIBC_2.34, GLIBCXX_3.4.21  ->  GLIBCXX_3.4.21, GLIBC_2.34
/// All versions without numbers ("GLIBC_PRIVATE") are listed.
Result<std::vector<std::string>> read_required_versions(Bytes needed, const StringTable& strings);

}  // namespace capstan::plugin_runtime::plugin_files
