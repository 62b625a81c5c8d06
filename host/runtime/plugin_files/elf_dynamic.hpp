/// The dynamic section: what a shared object needs, offers and asks of the loader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "runtime/plugin_files/elf_file.hpp"

namespace capstan::runtime::plugin_files {

/// Fills the parts of `facts` that come from the dynamic section. Addresses are followed as the
/// loader follows them; tables are bounded by their segment and by fixed limits, so a crafted file
/// costs neither memory nor time.
Result<void> read_dynamic(const ElfImage& image, ElfFacts& facts);

// Symbol versions: how new a C library, C++ library and so on a file asks for.

/// A dynamic string table. Borrows its bytes.
class StringTable {
public:
    explicit StringTable(Bytes bytes) : bytes_(bytes) {}
    /// The text at `offset`; fails when it does not end inside the table.
    Result<std::string_view> at(std::uint64_t offset) const;

private:
    Bytes bytes_;
};

/// The newest version of each name in the table `needed` (DT_VERNEED), sorted:
///     GLIBC_2.2.5, GLIBC_2.34, GLIBCXX_3.4.21  ->  GLIBCXX_3.4.21, GLIBC_2.34
/// Versions without numbers ("GLIBC_PRIVATE") are each listed.
Result<std::vector<std::string>> read_version_floors(Bytes needed, const StringTable& strings);

}  // namespace capstan::runtime::plugin_files
