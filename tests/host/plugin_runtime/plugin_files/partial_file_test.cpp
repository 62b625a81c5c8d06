#include "plugin_runtime/plugin_files/partial_file.hpp"

#include <gmock/gmock.h>

#include "../plugin_bytes.hpp"
#include "plugin_runtime/plugin_files/trust.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(PartialFile, HasFetchedBytesAndZerosElsewhere) {
    const TemporaryFolder temporary;
    const auto fd = open_trusted(temporary.file("x", bytes_of("abcdefgh")));
    ASSERT_TRUE(fd) << fd.error();
    auto file = PartialFile::open(fd->get());
    ASSERT_TRUE(file) << file.error();
    EXPECT_TRUE(file->fetch(2, 3));
    EXPECT_EQ(text_of(file->bytes()), std::string("\0\0cde\0\0\0", 8));
    EXPECT_TRUE(file->fetch(6, UINT64_MAX));
    EXPECT_TRUE(file->fetch(UINT64_MAX, 1));
    EXPECT_EQ(text_of(file->bytes()), std::string("\0\0cde\0gh", 8));
}

TEST(PartialFile, MayBeEmpty) {
    const TemporaryFolder temporary;
    const auto fd = open_trusted(temporary.file("x", {}));
    ASSERT_TRUE(fd) << fd.error();
    auto file = PartialFile::open(fd->get());
    ASSERT_TRUE(file) << file.error();
    EXPECT_TRUE(file->fetch(0, 10));
    EXPECT_TRUE(file->bytes().empty());
}

TEST(PartialFile, ReportsAFileThatShrinks) {
    const TemporaryFolder temporary;
    const auto path = temporary.file("x", bytes_of("abcdefgh"));
    const auto fd = open_trusted(path);
    ASSERT_TRUE(fd) << fd.error();
    auto file = PartialFile::open(fd->get());
    ASSERT_TRUE(file) << file.error();
    std::filesystem::resize_file(path, 4);
    EXPECT_EQ(message_of(file->fetch(0, 8)), "changed while it was read");
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
