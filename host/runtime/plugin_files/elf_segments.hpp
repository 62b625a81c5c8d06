/// The beginning of an ELF file: whether it is a shared object of this host's kind, complete, and
/// which parts of it are loaded.
#pragma once

#include <cstdint>
#include <string>

#include <capstan/result.hpp>

#include "runtime/plugin_files/elf_image.hpp"
#include "runtime/plugin_files/partial_file.hpp"

namespace capstan::runtime {

/// The image of a complete shared object of this architecture; borrows the bytes. Any bytes at all
/// give an answer or an error. The section table is optional and only asked whether it lies inside
/// the file, since a file that is cut short nearly always ends before it.
Result<ElfImage> read_image(Bytes bytes);
/// Likewise of a file whose first pages are read for it and nothing else.
Result<ElfImage> read_image(PartialFile& file);

/// "x86_64", "aarch64"
std::string machine_name(std::uint16_t machine);

}  // namespace capstan::runtime
