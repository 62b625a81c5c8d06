#include "plugin_runtime/plugin_files/plugin_file.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "../plugin_bytes.hpp"
#include "plugin_runtime/plugin_files/sha256.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

TEST(PluginFile, HasFactsAndBytes) {
    const TemporaryFolder temporary;
    const auto path = temporary.file("tiny.so", tiny());
    const auto file = read_plugin_file(path);
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->bytes, tiny());
    EXPECT_EQ(file->facts.path, path);
    EXPECT_EQ(file->facts.size, tiny().size());
    EXPECT_EQ(file->facts.sha256, sha256_hex(tiny()));
    EXPECT_EQ(file->facts.note.plugin_id, "test.tiny");
}

TEST(PluginFile, NamesTheFileInEveryRefusal) {
    const TemporaryFolder temporary;
    const auto path = temporary.file("hello.so", bytes_of("hello"));
    const auto file = read_plugin_file(path);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::invalid_config);
    EXPECT_EQ(file.error().message, "plugin " + path.string() +
                                        ": is not an ELF file: it begins with the text \"hello\"");
    EXPECT_THAT(message_of(read_plugin_file(temporary.file("empty.so", {}))),
                HasSubstr(": is empty"));
}

TEST(PluginFile, ReportsBothHashesIfThePinDiffers) {
    const TemporaryFolder temporary;
    const auto path = temporary.file("tiny.so", tiny());
    std::string right = sha256_hex(tiny());
    std::ranges::transform(right, right.begin(),
                           [](char c) { return static_cast<char>(std::toupper(c)); });
    EXPECT_TRUE(read_plugin_file(path, right));
    const std::string wrong(64, '0');
    EXPECT_THAT(message_of(read_plugin_file(path, wrong)),
                testing::AllOf(HasSubstr(sha256_hex(tiny())), HasSubstr(wrong)));
    EXPECT_THAT(message_of(read_plugin_file(path, "e3b0")),
                HasSubstr("is not 64 hexadecimal digits"));
}

TEST(PluginFile, MustBePinnedIfThePolicyRequiresIt) {
    const TemporaryFolder temporary;
    temporary.file("tiny.so", tiny());
    const TrustPolicy strict{.search_paths = {temporary.path()}, .require_sha256 = true};
    EXPECT_THAT(message_of(read_plugin({.file = "tiny.so"}, strict)),
                HasSubstr("trust.require_sha256"));
    EXPECT_TRUE(read_plugin({.file = "tiny.so", .sha256 = sha256_hex(tiny())}, strict));
    EXPECT_TRUE(read_plugin(
        {.file = temporary.path() / "tiny.so", .origin = PathOrigin::command_line}, strict));
}

TEST(PluginFile, RefusesAFileWithoutTheEntrySymbol) {
    const TemporaryFolder temporary;
    EXPECT_THAT(message_of(read_plugin_file(temporary.file("x.so", tiny("tiny_without_entry")))),
                HasSubstr(": does not export capstan_entry_1"));
}

TEST(PluginFile, RefusesATruncatedFile) {
    const TemporaryFolder temporary;
    for (std::size_t size = 0; size < tiny().size(); size += 4096)
        EXPECT_FALSE(read_plugin_file(temporary.file("cut.so", cut(tiny(), size)))) << size;
}

TEST(PluginFile, RefusesATooLargeFileWithoutReadingIt) {
    const TemporaryFolder temporary;
    const auto path = temporary.file("huge.so", {});
    std::filesystem::resize_file(path, plugin_file_size_max + 1);
    EXPECT_THAT(message_of(read_plugin_file(path)),
                HasSubstr("bytes; at most 536870912 are allowed"));
}

/// The peak memory use of this process in bytes.
std::size_t memory_peak() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

TEST(PluginFile, IsReadCompletelyOnlyIfItsFirstPagesAreAPlugin) {
    const TemporaryFolder temporary;
    const auto zeros = temporary.file("zeros.so", {});
    const auto foreign = temporary.file("foreign.so", tiny("tiny_without_note"));
    for (const auto& file : {zeros, foreign})
        std::filesystem::resize_file(file, plugin_file_size_max);
    const std::size_t before = memory_peak();
    EXPECT_THAT(message_of(read_plugin_file(zeros)),
                HasSubstr("is not an ELF file: it begins with the bytes 00 00 00 00"));
    EXPECT_THAT(message_of(read_plugin_file(foreign)), HasSubstr("has no Capstan note"));
    EXPECT_LT(memory_peak() - before, plugin_file_size_max / 8);
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
