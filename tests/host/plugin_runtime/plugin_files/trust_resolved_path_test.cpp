#include "plugin_runtime/plugin_files/trust.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(ResolveTrusted, FollowsLinksToTheFile) {
    const TemporaryFolder temporary;
    temporary.folder("lib/real");
    const fs::path file = temporary.file("lib/real/x.so.1.2", {});
    fs::create_symlink("x.so.1.2", temporary.path() / "lib/real/x.so");
    fs::create_symlink("real/../real", temporary.path() / "lib/alias");
    fs::create_symlink(temporary.path() / "lib", temporary.path() / "absolute");
    const auto end = resolve_trusted(temporary.path() / "absolute/./alias/x.so");
    ASSERT_TRUE(end) << end.error();
    EXPECT_EQ(end->path, file);
    ASSERT_TRUE(end->facts);
    EXPECT_TRUE(S_ISREG(end->facts->st_mode));
}

TEST(ResolveTrusted, ReportsAMissingFile) {
    const TemporaryFolder temporary;
    const auto end = resolve_trusted(temporary.path() / "absent/x.so");
    ASSERT_TRUE(end) << end.error();
    EXPECT_EQ(end->path, temporary.path() / "absent");
    EXPECT_FALSE(end->facts);
}

TEST(ResolveTrusted, RefusesLinksInFoldersWritableByOthers) {
    const TemporaryFolder temporary;
    temporary.folder("safe");
    temporary.file("safe/x.so", {});
    const fs::path open = temporary.folder("open");
    fs::create_symlink("../safe/x.so", open / "x.so");
    EXPECT_TRUE(resolve_trusted(open / "x.so"));
    temporary.folder("open", 0777);
    EXPECT_THAT(message_of(resolve_trusted(open / "x.so")),
                HasSubstr("the folder " + open.string() + ": is writable by other users"));
}

TEST(ResolveTrusted, RequiresOwnFilesInAStickyFolder) {
    const TemporaryFolder temporary;
    const fs::path sticky = temporary.folder("sticky", 01777);
    const fs::path file = temporary.file("sticky/x.so", {});
    EXPECT_TRUE(resolve_trusted(file));
    EXPECT_THAT(message_of(resolve_trusted(sticky / "absent.so")),
                HasSubstr("absent.so does not exist, and other users may create it"));
    if (::chown(file.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can give files away";
    EXPECT_THAT(message_of(resolve_trusted(file)), HasSubstr("x.so is owned by user 12345"));
}

TEST(ResolveTrusted, RefusesLoopsAndRelativePaths) {
    const TemporaryFolder temporary;
    fs::create_symlink("round", temporary.path() / "round");
    EXPECT_THAT(message_of(resolve_trusted(temporary.path() / "round")),
                HasSubstr("is a symbolic link that cannot be resolved"));
    EXPECT_EQ(message_of(resolve_trusted("lib/x.so")), "depends on the working directory");
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
