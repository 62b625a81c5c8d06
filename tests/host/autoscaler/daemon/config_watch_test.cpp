#include "autoscaler/daemon/config_watch.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "plugin_runtime/plugin_bytes.hpp"

namespace capstan::autoscaler::daemon {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// A folder on disk and a manual clock; changes of files are visible to the watch immediately.
struct ConfigWatchTest : ::testing::Test {
    ConfigWatchTest() {
        write(file, "first");
        watch(file);
    }
    void watch(const fs::path& path) {
        auto opened = ConfigWatch::open(
            loop, path,
            [this, path] {
                std::ifstream in(path, std::ios::binary);
                contents.emplace_back(std::istreambuf_iterator<char>(in),
                                      std::istreambuf_iterator<char>());
            },
            [this](bool is_gone) { presence.emplace_back(is_gone ? "gone" : "back"); });
        ASSERT_TRUE(opened) << opened.error().message;
        config_watch = *std::move(opened);
    }
    void replace(const std::string& text) {
        write(folder.path() / "new", text);
        fs::rename(folder.path() / "new", file);
    }
    /// The content of the file at each callback within `time`.
    Texts contents_within(Duration time) {
        loop.advance(time);
        return std::exchange(contents, {});
    }

    const plugin_runtime::TemporaryFolder folder;
    const fs::path file = folder.path() / "CONFIG.toml";
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    Texts contents, presence;
    std::unique_ptr<ConfigWatch> config_watch;
};

TEST_F(ConfigWatchTest, ReportsOnceThatAFileWasWrittenInPlace) {
    EXPECT_THAT(contents_within(1h), IsEmpty()) << "nothing changed";
    write(file, "second");
    EXPECT_THAT(contents_within(999ms), IsEmpty());
    EXPECT_THAT(contents_within(1ms), ElementsAre("second"));
    std::ofstream(file, std::ios::app) << " and more";
    EXPECT_THAT(contents_within(1s), ElementsAre("second and more"));
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchTest, ReportsAReplacedFile) {
    for (const char* text : {"second", "third"}) {
        replace(text);
        EXPECT_THAT(contents_within(1s), ElementsAre(text));
    }
}

TEST_F(ConfigWatchTest, WaitsUntilAFileIsUnchangedForASecond) {
    for (const char* text : {"a", "ab", "abc"}) {
        write(file, text);
        EXPECT_THAT(contents_within(600ms), IsEmpty());
    }
    EXPECT_THAT(contents_within(399ms), IsEmpty());
    EXPECT_THAT(contents_within(1ms), ElementsAre("abc"));
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchTest, IgnoresAFileWithUnchangedContent) {
    write(file, "first");
    replace("first");
    fs::last_write_time(file, fs::file_time_type::clock::now());
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THAT(contents_within(10s), IsEmpty());
    write(file, "second");
    EXPECT_THAT(contents_within(500ms), IsEmpty());
    write(file, "first");
    EXPECT_THAT(contents_within(10s), IsEmpty()) << "the change was reverted";
}

TEST_F(ConfigWatchTest, IgnoresAnEmptyFile) {
    write(file, "");
    EXPECT_THAT(contents_within(10s), IsEmpty());
    write(file, "first");
    EXPECT_THAT(contents_within(10s), IsEmpty());
    write(file, "");
    EXPECT_THAT(contents_within(10s), IsEmpty());
    write(file, "second");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
}

TEST_F(ConfigWatchTest, ReportsAFileThatWasRecreated) {
    fs::remove(file);
    EXPECT_THAT(contents_within(1h), IsEmpty());
    write(file, "second");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
    fs::rename(file, folder.path() / "aside");
    EXPECT_THAT(contents_within(1h), IsEmpty());
    fs::rename(folder.path() / "aside", file);
    EXPECT_THAT(contents_within(1h), IsEmpty()) << "the content is the same";
}

TEST_F(ConfigWatchTest, ReportsThatAFileIsMissingAndRestored) {
    fs::remove(file);
    loop.advance(900ms);
    EXPECT_THAT(presence, IsEmpty()) << "an editor may be replacing it";
    loop.advance(1h);
    EXPECT_THAT(presence, ElementsAre("gone"));
    write(file, "");
    loop.advance(1h);
    EXPECT_THAT(presence, ElementsAre("gone"));
    write(file, "first");
    EXPECT_THAT(contents_within(1s), IsEmpty()) << "the content is unchanged";
    EXPECT_THAT(presence, ElementsAre("gone", "back"));
    fs::remove(file);
    write(file, "second");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
    EXPECT_THAT(presence, ElementsAre("gone", "back")) << "it was missing only briefly";
}

TEST_F(ConfigWatchTest, ReportsAChangeBetweenReadingAndWatching) {
    std::vector<std::string> changes;
    write(file, "second");
    const auto opened =
        ConfigWatch::open(loop, file, [&] { changes.emplace_back("changed"); }, {}, "first");
    ASSERT_TRUE(opened);
    loop.advance(1s);
    EXPECT_THAT(changes, ElementsAre("changed"));
    loop.advance(1h);
    EXPECT_THAT(changes, ElementsAre("changed"));
}

TEST_F(ConfigWatchTest, ReportsAFileRestoredWithItsFolder) {
    const fs::path inner = folder.path() / "inner";
    fs::create_directory(inner);
    write(inner / "c.toml", "first");
    watch(inner / "c.toml");
    fs::remove_all(inner);
    loop.advance(1min);
    EXPECT_THAT(presence, ElementsAre("gone"));
    fs::create_directory(inner);
    write(inner / "c.toml", "second");
    EXPECT_THAT(contents_within(12s), ElementsAre("second"));
    EXPECT_THAT(presence, ElementsAre("gone", "back"));
}

TEST_F(ConfigWatchTest, ReportsAFileThatDidNotExist) {
    const fs::path late = folder.path() / "late.toml";
    watch(late);
    EXPECT_THAT(contents_within(1h), IsEmpty());
    write(late, "first");
    EXPECT_THAT(contents_within(1s), ElementsAre("first"));
}

TEST_F(ConfigWatchTest, IgnoresOtherFiles) {
    const fs::path other = folder.path() / "other.toml";
    write(other, "a");
    write(other, "b");
    fs::rename(other, folder.path() / "CONFIG.toml.bak");
    fs::create_directory(other);
    fs::remove(folder.path() / "CONFIG.toml.bak");
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchTest, IsNotDelayedByChangesOfOtherFiles) {
    write(file, "second");
    for (int i = 0; i < 4; ++i) {
        write(folder.path() / "state.json", std::to_string(i));
        loop.advance(300ms);
    }
    EXPECT_THAT(contents, ElementsAre("second"));
}

TEST_F(ConfigWatchTest, ReportsOnlyACompletelyWrittenFile) {
    std::ofstream out(file);
    out << "sec" << std::flush;
    write(folder.path() / "other.toml", "a");
    EXPECT_THAT(contents_within(500ms), IsEmpty());
    out << "ond" << std::flush;
    EXPECT_THAT(contents_within(1s), IsEmpty());
    out.close();
    EXPECT_THAT(contents_within(500ms), ElementsAre("second"));
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchTest, ReportsNothingAfterItsDestruction) {
    write(file, "second");
    loop.advance(500ms);
    write(file, "third");
    config_watch = nullptr;
    EXPECT_THAT(contents_within(1h), IsEmpty());
    EXPECT_FALSE(loop.next_due());
}

TEST_F(ConfigWatchTest, RequiresAnExistingFolder) {
    const fs::path nowhere = folder.path() / "none" / "CONFIG.toml";
    const auto opened = ConfigWatch::open(loop, nowhere, [] {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
    EXPECT_THAT(opened.error().message, HasSubstr(nowhere.parent_path().string()));
}

/// A ConfigMap as mounted by kubelet: CONFIG.toml is a link to ..data/CONFIG.toml, and ..data to
/// the folder of the latest content.
struct ConfigWatchOfConfigMap : ConfigWatchTest {
    ConfigWatchOfConfigMap() {
        make_folder("..1", "first");
        fs::create_directory_symlink("..1", mount / "..data");
        fs::create_symlink("..data/CONFIG.toml", mount / "CONFIG.toml");
        watch(mount / "CONFIG.toml");
    }
    void make_folder(const std::string& name, const std::string& text) {
        fs::create_directory(mount / name);
        write(mount / name / "CONFIG.toml", text);
        fs::permissions(mount / name, fs::perms(0755));
    }
    void switch_to(const std::string& name) {
        fs::create_directory_symlink(name, mount / "..data_tmp");
        fs::rename(mount / "..data_tmp", mount / "..data");
    }

    const fs::path mount = folder.folder("mount");
};

TEST_F(ConfigWatchOfConfigMap, ReportsAnUpdate) {
    make_folder("..2", "second");
    EXPECT_THAT(contents_within(10s), IsEmpty()) << "no link points to it";
    switch_to("..2");
    EXPECT_THAT(contents_within(999ms), IsEmpty());
    fs::remove_all(mount / "..1");
    EXPECT_THAT(contents_within(1ms), ElementsAre("second"));
    make_folder("..3", "third");
    switch_to("..3");
    fs::remove_all(mount / "..2");
    EXPECT_THAT(contents_within(1s), ElementsAre("third"));
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchOfConfigMap, IgnoresAnUpdateOfAnotherKey) {
    make_folder("..2", "first");
    write(mount / "..2" / "other.toml", "new");
    switch_to("..2");
    fs::create_symlink("..data/other.toml", mount / "other.toml");
    fs::remove_all(mount / "..1");
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchOfConfigMap, ReportsAKeyThatWasRestored) {
    fs::remove(mount / "CONFIG.toml");
    EXPECT_THAT(contents_within(10s), IsEmpty());
    make_folder("..2", "second");
    switch_to("..2");
    EXPECT_THAT(contents_within(10s), IsEmpty()) << "the key is still missing";
    fs::create_symlink("..data/CONFIG.toml", mount / "CONFIG.toml");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
}

/// Links out of the folder of the configuration:
///     etc/CONFIG.toml -> ../current/CONFIG.toml, and current -> releases/1
struct ConfigWatchOfLinks : ConfigWatchTest {
    ConfigWatchOfLinks() {
        make_release("1", "first");
        make_release("2", "second");
        fs::create_directory_symlink("releases/1", folder.path() / "current");
        fs::create_symlink("../current/CONFIG.toml", etc / "CONFIG.toml");
        watch(etc / "CONFIG.toml");
    }
    void make_release(const std::string& name, const std::string& text) {
        fs::create_directories(release(name));
        write(release(name) / "CONFIG.toml", text);
    }
    fs::path release(const std::string& name) const { return folder.path() / "releases" / name; }
    /// Replaces the link atomically, as `ln -s` and then `mv -T` do.
    static void switch_link(const fs::path& link, const fs::path& target) {
        fs::create_symlink(target, link.string() + ".new");
        fs::rename(link.string() + ".new", link);
    }

    const fs::path etc = folder.folder("etc");
};

TEST_F(ConfigWatchOfLinks, ReportsAFileWrittenInTheTargetFolder) {
    write(release("1") / "CONFIG.toml", "another first");
    EXPECT_THAT(contents_within(1s), ElementsAre("another first"));
    write(release("1") / "new", "a third");
    fs::rename(release("1") / "new", release("1") / "CONFIG.toml");
    EXPECT_THAT(contents_within(1s), ElementsAre("a third"));
}

TEST_F(ConfigWatchOfLinks, ReportsAChangedLink) {
    switch_link(folder.path() / "current", "releases/2");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
    switch_link(etc / "CONFIG.toml", folder.path() / "releases" / "1" / "CONFIG.toml");
    EXPECT_THAT(contents_within(1s), ElementsAre("first"));
    EXPECT_THAT(contents_within(1h), IsEmpty());
}

TEST_F(ConfigWatchOfLinks, FollowsAChangedLink) {
    switch_link(folder.path() / "current", "releases/2");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
    write(release("1") / "CONFIG.toml", "no longer used");
    EXPECT_THAT(contents_within(1h), IsEmpty());
    write(release("2") / "CONFIG.toml", "third");
    EXPECT_THAT(contents_within(1s), ElementsAre("third"));
}

TEST_F(ConfigWatchOfLinks, ReportsARepairedLink) {
    switch_link(folder.path() / "current", "releases/none");
    EXPECT_THAT(contents_within(1h), IsEmpty()) << "the target is missing";
    switch_link(folder.path() / "current", "releases/2");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
}

TEST_F(ConfigWatchOfLinks, SurvivesALinkLoop) {
    switch_link(etc / "CONFIG.toml", "CONFIG.toml");
    EXPECT_THAT(contents_within(1h), IsEmpty());
    switch_link(etc / "CONFIG.toml", "../releases/2/CONFIG.toml");
    EXPECT_THAT(contents_within(1s), ElementsAre("second"));
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
