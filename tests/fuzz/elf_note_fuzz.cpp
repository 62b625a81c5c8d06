#include "fuzzing.hpp"
#include "plugin_runtime/plugin_files/elf_file.hpp"
#include "plugin_runtime/plugin_files/plugin_note.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace capstan;
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto facts = plugin_runtime::plugin_files::read_elf(bytes);
    if (!facts) return 0;
    for (const plugin_runtime::plugin_files::ElfNote& note : facts->notes)
        fuzz::require(note.at <= size && note.size <= size - note.at, "a note lies in its file");
    (void)plugin_runtime::plugin_files::read_note(bytes, *facts);
    return 0;
}
