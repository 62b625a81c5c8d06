#include "runtime/daemon/config_watch.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plugin_bytes.hpp"

namespace capstan::runtime::daemon {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// A folder on the disk, and a clock that passes when told: what was done to a file can be read by
/// its watch as soon as it is done.
struct AWatchedFile : ::testing::Test {
    AWatchedFile() {
        write(file, "first");
        watch(file);
    }
    void watch(const fs::path& path) {
        auto opened = ConfigWatch::open(
            loop, path,
            [this, path] {
                std::ifstream in(path, std::ios::binary);
                told.emplace_back(std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>());
            },
            [this](bool is_gone) { absences.emplace_back(is_gone ? "gone" : "back"); });
        ASSERT_TRUE(opened) << opened.error().message;
        config_watch = *std::move(opened);
    }
    void replace(const std::string& text) {
        write(folder.path() / "new", text);
        fs::rename(folder.path() / "new", file);
    }
    /// What the file was at each callback meanwhile.
    Texts told_within(Duration time) {
        loop.advance(time);
        return std::exchange(told, {});
    }

    const TemporaryFolder folder;
    const fs::path file = folder.path() / "CONFIG.toml";
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    Texts told, absences;
    std::unique_ptr<ConfigWatch> config_watch;
};

TEST_F(AWatchedFile, IsToldOfOnceWhenItIsWrittenInPlace) {
    EXPECT_THAT(told_within(1h), IsEmpty()) << "nothing happened";
    write(file, "second");
    EXPECT_THAT(told_within(999ms), IsEmpty());
    EXPECT_THAT(told_within(1ms), ElementsAre("second"));
    std::ofstream(file, std::ios::app) << " and more";
    EXPECT_THAT(told_within(1s), ElementsAre("second and more"));
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(AWatchedFile, IsToldOfWhenAnotherFileTakesItsPlace) {
    for (const char* text : {"second", "third"}) {
        replace(text);
        EXPECT_THAT(told_within(1s), ElementsAre(text));
    }
}

TEST_F(AWatchedFile, IsToldOfOnceItHasBeenLeftAloneForASecond) {
    for (const char* text : {"a", "ab", "abc"}) {
        write(file, text);
        EXPECT_THAT(told_within(600ms), IsEmpty());
    }
    EXPECT_THAT(told_within(399ms), IsEmpty());
    EXPECT_THAT(told_within(1ms), ElementsAre("abc"));
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(AWatchedFile, IsNotToldOfWhenItSaysTheSameAsBefore) {
    write(file, "first");
    replace("first");
    fs::last_write_time(file, fs::file_time_type::clock::now());
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THAT(told_within(10s), IsEmpty());
    write(file, "second");
    EXPECT_THAT(told_within(500ms), IsEmpty());
    write(file, "first");
    EXPECT_THAT(told_within(10s), IsEmpty()) << "there and back again";
}

TEST_F(AWatchedFile, IsNotToldOfWhileItIsEmpty) {
    write(file, "");
    EXPECT_THAT(told_within(10s), IsEmpty());
    write(file, "first");
    EXPECT_THAT(told_within(10s), IsEmpty());
    write(file, "");
    EXPECT_THAT(told_within(10s), IsEmpty());
    write(file, "second");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
}

TEST_F(AWatchedFile, IsToldOfAfterItWasRemovedAndMadeAgain) {
    fs::remove(file);
    EXPECT_THAT(told_within(1h), IsEmpty());
    write(file, "second");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
    fs::rename(file, folder.path() / "aside");
    EXPECT_THAT(told_within(1h), IsEmpty());
    fs::rename(folder.path() / "aside", file);
    EXPECT_THAT(told_within(1h), IsEmpty()) << "it is the same again";
}

TEST_F(AWatchedFile, IsToldToBeGoneOnceAndToBeBack) {
    fs::remove(file);
    loop.advance(900ms);
    EXPECT_THAT(absences, IsEmpty()) << "an editor may be about to write it";
    loop.advance(1h);
    EXPECT_THAT(absences, ElementsAre("gone"));
    write(file, "");
    loop.advance(1h);
    EXPECT_THAT(absences, ElementsAre("gone"));
    write(file, "first");
    EXPECT_THAT(told_within(1s), IsEmpty()) << "it is as before";
    EXPECT_THAT(absences, ElementsAre("gone", "back"));
    fs::remove(file);
    write(file, "second");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
    EXPECT_THAT(absences, ElementsAre("gone", "back")) << "it was away for a moment";
}

TEST_F(AWatchedFile, IsToldOfThatChangedAfterItWasReadAndBeforeItWasWatched) {
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

TEST_F(AWatchedFile, IsToldToBeBackWithItsFolder) {
    const fs::path inner = folder.path() / "inner";
    fs::create_directory(inner);
    write(inner / "c.toml", "first");
    watch(inner / "c.toml");
    fs::remove_all(inner);
    loop.advance(1min);
    EXPECT_THAT(absences, ElementsAre("gone"));
    fs::create_directory(inner);
    write(inner / "c.toml", "second");
    EXPECT_THAT(told_within(12s), ElementsAre("second"));
    EXPECT_THAT(absences, ElementsAre("gone", "back"));
}

TEST_F(AWatchedFile, IsToldOfThoughItWasNotThereAtFirst) {
    const fs::path late = folder.path() / "late.toml";
    watch(late);
    EXPECT_THAT(told_within(1h), IsEmpty());
    write(late, "first");
    EXPECT_THAT(told_within(1s), ElementsAre("first"));
}

TEST_F(AWatchedFile, IsNotToldOfWhenSomethingHappensToOthers) {
    const fs::path other = folder.path() / "other.toml";
    write(other, "a");
    write(other, "b");
    fs::rename(other, folder.path() / "CONFIG.toml.bak");
    fs::create_directory(other);
    fs::remove(folder.path() / "CONFIG.toml.bak");
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(AWatchedFile, IsToldOfThoughOthersBesideItAreNeverLeftAlone) {
    write(file, "second");
    for (int i = 0; i < 4; ++i) {
        write(folder.path() / "state.json", std::to_string(i));
        loop.advance(300ms);
    }
    EXPECT_THAT(told, ElementsAre("second"));
}

TEST_F(AWatchedFile, IsToldOfWholeThoughWhoeverWritesItTakesTheirTime) {
    std::ofstream out(file);
    out << "sec" << std::flush;
    write(folder.path() / "other.toml", "a");
    EXPECT_THAT(told_within(500ms), IsEmpty());
    out << "ond" << std::flush;
    EXPECT_THAT(told_within(1s), IsEmpty());
    out.close();
    EXPECT_THAT(told_within(500ms), ElementsAre("second"));
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(AWatchedFile, IsToldOfToNobodyOnceTheWatchIsGone) {
    write(file, "second");
    loop.advance(500ms);
    write(file, "third");
    config_watch = nullptr;
    EXPECT_THAT(told_within(1h), IsEmpty());
    EXPECT_FALSE(loop.next_due());
}

TEST_F(AWatchedFile, NeedsAFolder) {
    const fs::path nowhere = folder.path() / "none" / "CONFIG.toml";
    const auto opened = ConfigWatch::open(loop, nowhere, [] {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
    EXPECT_THAT(opened.error().message, HasSubstr(nowhere.parent_path().string()));
}

/// As the kubelet mounts one: CONFIG.toml leads to ..data/CONFIG.toml, and ..data to the folder of
/// the latest content.
struct AMountedConfigMap : AWatchedFile {
    AMountedConfigMap() {
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
    void turn_to(const std::string& name) {
        fs::create_directory_symlink(name, mount / "..data_tmp");
        fs::rename(mount / "..data_tmp", mount / "..data");
    }

    const fs::path mount = folder.folder("mount");
};

TEST_F(AMountedConfigMap, IsToldOfWhenItIsUpdated) {
    make_folder("..2", "second");
    EXPECT_THAT(told_within(10s), IsEmpty()) << "nothing leads there yet";
    turn_to("..2");
    EXPECT_THAT(told_within(999ms), IsEmpty());
    fs::remove_all(mount / "..1");
    EXPECT_THAT(told_within(1ms), ElementsAre("second"));
    make_folder("..3", "third");
    turn_to("..3");
    fs::remove_all(mount / "..2");
    EXPECT_THAT(told_within(1s), ElementsAre("third"));
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(AMountedConfigMap, IsNotToldOfWhenAnotherOfItsKeysIsUpdated) {
    make_folder("..2", "first");
    write(mount / "..2" / "other.toml", "new");
    turn_to("..2");
    fs::create_symlink("..data/other.toml", mount / "other.toml");
    fs::remove_all(mount / "..1");
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(AMountedConfigMap, IsToldOfWhenItIsThereAgainAfterItWasGone) {
    fs::remove(mount / "CONFIG.toml");
    EXPECT_THAT(told_within(10s), IsEmpty());
    make_folder("..2", "second");
    turn_to("..2");
    EXPECT_THAT(told_within(10s), IsEmpty()) << "the key is not back yet";
    fs::create_symlink("..data/CONFIG.toml", mount / "CONFIG.toml");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
}

/// Links out of the folder that the configuration was named in:
///     etc/CONFIG.toml -> ../current/CONFIG.toml, and current -> releases/1
struct ALinkedFile : AWatchedFile {
    ALinkedFile() {
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
    /// At once, as `ln -sfn` and `mv -T` do.
    static void turn(const fs::path& link, const fs::path& target) {
        fs::create_symlink(target, link.string() + ".new");
        fs::rename(link.string() + ".new", link);
    }

    const fs::path etc = folder.folder("etc");
};

TEST_F(ALinkedFile, IsToldOfWhenItIsWrittenInAnotherFolder) {
    write(release("1") / "CONFIG.toml", "another first");
    EXPECT_THAT(told_within(1s), ElementsAre("another first"));
    write(release("1") / "new", "a third");
    fs::rename(release("1") / "new", release("1") / "CONFIG.toml");
    EXPECT_THAT(told_within(1s), ElementsAre("a third"));
}

TEST_F(ALinkedFile, IsToldOfWhenALinkOnTheWayIsTurned) {
    turn(folder.path() / "current", "releases/2");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
    turn(etc / "CONFIG.toml", folder.path() / "releases" / "1" / "CONFIG.toml");
    EXPECT_THAT(told_within(1s), ElementsAre("first"));
    EXPECT_THAT(told_within(1h), IsEmpty());
}

TEST_F(ALinkedFile, IsFollowedToWhereALinkHasBeenTurnedTo) {
    turn(folder.path() / "current", "releases/2");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
    write(release("1") / "CONFIG.toml", "of no interest any more");
    EXPECT_THAT(told_within(1h), IsEmpty());
    write(release("2") / "CONFIG.toml", "third");
    EXPECT_THAT(told_within(1s), ElementsAre("third"));
}

TEST_F(ALinkedFile, IsToldOfWhenItsLinkLeadsSomewhereAgain) {
    turn(folder.path() / "current", "releases/none");
    EXPECT_THAT(told_within(1h), IsEmpty()) << "somebody is about to make it";
    turn(folder.path() / "current", "releases/2");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
}

TEST_F(ALinkedFile, MayLeadInACircleForAWhile) {
    turn(etc / "CONFIG.toml", "CONFIG.toml");
    EXPECT_THAT(told_within(1h), IsEmpty());
    turn(etc / "CONFIG.toml", "../releases/2/CONFIG.toml");
    EXPECT_THAT(told_within(1s), ElementsAre("second"));
}

}  // namespace
}  // namespace capstan::runtime::daemon
