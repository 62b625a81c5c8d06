#include "plugin_runtime/plugin_files/trust.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct stat facts_of(mode_t mode, uid_t owner) {
    struct stat facts{};
    facts.st_mode = mode;
    facts.st_uid = owner;
    return facts;
}

Result<fs::path> configured(const std::string& name, std::vector<fs::path> search_paths) {
    return find_plugin(name, {.search_paths = std::move(search_paths)}, PathOrigin::configuration);
}

TEST(Trust, RequiresRootOrTheHostsUserAsOwner) {
    EXPECT_TRUE(check_file(facts_of(S_IFREG | 0755, 0), 1000));
    EXPECT_TRUE(check_file(facts_of(S_IFREG | 0755, 1000), 1000));
    EXPECT_THAT(message_of(check_file(facts_of(S_IFREG | 0755, 1001), 1000)),
                HasSubstr("owned by user 1001"));
}

TEST(Trust, RequiresTheSameOwnersOfFolders) {
    EXPECT_TRUE(check_folder(facts_of(S_IFDIR | 0755, 0), 1000));
    EXPECT_TRUE(check_folder(facts_of(S_IFDIR | 0755, 1000), 1000));
    for (const mode_t mode : {0755, 01777})
        EXPECT_THAT(message_of(check_folder(facts_of(S_IFDIR | mode, 1001), 1000)),
                    HasSubstr("owned by user 1001"));
}

TEST(Trust, RefusesAFileWritableByOthers) {
    const TemporaryFolder temporary;
    for (const mode_t mode : {0666, 0646, 0664}) {
        const auto opened = open_trusted(temporary.file("x.so", {}, mode));
        EXPECT_THAT(message_of(opened), HasSubstr("is writable by other users")) << mode;
    }
    EXPECT_TRUE(open_trusted(temporary.file("x.so", {}, 0644)));
}

TEST(Trust, RefusesAFileBelowAFolderWritableByOthers) {
    const TemporaryFolder temporary;
    temporary.folder("open/inner");
    const fs::path file = temporary.file("open/inner/x.so", {});
    EXPECT_TRUE(open_trusted(file));
    const fs::path open = temporary.folder("open", 0777);
    EXPECT_THAT(
        message_of(open_trusted(file)),
        testing::AllOf(HasSubstr("the folder " + open.string() + ":"), HasSubstr("mode 0777")));
    temporary.folder("open", 0775);
    EXPECT_FALSE(open_trusted(file));
}

TEST(Trust, AcceptsFoldersWithTheStickyBit) {
    const TemporaryFolder temporary;
    temporary.folder("sticky", 01777);
    EXPECT_TRUE(open_trusted(temporary.file("sticky/x.so", {})));
}

TEST(Trust, OpensOnlyRegularFilesWithoutBlocking) {
    const TemporaryFolder temporary;
    const fs::path fifo = temporary.path() / "fifo.so";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(message_of(open_trusted(fifo)), "is not a regular file");
    EXPECT_EQ(message_of(open_trusted(temporary.folder("folder.so"))), "is not a regular file");
    EXPECT_EQ(message_of(open_trusted("/dev/null")), "is not a regular file");
    EXPECT_THAT(message_of(open_trusted(temporary.path() / "absent.so")),
                HasSubstr("No such file"));
}

TEST(Trust, DoesNotFollowLinks) {
    const TemporaryFolder temporary;
    temporary.file("x.so", {});
    fs::create_symlink("x.so", temporary.path() / "link.so");
    fs::create_symlink(".", temporary.path() / "here");
    EXPECT_FALSE(open_trusted(temporary.path() / "link.so"));
    EXPECT_FALSE(open_trusted(temporary.path() / "here" / "x.so"));
}

TEST(Trust, FindsRelativePathsInTheSearchPathsInOrder) {
    const TemporaryFolder temporary;
    const fs::path first = temporary.folder("first"), second = temporary.folder("second");
    temporary.file("second/x.so", {});
    EXPECT_EQ(configured("x.so", {first, second}), second / "x.so");
    temporary.file("first/x.so", {});
    EXPECT_EQ(configured("x.so", {"/nowhere", first, second}), first / "x.so");
    EXPECT_EQ(message_of(configured("y.so", {first, second})),
              "plugin y.so: was not found in " + first.string() + ", " + second.string());
}

TEST(Trust, FindsAShippedPluginByItsName) {
    const TemporaryFolder temporary;
    temporary.folder("expanders");
    temporary.file("aws.so", {});
    temporary.file("expanders/random.so", {});
    EXPECT_EQ(configured("aws", {temporary.path()}), temporary.path() / "aws.so");
    EXPECT_EQ(configured("random", {temporary.path()}), temporary.path() / "expanders/random.so");
    temporary.folder("similarity");
    temporary.file("similarity/random.so", {});
    EXPECT_THAT(message_of(configured("random", {temporary.path()})), HasSubstr("could be any of"));
}

TEST(Trust, RequiresConfiguredFilesInTheSearchPaths) {
    const TemporaryFolder temporary;
    const fs::path inside = temporary.folder("inside");
    const fs::path outside = temporary.file("outside.so", {});
    temporary.file("inside/x.so", {});
    fs::create_symlink(outside, inside / "link.so");
    fs::create_symlink("x.so", inside / "alias.so");
    EXPECT_THAT(message_of(configured(outside.string(), {inside})),
                HasSubstr("not in a search path"));
    EXPECT_THAT(message_of(configured(outside.string(), {inside})),
                testing::EndsWith("; to allow it, add \"" + temporary.path().string() +
                                  "\" to [trust] search_paths"));
    EXPECT_THAT(message_of(configured("../outside.so", {inside})),
                HasSubstr("not in a search path"));
    EXPECT_THAT(message_of(configured("link.so", {inside})),
                HasSubstr("resolves to " + outside.string()));
    EXPECT_EQ(configured("alias.so", {inside}), inside / "x.so");
    EXPECT_EQ(configured((inside / "x.so").string(), {inside.string() + "/"}), inside / "x.so");
}

TEST(Trust, DistinguishesFoldersWithACommonPrefix) {
    const TemporaryFolder temporary;
    temporary.folder("plugins-of-others");
    const fs::path file = temporary.file("plugins-of-others/x.so", {});
    EXPECT_FALSE(configured(file.string(), {temporary.folder("plugins")}));
}

TEST(Trust, RequiresNoSearchPathOnTheCommandLine) {
    const TemporaryFolder temporary;
    const fs::path file = temporary.file("x.so", {});
    EXPECT_EQ(find_plugin(file.string(), {}, PathOrigin::command_line), file);
    EXPECT_THAT(message_of(find_plugin("absent.so", {}, PathOrigin::command_line)),
                "plugin absent.so: cannot be opened: No such file or directory");
}

TEST(Trust, RefusesEmptyAndRelativeSearchPaths) {
    EXPECT_THAT(message_of(configured("x.so", {})), HasSubstr("trust.search_paths is empty"));
    EXPECT_THAT(message_of(configured("x.so", {"plugins"})), HasSubstr("is not absolute"));
    EXPECT_FALSE(configured("", {"/"}));
    EXPECT_FALSE(configured(std::string("x\0y", 3), {"/"}));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
