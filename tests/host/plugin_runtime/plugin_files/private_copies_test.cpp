#include "plugin_runtime/plugin_files/private_copies.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

mode_t mode_of(const fs::path& path) {
    struct stat facts{};
    EXPECT_EQ(::stat(path.c_str(), &facts), 0);
    return facts.st_mode & 07777;
}

TEST(PrivateCopies, AreAccessibleToThisUserOnly) {
    const TemporaryFolder temporary;
    const auto copies = PrivateCopies::create({temporary.path()});
    ASSERT_TRUE(copies) << copies.error();
    const auto copy = copies->write(bytes_of("content"), "abc");
    ASSERT_TRUE(copy) << copy.error();
    EXPECT_EQ(*copy, copies->folder() / "abc.so");
    EXPECT_EQ(read_bytes_of(*copy), bytes_of("content"));
    EXPECT_EQ(mode_of(*copy), 0500u);
    EXPECT_EQ(mode_of(copies->folder()), 0700u);
    EXPECT_EQ(copies->write(bytes_of("content"), "abc"), copy);
}

TEST(PrivateCopies, AreRemovedWithTheirOwner) {
    const TemporaryFolder temporary;
    {
        const auto copies = PrivateCopies::create({temporary.path()});
        ASSERT_TRUE(copies) << copies.error();
        ASSERT_TRUE(copies->write(bytes_of("content"), "abc"));
        EXPECT_FALSE(fs::is_empty(temporary.path()));
    }
    EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST(PrivateCopies, UseTheNextFolderIfOneIsUnsuitable) {
    const TemporaryFolder temporary;
    const fs::path good = temporary.folder("good");
    const auto copies = PrivateCopies::create({temporary.path() / "absent", "/proc/sys", good});
    ASSERT_TRUE(copies) << copies.error();
    EXPECT_EQ(copies->folder().parent_path(), good);
}

TEST(PrivateCopies, ReportWhyEachFolderIsUnsuitable) {
    const TemporaryFolder temporary;
    // /proc is mounted noexec.
    const auto copies = PrivateCopies::create({"/proc/sys", temporary.path() / "absent"});
    EXPECT_THAT(message_of(copies),
                testing::AllOf(HasSubstr("no folder for a private copy; /proc/sys "),
                               HasSubstr("absent cannot be used: No such file or directory"),
                               HasSubstr("set TMPDIR")));
}

TEST(PrivateCopies, CannotBeReplacedInAFolderWritableByOthers) {
    const TemporaryFolder temporary;
    const auto copies = PrivateCopies::create({temporary.folder("open", 0777)});
    ASSERT_TRUE(copies) << copies.error();
    const auto copy = copies->write(bytes_of("content"), "abc");
    ASSERT_TRUE(copy) << copy.error();
    fs::rename(copies->folder(), temporary.path() / "open/taken");
    temporary.folder("open/" + copies->folder().filename().string());
    std::ofstream(copies->folder() / "abc.so") << "something else";
    EXPECT_EQ(read_bytes_of(*copy), bytes_of("content"));
}

TEST(PrivateCopies, RemoveCopiesOfACrashedProcessOnly) {
    const TemporaryFolder temporary;
    const fs::path abandoned = temporary.folder("capstan-plugins-abc123");
    temporary.file("capstan-plugins-abc123/old.so", {});
    temporary.folder("capstan-plugins-def456");
    const fs::path kept = temporary.file("capstan-plugins-def456/letter.txt", {});
    const fs::path stranger = temporary.folder("something-else");
    const auto first = PrivateCopies::create({temporary.path()});
    ASSERT_TRUE(first) << first.error();
    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_TRUE(fs::exists(kept)) << "a folder with other files is not removed";
    const auto second = PrivateCopies::create({temporary.path()});
    ASSERT_TRUE(second) << second.error();
    EXPECT_TRUE(fs::exists(first->folder()));
    EXPECT_TRUE(fs::exists(stranger));
    EXPECT_NE(first->folder(), second->folder());
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
