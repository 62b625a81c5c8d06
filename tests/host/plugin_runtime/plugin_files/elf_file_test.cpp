#include "plugin_runtime/plugin_files/elf_file.hpp"

#include <gmock/gmock.h>

#include <random>

#include "../plugin_bytes.hpp"
#include "plugin_runtime/plugin_files/plugin_note.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

std::string elf_refusal(const FileBytes& bytes) {
    const auto facts = read_elf(bytes);
    EXPECT_TRUE(facts || facts.error().code == ErrorCode::invalid_config);
    return message_of(facts);
}

template <class T>
std::string refusal_with(std::size_t at, T value) {
    return elf_refusal(patched(tiny(), at, value));
}

/// Replaces the first needed library by a run path of this text, which must be as long as
/// "libc.so.6".
FileBytes with_run_path(const std::string& text) {
    FileBytes bytes = tiny();
    const std::size_t entry = dynamic_place(bytes, DT_NEEDED);
    bytes = patched(std::move(bytes), entry, std::int64_t{DT_RUNPATH});
    const std::size_t name = place_of(bytes, "libc.so.6");
    std::ranges::copy(bytes_of(text), bytes.begin() + static_cast<std::ptrdiff_t>(name));
    return bytes;
}

TEST(ElfFile, ReadsExportsImportsAndNeededLibraries) {
    const auto facts = read_elf(tiny());
    ASSERT_TRUE(facts) << facts.error();
    ASSERT_EQ(facts->exports.size(), 1u);
    EXPECT_EQ(facts->exports[0].name, CAPSTAN_ENTRY_SYMBOL);
    EXPECT_TRUE(facts->exports[0].is_data);
    // The address sanitizer makes variables longer.
    EXPECT_GE(facts->exports[0].size, sizeof(capstan_entry));
    EXPECT_THAT(facts->imports, testing::Contains("setenv"));
    EXPECT_THAT(facts->needed, testing::Contains("libc.so.6"));
    EXPECT_THAT(facts->required_versions, testing::Contains(testing::StartsWith("GLIBC_2.")));
    EXPECT_TRUE(facts->bind_now);
    EXPECT_FALSE(facts->has_thread_locals);
    EXPECT_THAT(facts->unique_symbols, testing::IsEmpty());
}

TEST(ElfFile, FindsUniqueSymbols) {
    const auto facts = read_elf(tiny("tiny_unique"));
    ASSERT_TRUE(facts) << facts.error();
    EXPECT_THAT(facts->unique_symbols, testing::ElementsAre("capstan_tiny_unique"));
}

TEST(ElfFile, DescribesAFileThatIsNotElf) {
    EXPECT_EQ(elf_refusal({}), "is empty");
    EXPECT_EQ(elf_refusal(bytes_of("#!/bin/sh\necho no\n")),
              "is not an ELF file: it begins with the text \"#!/bin/sh\"");
    EXPECT_EQ(elf_refusal(bytes_of("\x1f\x8b\x08")),
              "is not an ELF file: it begins with the bytes 1f 8b 08");
    EXPECT_EQ(elf_refusal(bytes_of("!<arch>\nfoo.o/")),
              "is not an ELF file: it is a static library");
}

TEST(ElfFile, NamesAnotherArchitecture) {
    const std::uint16_t other =
        value_at<Elf64_Ehdr>(tiny(), 0).e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
    EXPECT_THAT(refusal_with(offsetof(Elf64_Ehdr, e_machine), other),
                testing::AnyOf("is built for aarch64, this host is x86_64",
                               "is built for x86_64, this host is aarch64"));
    EXPECT_THAT(refusal_with(offsetof(Elf64_Ehdr, e_machine), std::uint16_t{EM_RISCV}),
                HasSubstr("riscv"));
    EXPECT_EQ(refusal_with(EI_CLASS, ELFCLASS32), "is a 32-bit file, this host is 64-bit");
    EXPECT_EQ(refusal_with(EI_DATA, static_cast<unsigned char>(ELFDATA2MSB)),
              "is built for a big-endian machine, this host is little-endian");
}

TEST(ElfFile, RefusesProgramsAndObjectFiles) {
    constexpr std::size_t type = offsetof(Elf64_Ehdr, e_type);
    EXPECT_EQ(refusal_with(type, std::uint16_t{ET_EXEC}), "is a program, not a shared object");
    EXPECT_THAT(refusal_with(type, std::uint16_t{ET_REL}), HasSubstr("has not been linked"));
    EXPECT_EQ(refusal_with(type, std::uint16_t{ET_CORE}), "is a core dump, not a shared object");
    EXPECT_THAT(refusal_with(segment_place(tiny(), PT_GNU_EH_FRAME), std::uint32_t{PT_INTERP}),
                HasSubstr("names an interpreter"));
    EXPECT_THAT(elf_refusal(read_bytes_of("/proc/self/exe")), HasSubstr("is a program"));
}

TEST(ElfFile, RefusesATruncatedFile) {
    const FileBytes whole = tiny();
    ASSERT_GT(whole.size(), 4096u);
    for (std::size_t size = 64; size < whole.size(); size += size < 4096 ? 1 : 4096)
        EXPECT_THAT(elf_refusal(cut(whole, size)), HasSubstr("is truncated: it needs ")) << size;
    EXPECT_THAT(elf_refusal(cut(whole, whole.size() - 1)), HasSubstr(std::to_string(whole.size())));
    for (std::size_t size = 0; size < 64; ++size)
        EXPECT_NE(elf_refusal(cut(whole, size)), "no error") << size;
}

TEST(ElfFile, NeedsNoSectionTable) {
    const FileBytes whole = tiny();
    const std::size_t end = value_at<Elf64_Ehdr>(whole, 0).e_shoff;
    FileBytes bytes = patched(cut(whole, end), offsetof(Elf64_Ehdr, e_shoff), Elf64_Off{0});
    bytes = patched(std::move(bytes), offsetof(Elf64_Ehdr, e_shnum), Elf64_Half{0});
    const auto facts = read_elf(bytes);
    ASSERT_TRUE(facts) << facts.error();
    EXPECT_NE(facts->find_export(CAPSTAN_ENTRY_SYMBOL), nullptr);
}

/// For control-flow protection, compilers add an NT_GNU_PROPERTY_TYPE_0 note in a segment that is
/// aligned to 8 bytes.
TEST(ElfFile, ReadsNotesOfEitherAlignment) {
    struct {
        Elf64_Nhdr header{4, 16, NT_GNU_PROPERTY_TYPE_0};
        char name[4]{'G', 'N', 'U', 0};
        std::uint64_t properties[2]{};
    } const note;
    static_assert(sizeof note == 32);
    FileBytes bytes = tiny();
    const std::size_t at = segment_place(bytes, PT_GNU_EH_FRAME);
    auto segment = value_at<Elf64_Phdr>(bytes, at);
    segment.p_type = PT_NOTE;
    segment.p_offset = bytes.size();
    segment.p_filesz = sizeof note;
    segment.p_align = 8;
    bytes.resize(bytes.size() + sizeof note);
    bytes = patched(patched(std::move(bytes), segment.p_offset, note), at, segment);
    const auto facts = read_elf(bytes);
    ASSERT_TRUE(facts) << facts.error();
    EXPECT_EQ(facts->notes.back().name, "GNU");
    EXPECT_EQ(facts->notes.back().at, segment.p_offset + 16);
    EXPECT_EQ(facts->notes.back().size, 16u);
    EXPECT_TRUE(read_note(bytes, *facts));
}

TEST(ElfFile, RefusesAnExecutableStack) {
    const std::size_t stack = segment_place(tiny(), PT_GNU_STACK);
    EXPECT_THAT(
        refusal_with(stack + offsetof(Elf64_Phdr, p_flags), std::uint32_t{PF_R | PF_W | PF_X}),
        HasSubstr("executable stack"));
    EXPECT_THAT(refusal_with(stack, std::uint32_t{PT_NULL}), HasSubstr("executable stack"));
}

TEST(ElfFile, RefusesTextRelocations) {
    const std::size_t flags = dynamic_place(tiny(), DT_FLAGS) + offsetof(Elf64_Dyn, d_un);
    EXPECT_THAT(refusal_with(flags, std::uint64_t{DF_TEXTREL | DF_BIND_NOW}), HasSubstr("-fPIC"));
}

TEST(ElfFile, AcceptsOnlyAbsoluteRunPaths) {
    EXPECT_THAT(elf_refusal(with_run_path("$ORIGIN/a")), HasSubstr("private copy"));
    EXPECT_THAT(elf_refusal(with_run_path("/a:lib:/b")),
                HasSubstr("depends on the working directory"));
    EXPECT_THAT(elf_refusal(with_run_path("/usr/acme")), "no error");
}

TEST(ElfFile, RefusesTablesOutsideTheFile) {
    const FileBytes good = tiny();
    for (const std::int64_t tag :
         {DT_STRTAB, DT_SYMTAB, DT_GNU_HASH, DT_VERNEED, DT_STRSZ, DT_NEEDED})
        EXPECT_THAT(refusal_with(dynamic_place(good, tag) + offsetof(Elf64_Dyn, d_un),
                                 std::uint64_t{1} << 40),
                    HasSubstr("is damaged"))
            << tag;
}

TEST(ElfFile, RefusesEveryPrefix) {
    const FileBytes whole = tiny();
    for (std::size_t size = 0; size < whole.size(); size += size < 4096 ? 1 : 61)
        EXPECT_FALSE(read_elf(cut(whole, size))) << size << " of " << whole.size() << " bytes";
}

/// Changes bytes of the headers and of the dynamic section.
TEST(ElfFile, SurvivesDamagedFiles) {
    constexpr unsigned seed = 20240607;
    std::mt19937 random(seed);
    const FileBytes good = tiny();
    const auto dynamic = value_at<Elf64_Phdr>(good, segment_place(good, PT_DYNAMIC));
    const auto below = [&](std::uint64_t n) { return static_cast<std::size_t>(random() % n); };
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        FileBytes bytes = good;
        for (std::size_t flips = 1 + below(4); flips > 0; --flips) {
            const std::size_t at = below(2) == 0 ? below(2048)
                                                 : static_cast<std::size_t>(dynamic.p_offset) +
                                                       below(dynamic.p_filesz);
            bytes[at] = static_cast<std::byte>(random());
        }
        const auto facts = read_elf(bytes);
        if (!facts || !read_note(bytes, *facts)) ++refused;
    }
    EXPECT_GT(refused, 1000) << "seed " << seed;
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
