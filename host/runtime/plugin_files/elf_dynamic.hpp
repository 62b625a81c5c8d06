/// The dynamic section: what a shared object needs, offers and asks of the loader.
#pragma once

#include <capstan/result.hpp>

#include "runtime/plugin_files/elf_file.hpp"
#include "runtime/plugin_files/elf_image.hpp"

namespace capstan::runtime {

/// Fills the parts of `facts` that come from the dynamic section. Addresses are followed as the
/// loader follows them; tables are bounded by their segment and by fixed limits, so a crafted file
/// costs neither memory nor time.
Result<void> read_dynamic(const ElfImage& image, ElfFacts& facts);

}  // namespace capstan::runtime
