#include "plugin_runtime/plugin_files/elf_file.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include <capstan/ascii.hpp>

#include "plugin_runtime/plugin_files/elf_dynamic.hpp"
#include "plugin_runtime/plugin_files/refuse.hpp"

namespace capstan::plugin_runtime::plugin_files {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t host_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t host_machine = EM_AARCH64;
#else
#error "Capstan runs on x86_64 and aarch64"
#endif

constexpr std::size_t notes_max = 256;
/// The limit of notes of a PartialFile. Real notes are far shorter.
constexpr std::uint64_t notes_bytes_max = 1 << 20;
/// The limit of a file's address space, its zero-filled part included.
constexpr std::uint64_t memory_max = std::uint64_t{4} << 30;

/// The end of a segment, saturated: an absurd size is then beyond the end of any file.
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
            return refuse("needs " + std::to_string(end) + " bytes of address space; at most " +
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
        return refuse("needs an executable stack; link it with -z noexecstack");
    return {};
}

Result<void> add_notes(Bytes file, const Elf64_Phdr& segment, std::vector<ElfNote>& notes) {
    const std::uint64_t align = segment.p_align == 8 ? 8 : 4;
    const auto padded = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    const Bytes until_end = part(file, 0, end);
    std::uint64_t at = segment.p_offset;
    while (notes.size() < notes_max) {
        const auto note = read_at<Elf64_Nhdr>(until_end, at);
        if (!note) break;
        // The padding after the name is relative to the note's beginning, not to the name's.
        const std::uint64_t name_at = at + sizeof(Elf64_Nhdr);
        const std::uint64_t payload_at = at + padded(sizeof(Elf64_Nhdr) + note->n_namesz);
        if (payload_at > end || note->n_descsz > end - payload_at)
            return refuse("is damaged: a note reaches past its segment");
        const Bytes name = part(file, name_at, note->n_namesz);
        std::string text(reinterpret_cast<const char*>(name.data()), name.size());
        if (!text.empty() && text.back() == '\0') text.pop_back();
        notes.push_back({std::move(text), note->n_type, payload_at, note->n_descsz});
        // The last note of a segment need not be padded.
        at = std::min(end, at + padded(payload_at - at + note->n_descsz));
    }
    return {};
}

}  // namespace

const ElfSymbol* ElfFacts::find_export(std::string_view name) const {
    const auto found = std::ranges::find(exports, name, &ElfSymbol::name);
    return found == exports.end() ? nullptr : &*found;
}

Result<ElfFacts> read_elf(std::span<const std::byte> bytes) {
    CAPSTAN_TRY(const ElfImage image, read_image(bytes));
    CAPSTAN_CHECK(check_segments(image));
    ElfFacts facts;
    facts.machine = machine_name(host_machine);  // files for others have been refused
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

namespace {

constexpr std::size_t segments_max = 256;
/// In practically all files, the program headers are within this size.
constexpr std::uint64_t beginning = 64 << 10;

/// The first bytes in printable form, by which people recognise a file's type.
std::string first_bytes(Bytes bytes) {
    std::string shown;
    for (const std::byte b : part(bytes, 0, 24)) {
        const auto c = static_cast<unsigned char>(b);
        if (c == '\n' || c == '\r') break;
        if (std::isprint(c) == 0) {
            shown.clear();
            break;
        }
        shown += static_cast<char>(c);
    }
    if (shown == "!<arch>") return "it is a static library";
    if (!shown.empty()) return "it begins with the text \"" + shown + "\"";
    for (const std::byte b : part(bytes, 0, 4)) {
        const char c = static_cast<char>(b);
        shown += ' ' + hex_text({&c, 1});
    }
    return "it begins with the bytes" + shown;
}

Unexpected truncated(std::uint64_t needs, std::uint64_t has, std::string_view what) {
    return refuse("is truncated: it needs " + std::to_string(needs) + " bytes (" +
                  std::string(what) + "), the file has " + std::to_string(has));
}

Result<void> check_magic(Bytes bytes) {
    if (bytes.empty()) return refuse("is empty");
    if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
        return refuse("is not an ELF file: " + first_bytes(bytes));
    return {};
}

/// Checks the first 16 bytes, whose meaning does not depend on the architecture.
Result<void> check_identity(const Elf64_Ehdr& header) {
    const auto& ident = header.e_ident;
    if (ident[EI_DATA] == ELFDATA2MSB)
        return refuse("is built for a big-endian machine, this host is little-endian");
    if (ident[EI_CLASS] == ELFCLASS32) return refuse("is a 32-bit file, this host is 64-bit");
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB ||
        ident[EI_VERSION] != EV_CURRENT)
        return refuse("has a damaged ELF header");
    if (ident[EI_OSABI] != ELFOSABI_SYSV && ident[EI_OSABI] != ELFOSABI_GNU)
        return refuse("is built for another operating system (ELF OS/ABI " +
                      std::to_string(ident[EI_OSABI]) + ")");
    return {};
}

Result<void> check_type(const Elf64_Ehdr& header) {
    switch (header.e_type) {
        case ET_DYN: return {};
        case ET_EXEC: return refuse("is a program, not a shared object");
        case ET_REL:
            return refuse("is an object file, not a shared object: it has not been linked");
        case ET_CORE: return refuse("is a core dump, not a shared object");
        default:
            return refuse("is not a shared object (ELF type " + std::to_string(header.e_type) +
                          ")");
    }
}

Result<Elf64_Ehdr> read_header(Bytes bytes) {
    CAPSTAN_CHECK(check_magic(bytes));
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header) return truncated(sizeof(Elf64_Ehdr), bytes.size(), "header");
    CAPSTAN_CHECK(check_identity(*header));
    if (header->e_machine != host_machine)
        return refuse("is built for " + machine_name(header->e_machine) + ", this host is " +
                      machine_name(host_machine));
    CAPSTAN_CHECK(check_type(*header));
    return *header;
}

/// The end of a table or segment, saturated: an absurd size is then beyond the end of any file.
std::uint64_t end_of(std::uint64_t at, std::uint64_t size) {
    return size > UINT64_MAX - at ? UINT64_MAX : at + size;
}

Result<std::vector<Elf64_Phdr>> read_segments(Bytes bytes, const Elf64_Ehdr& header) {
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
        header.e_phnum > segments_max)
        return refuse("has " + std::to_string(header.e_phnum) + " program headers of " +
                      std::to_string(header.e_phentsize) + " bytes; expected 1 to " +
                      std::to_string(segments_max) + " of " + std::to_string(sizeof(Elf64_Phdr)) +
                      " bytes");
    const std::uint64_t end = end_of(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
    std::vector<Elf64_Phdr> segments;
    for (std::uint64_t at = header.e_phoff; at < end; at += sizeof(Elf64_Phdr)) {
        const auto segment = read_at<Elf64_Phdr>(bytes, at);
        if (!segment) return truncated(end, bytes.size(), "program headers");
        segments.push_back(*segment);
    }
    return segments;
}

/// Checks that all segments are inside the file. The dynamic loader maps them unchecked, and an
/// access beyond the end of the file would be a SIGBUS.
Result<void> check_complete(Bytes bytes, const Elf64_Ehdr& header,
                            const std::vector<Elf64_Phdr>& segments) {
    std::uint64_t end = 0;
    for (const Elf64_Phdr& s : segments)
        if (s.p_type == PT_LOAD || s.p_type == PT_NOTE)
            end = std::max(end, end_of(s.p_offset, s.p_filesz));
    if (end > bytes.size()) return truncated(end, bytes.size(), "segments");
    if (header.e_shoff == 0 || header.e_shnum == 0) return {};
    end = end_of(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
    if (end > bytes.size()) return truncated(end, bytes.size(), "sections");
    return {};
}

}  // namespace

std::string machine_name(std::uint16_t machine) {
    switch (machine) {
        case EM_386: return "i386";
        case EM_ARM: return "arm";
        case EM_X86_64: return "x86_64";
        case EM_AARCH64: return "aarch64";
        case EM_PPC64: return "ppc64";
        case EM_S390: return "s390x";
        case EM_RISCV: return "riscv";
        case 258: return "loongarch";  // <elf.h> of glibc 2.35 and older has no name for it
        default: return "machine " + std::to_string(machine);
    }
}

Result<ElfImage> read_image(Bytes bytes) {
    CAPSTAN_TRY(const Elf64_Ehdr header, read_header(bytes));
    CAPSTAN_TRY(std::vector<Elf64_Phdr> segments, read_segments(bytes, header));
    CAPSTAN_CHECK(check_complete(bytes, header, segments));
    return ElfImage(bytes, std::move(segments));
}

Result<ElfImage> read_image(PartialFile& file) {
    CAPSTAN_CHECK(file.fetch(0, beginning));
    CAPSTAN_TRY(const Elf64_Ehdr header, read_header(file.bytes()));
    CAPSTAN_CHECK(file.fetch(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)));
    return read_image(file.bytes());
}

}  // namespace capstan::plugin_runtime::plugin_files
