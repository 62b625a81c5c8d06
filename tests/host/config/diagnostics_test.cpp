#include "config/diagnostics.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace capstan::config {
namespace {

TEST(Diagnostics, ShowTheLineWithCarets) {
    Diagnostics d({"capstan.toml", "[plugin.aws]\n  regoin = \"eu-central-1\"\n"});
    d.error({2, 3, 6}, "unknown key 'regoin'; did you mean 'region'?");
    EXPECT_EQ(d.text(),
              "capstan.toml:2:3: unknown key 'regoin'; did you mean 'region'?\n"
              "      regoin = \"eu-central-1\"\n"
              "      ^^^^^^\n");
}

TEST(Diagnostics, AreSortedByPosition) {
    Diagnostics d({"f", "a\nb\n"});
    d.error({2, 1, 1}, "third");
    d.error({1, 1, 1}, "first");
    d.warning({1, 1, 1}, "second");
    EXPECT_EQ(d.text(),
              "f:1:1: first\n    a\n    ^\nf:1:1: warning: second\n    a\n    ^\nf:2:1: third\n    "
              "b\n    ^\n");
    EXPECT_EQ(d.errors(), 2u);
}

TEST(Diagnostics, NameTheFileWithoutAPosition) {
    Diagnostics d({"f", ""});
    d.error({}, "cannot be opened");
    EXPECT_EQ(d.text(), "f: cannot be opened\n");
}

TEST(Diagnostics, CountColumnsInCharactersAndTabsAsOne) {
    Diagnostics d({"f", "\tnaïve = \"ü\" x\r\n"});
    d.error({1, 14, 1}, "here");
    EXPECT_EQ(d.text(), "f:1:14: here\n     naïve = \"ü\" x\n                 ^\n");
}

TEST(Diagnostics, ReplaceControlCharactersAndInvalidUtf8) {
    Diagnostics d({"f", "a = \"\x1b[2J\xff\xc2\x9b\"\n"});
    d.error({1, 5, 1}, "found \x1b[2J\n\xc3");
    EXPECT_EQ(d.text(), "f:1:5: found ?[2J??\n    a = \"?[2J??\"\n        ^\n");
}

TEST(Diagnostics, ShortenALongLineAroundThePosition) {
    Diagnostics d({"f", std::string(500, 'a') + "X" + std::string(500, 'b')});
    d.error({1, 501, 1}, "here");
    EXPECT_EQ(d.text(), "f:1:501: here\n    ..." + std::string(40, 'a') + "X" +
                            std::string(79, 'b') + "...\n" + std::string(4 + 3 + 40, ' ') + "^\n");
}

TEST(Diagnostics, AcceptPositionsOutsideTheFile) {
    Diagnostics d({"f", "a\n"});
    d.error({1, 900, 900}, "far right");
    d.error({7, 1, 1}, "far below");
    EXPECT_EQ(d.text(), "f:1:900: far right\n    a\n     ^\nf:7:1: far below\n");
}

TEST(Diagnostics, StopAfterAHundred) {
    Diagnostics d({"f", ""});
    for (int i = 0; i < 103; ++i) d.error({}, "no");
    EXPECT_TRUE(d.text().ends_with("f: no\n... and 3 more\n"));
}

class ReadSourceTest : public ::testing::Test {
protected:
    ReadSourceTest() {
        std::string name = ::testing::TempDir() + "/capstan-config-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~ReadSourceTest() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& text) const {
        std::ofstream(folder_ / "c.toml", std::ios::binary) << text;
        return folder_ / "c.toml";
    }
    std::filesystem::path folder_;
};

TEST_F(ReadSourceTest, AcceptsOneMebibyteAtMost) {
    EXPECT_EQ(read_source(write(std::string(1 << 20, ' ')))->text.size(), 1u << 20);
    const auto large = read_source(write(std::string((1 << 20) + 1, ' ')));
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().message, "larger than 1 MiB");
}

TEST_F(ReadSourceTest, FollowsLinks) {
    write("a = 1");
    std::filesystem::create_symlink("c.toml", folder_ / "link.toml");
    EXPECT_EQ(read_source(folder_ / "link.toml")->text, "a = 1");
}

TEST_F(ReadSourceTest, RefusesAFolderAndAMissingFile) {
    EXPECT_EQ(read_source(folder_).error().message, "not a regular file");
    EXPECT_EQ(read_source(folder_ / "no").error().message, "No such file or directory");
}

}  // namespace
}  // namespace capstan::config
