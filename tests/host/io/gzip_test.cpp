#include "io/gzip.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace capstan::io {
namespace {

using ::testing::HasSubstr;

std::string write_file(const std::string& content) {
    const auto file = std::filesystem::path(::testing::TempDir()) / "capstan-gzip";
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
}

/// Numbers, which compress badly.
std::string long_text() {
    std::string out;
    for (int i = 0; i < 200'000; ++i) out += std::to_string(i * 7919 % 100'003) + "\n";
    return out;
}

TEST(Gzip, CompressesWhatReadTextDecompresses) {
    for (const std::string& text :
         {std::string(), std::string("x"), std::string("{\"kind\":\"List\"}\n"), long_text()}) {
        const auto read = read_text(write_file(gzip(text)));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, text);
        EXPECT_EQ(read_text(write_file(text)), text) << "plain text is returned unchanged";
    }
    EXPECT_EQ(gzip("twice"), gzip("twice"));
    EXPECT_LT(gzip(std::string(1 << 20, ' ')).size(), std::size_t{1} << 11);
}

TEST(Gzip, DecompressesConcatenatedParts) {
    EXPECT_EQ(read_text(write_file(gzip("one, ") + gzip("two"))), "one, two");
}

TEST(Gzip, ReportsWhereDataIsTruncated) {
    const std::string whole = gzip(long_text());
    for (const std::size_t size :
         {std::size_t{2}, std::size_t{10}, whole.size() / 2, whole.size() - 8, whole.size() - 1}) {
        const auto read = read_text(write_file(whole.substr(0, size)));
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(read.error().message,
                    HasSubstr("capstan-gzip: the gzip data is truncated, after byte "))
            << size;
    }
}

TEST(Gzip, ReportsWhereDataIsDamaged) {
    std::string damaged = gzip(long_text());
    damaged[damaged.size() - 5] ^= 1;  // a byte of the checksum
    const auto read = read_text(write_file(damaged));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("the gzip data is damaged: incorrect "));
    EXPECT_THAT(read.error().message, HasSubstr(", after byte "));
}

TEST(Gzip, LimitsTheDecompressedSize) {
    const std::string text(5000, ' ');
    const auto read = [](const std::string& content, std::uint64_t most) -> Result<std::size_t> {
        CAPSTAN_TRY(TextFile file, TextFile::open(write_file(content), most));
        std::vector<char> piece(1000);
        std::size_t all = 0;
        for (;;) {
            CAPSTAN_TRY(const std::size_t size, file.read(piece));
            if (size == 0) return all;
            all += size;
        }
    };
    EXPECT_EQ(read(gzip(text), 5000), 5000u);
    const auto bomb = read(gzip(text), 4999);
    ASSERT_FALSE(bomb);
    EXPECT_THAT(bomb.error().message, HasSubstr("larger than 4999 bytes uncompressed"));
    EXPECT_EQ(read(text, 10), 5000u) << "TextFile does not limit a plain file";
    EXPECT_THAT(read_text(write_file(text), 4999).error().message,
                HasSubstr("is larger than 4999 bytes"));
}

TEST(Gzip, ReportsWhyAFileCannotBeRead) {
    EXPECT_EQ(read_text("/nowhere.json").error().message,
              "/nowhere.json: cannot be read: No such file or directory");
    EXPECT_THAT(read_text(::testing::TempDir()).error().message,
                HasSubstr("cannot be read: Is a directory"));
}

}  // namespace
}  // namespace capstan::io
