#include "plugin_runtime/plugin_files/needed_libraries.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "../plugin_bytes.hpp"
#include "plugin_runtime/plugin_files/plugin_file.hpp"
#include "plugin_runtime/plugin_files/sha256.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using Found = NeededLibrary::Found;

/// A plugin that needs libacme.so, and folders that may contain it.
class NeededLibrariesTest : public testing::Test {
protected:
    NeededLibrariesTest() {
        plugin_.needed = {"libacme.so"};
        paths_.find_loaded = [](const std::string& name) {
            return name == "libc.so.6" ? fs::path("/usr/lib/libc.so.6") : fs::path();
        };
    }
    /// A library that needs libc.so.6.
    fs::path library(const std::string& name, mode_t mode = 0644) {
        return temporary_.file(name, tiny(), mode);
    }
    NeededLibraries find() const {
        return find_needed(temporary_.path() / "plugins/x.so", plugin_, paths_);
    }

    TemporaryFolder temporary_;
    ElfFacts plugin_;
    LoaderPaths paths_;
};

TEST_F(NeededLibrariesTest, AreFoundInTheOrderOfTheLoader) {
    EXPECT_EQ(find().libraries.at(0).found, Found::nowhere);
    paths_.defaults = {temporary_.folder("system")};
    library("system/libacme.so");
    EXPECT_EQ(find().libraries.at(0).file, temporary_.path() / "system/libacme.so");
    plugin_.run_paths = {temporary_.folder("run")};
    const fs::path run = library("run/libacme.so");
    EXPECT_EQ(find().libraries.at(0).file, run);
    EXPECT_EQ(find().libraries.at(0).found, Found::run_path);
    paths_.environment = {temporary_.folder("environment")};
    const fs::path environment = library("environment/libacme.so");
    EXPECT_EQ(find().libraries.at(0).file, environment);
    plugin_.run_paths_are_early = true;
    EXPECT_EQ(find().libraries.at(0).file, run);
    temporary_.folder("run/glibc-hwcaps/x86-64-v3");
    const fs::path newer = library("run/glibc-hwcaps/x86-64-v3/libacme.so");
    EXPECT_EQ(find().libraries.at(0).file, newer);
    plugin_.needed = {"libc.so.6"};
    EXPECT_EQ(find().libraries.at(0).found, Found::loaded);
}

TEST_F(NeededLibrariesTest, IncludeIndirectOnes) {
    paths_.defaults = {temporary_.folder("system")};
    library("system/libacme.so");
    const NeededLibraries needed = find();
    ASSERT_GE(needed.libraries.size(), 2u);
    EXPECT_EQ(needed.libraries[1].name, "libc.so.6");
    EXPECT_EQ(needed.libraries[1].needed_by, "libacme.so");
}

TEST_F(NeededLibrariesTest, OnARunPathMustBeAsTrustedAsPlugins) {
    plugin_.run_paths = {temporary_.folder("run")};
    const fs::path file = library("run/libacme.so");
    EXPECT_THAT(find().warnings, IsEmpty());
    library("run/libacme.so", 0666);
    const NeededLibraries needed = find();
    ASSERT_EQ(needed.warnings.size(), 1u);
    EXPECT_THAT(needed.warnings[0].sentence,
                AllOf(HasSubstr("needs libacme.so, which is loaded from " + file.string()),
                      HasSubstr("is writable by other users (mode 0666)")));
    EXPECT_TRUE(needed.warnings[0].is_about_plugin);
}

TEST_F(NeededLibrariesTest, MustNotBeInFoldersWritableByOthers) {
    for (const mode_t mode : {0777, 01777}) {
        plugin_.run_paths = {temporary_.folder("run", mode)};
        const NeededLibraries needed = find();
        ASSERT_EQ(needed.warnings.size(), 1u) << mode;
        EXPECT_THAT(needed.warnings[0].sentence, HasSubstr("looks for libraries in "));
        EXPECT_TRUE(needed.warnings[0].is_about_plugin);
    }
    plugin_.run_paths = {"/opt/$LIB"};
    EXPECT_THAT(find().warnings.at(0).sentence, HasSubstr("depends on the machine"));
}

TEST_F(NeededLibrariesTest, InSystemFoldersCauseAWarningThatIsNotAboutThePlugin) {
    paths_.defaults = {temporary_.folder("system", 0777)};
    library("system/libacme.so");
    const NeededLibraries needed = find();
    ASSERT_EQ(needed.warnings.size(), 1u);
    EXPECT_FALSE(needed.warnings[0].is_about_plugin);
    paths_.defaults = {temporary_.folder("plugins")};
    library("plugins/libacme.so", 0666);
    EXPECT_TRUE(find().warnings.at(0).is_about_plugin) << "it is in the folder of the plugin";
}

TEST_F(NeededLibrariesTest, InAFolderOfAnotherUserCauseAWarning) {
    paths_.defaults = {temporary_.folder("system")};
    library("system/libacme.so");
    if (::chown((temporary_.path() / "system").c_str(), 12345, 12345) != 0)
        GTEST_SKIP() << "only root can give folders away";
    EXPECT_THAT(find().warnings.at(0).sentence, HasSubstr("is owned by user 12345"));
}

TEST(LibraryNeeds, AreReadFromAnyLibrary) {
    const fs::path libc = LoaderPaths::of_this_process().find_loaded("libc.so.6");
    const io::FileDescriptor fd(::open(libc.c_str(), O_RDONLY | O_CLOEXEC));
    auto file = PartialFile::open(fd.get());
    ASSERT_TRUE(file) << file.error();
    const auto needs = read_library_needs(*file);
    ASSERT_TRUE(needs) << needs.error();
    EXPECT_EQ(needs->soname, "libc.so.6");
}

/// tiny_run_path with its run path replaced by `folder`.
FileBytes plugin_with_run_path(const fs::path& folder) {
    FileBytes bytes = tiny("tiny_run_path");
    const std::size_t place = place_of(bytes, "/capstan-run-path-");
    std::string text = folder.string();
    text.resize(200, '\0');
    std::ranges::copy(bytes_of(text), bytes.begin() + static_cast<std::ptrdiff_t>(place));
    return bytes;
}

TEST(PluginFile, IsRefusedForARunPathWritableByOthers) {
    const TemporaryFolder temporary;
    const FileBytes bytes = plugin_with_run_path(temporary.folder("run"));
    const fs::path path = temporary.file("x.so", bytes);
    const auto good = read_plugin_file(path, sha256_hex(bytes));
    ASSERT_TRUE(good) << good.error();
    EXPECT_THAT(good->facts.libraries, testing::Not(IsEmpty()));
    temporary.folder("run", 0777);
    EXPECT_THAT(
        message_of(read_plugin_file(path)),
        AllOf(HasSubstr("plugin " + path.string() + ": looks for libraries in "),
              HasSubstr("/run, where other users may place files: is writable by other users")));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
