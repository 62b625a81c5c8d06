#include "runtime/plugin_files/elf_file.hpp"

#include <algorithm>

#include "runtime/plugin_files/elf_dynamic.hpp"
#include "runtime/plugin_files/elf_image.hpp"
#include "runtime/plugin_files/elf_segments.hpp"
#include "runtime/plugin_files/refuse.hpp"

namespace capstan::runtime {

namespace {

constexpr std::size_t notes_max = 256;
/// Of a file that has not been read; notes are far shorter.
constexpr std::uint64_t notes_bytes_max = 1 << 20;
/// Address space of one file, its zero-filled part included.
constexpr std::uint64_t memory_max = std::uint64_t{4} << 30;

/// The end of a segment; saturates, so that a wild size is merely past every file.
std::uint64_t end_of_segment(std::uint64_t at, std::uint64_t size) {
    return size > UINT64_MAX - at ? UINT64_MAX : at + size;
}

Result<void> check_mapping(const std::vector<Elf64_Phdr>& segments) {
    std::uint64_t end = 0;
    for (const Elf64_Phdr& s : segments) {
        if (s.p_type != PT_LOAD) continue;
        if (s.p_filesz > s.p_memsz)
            return refuse("is damaged: a segment is longer in the file than in memory");
        if (s.p_vaddr < end) return refuse("is damaged: its segments overlap or are out of order");
        end = end_of_segment(s.p_vaddr, s.p_memsz);
        if (end > memory_max)
            return refuse("asks for " + std::to_string(end) + " bytes of address space, " +
                          std::to_string(memory_max) + " are allowed");
    }
    if (end == 0) return refuse("is damaged: it has no segment to load");
    return {};
}

Result<void> check_segments(const ElfImage& image) {
    CAPSTAN_CHECK(check_mapping(image.segments()));
    if (image.find_segment(PT_INTERP) != nullptr)
        return refuse("is a program, not a shared object: it names an interpreter");
    const Elf64_Phdr* stack = image.find_segment(PT_GNU_STACK);
    // Without the header the loader of x86_64 makes every stack of the host executable.
    if (stack == nullptr || (stack->p_flags & PF_X) != 0)
        return refuse("asks for an executable stack; link it with -z noexecstack");
    return {};
}

Result<void> add_notes(Bytes file, const Elf64_Phdr& segment, std::vector<ElfNote>& notes) {
    const std::uint64_t align = segment.p_align == 8 ? 8 : 4;
    const auto padded = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    for (std::uint64_t at = segment.p_offset;
         end - at >= sizeof(Elf64_Nhdr) && notes.size() < notes_max;) {
        const Elf64_Nhdr note = *read_at<Elf64_Nhdr>(file, at);
        // The name ends on a boundary counted from the note's beginning, not from its own.
        const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
        const std::uint64_t payload_at = at + padded(sizeof(Elf64_Nhdr) + note.n_namesz);
        if (payload_at > end || note.n_descsz > end - payload_at)
            return refuse("is damaged: a note reaches past its segment");
        const Bytes name = part(file, name_at, note.n_namesz);
        std::string text(reinterpret_cast<const char*>(name.data()), name.size());
        if (!text.empty() && text.back() == '\0') text.pop_back();
        notes.push_back({std::move(text), note.n_type, payload_at, note.n_descsz});
        // The last note of a segment need not be padded.
        at = std::min(end, at + padded(payload_at - at + note.n_descsz));
    }
    return {};
}

}  // namespace

const ElfSymbol* ElfFacts::find_export(std::string_view name) const {
    const auto found = std::ranges::find(exports, name, &ElfSymbol::name);
    return found == exports.end() ? nullptr : &*found;
}

bool ElfFacts::imports_symbol(std::string_view name) const {
    return std::ranges::find(imports, name) != imports.end();
}

Result<ElfFacts> read_elf(std::span<const std::byte> bytes) {
    CAPSTAN_TRY(const ElfImage image, read_image(bytes));
    CAPSTAN_CHECK(check_segments(image));
    ElfFacts facts;
    facts.machine = machine_name(read_at<Elf64_Ehdr>(bytes, 0)->e_machine);
    facts.has_thread_locals = image.find_segment(PT_TLS) != nullptr;
    for (const Elf64_Phdr& segment : image.segments())
        if (segment.p_type == PT_NOTE) CAPSTAN_CHECK(add_notes(bytes, segment, facts.notes));
    CAPSTAN_CHECK(read_dynamic(image, facts));
    return facts;
}

Result<std::vector<ElfNote>> read_notes(PartialFile& file) {
    CAPSTAN_TRY(const ElfImage image, read_image(file));
    CAPSTAN_CHECK(check_segments(image));
    std::vector<ElfNote> notes;
    for (const Elf64_Phdr& segment : image.segments()) {
        if (segment.p_type != PT_NOTE) continue;
        CAPSTAN_CHECK(file.fetch(segment.p_offset,
                                 std::min<std::uint64_t>(segment.p_filesz, notes_bytes_max)));
        CAPSTAN_CHECK(add_notes(file.bytes(), segment, notes));
    }
    return notes;
}

}  // namespace capstan::runtime
