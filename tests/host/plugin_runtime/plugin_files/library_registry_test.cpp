#include "plugin_runtime/plugin_files/library_registry.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "../plugin_bytes.hpp"
#include "plugin_runtime/plugin_files/unloading.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;

class LibraryRegistryTest : public testing::Test {
protected:
    Result<std::shared_ptr<const PluginLibrary>> load(const std::string& name,
                                                      const std::string& file) {
        temporary_.file(file, tiny(name));
        return registry_.load({.file = file}, {.search_paths = {temporary_.path()}});
    }
    /// Loads and releases the library, then unloads unused libraries.
    UnloadReport load_and_unload(const std::string& name) {
        const auto path =
            load(name, "x.so").transform([](const auto& library) { return library->copy(); });
        EXPECT_TRUE(path) << path.error();
        UnloadReport report = registry_.unload_unused();
        EXPECT_EQ(is_mapped(*path), report.unloaded.empty());
        return report;
    }

    TemporaryFolder temporary_;
    LibraryRegistry registry_{std::vector{temporary_.path()}};
};

TEST_F(LibraryRegistryTest, LoadsEachContentOnce) {
    const auto first = load("tiny_expander", "a.so"), again = load("tiny_expander", "b.so");
    ASSERT_TRUE(first && again);
    EXPECT_EQ(*first, *again);
    const auto other = load("tiny_thread_locals", "c.so");
    ASSERT_TRUE(other) << other.error();
    EXPECT_NE(*first, *other);
    EXPECT_EQ(registry_.libraries().size(), 2u);
}

TEST_F(LibraryRegistryTest, PreparesACopyForALaterLoad) {
    const auto file = read_plugin_file(temporary_.file("a.so", tiny()));
    ASSERT_TRUE(file) << file.error();
    const auto folder = registry_.prepare(*file);
    ASSERT_TRUE(folder) << folder.error();
    EXPECT_TRUE(std::filesystem::exists("/proc/self/fd/" + std::to_string(*folder) + "/" +
                                        file->facts.sha256 + ".so"));
    EXPECT_TRUE(registry_.libraries().empty());
    EXPECT_TRUE(registry_.load(*file));
}

TEST_F(LibraryRegistryTest, UnloadsALibraryThatIsSafeToUnload) {
    const UnloadReport report = load_and_unload("tiny_expander");
    EXPECT_THAT(report.unloaded, testing::ElementsAre(temporary_.path() / "x.so"));
    EXPECT_EQ(::getenv("CAPSTAN_TINY_FILE"), nullptr) << "deinit was not called";
    EXPECT_TRUE(load("tiny_expander", "x.so")) << "it can be loaded again";
}

TEST_F(LibraryRegistryTest, KeepsALibraryWithThreadLocalDestructors) {
    EXPECT_THAT(load_and_unload("tiny_thread_locals").kept.at(0).because,
                HasSubstr("thread_local objects with destructors"));
}

TEST_F(LibraryRegistryTest, KeepsALibraryWithUniqueSymbols) {
    EXPECT_THAT(load_and_unload("tiny_unique").kept.at(0).because,
                HasSubstr("1 unique symbols, such as capstan_tiny_unique"));
}

TEST_F(LibraryRegistryTest, KeepsALibraryInUse) {
    const auto library = load("tiny_expander", "x.so");
    ASSERT_TRUE(library) << library.error();
    const UnloadReport report = registry_.unload_unused();
    ASSERT_EQ(report.kept.size(), 1u);
    EXPECT_EQ(report.kept[0].because, "is in use");
    EXPECT_EQ(registry_.libraries().size(), 1u);
}

TEST_F(LibraryRegistryTest, CallsDeinitAndKeepsTheCodeMappedWhenDestroyed) {
    std::filesystem::path copy;
    {
        LibraryRegistry registry(std::vector{temporary_.path()});
        temporary_.file("y.so", tiny());
        const auto library = registry.load({.file = "y.so"}, {.search_paths = {temporary_.path()}});
        ASSERT_TRUE(library) << library.error();
        copy = (*library)->copy();
        EXPECT_NE(::getenv("CAPSTAN_TINY_FILE"), nullptr);
    }
    EXPECT_EQ(::getenv("CAPSTAN_TINY_FILE"), nullptr);
    EXPECT_TRUE(is_mapped(copy));
    EXPECT_FALSE(std::filesystem::exists(copy));
}

TEST_F(LibraryRegistryTest, NamesThePluginIfThereIsNoFolderForCopies) {
    LibraryRegistry nowhere(std::vector{temporary_.path() / "absent"});
    const auto path = temporary_.file("x.so", tiny());
    EXPECT_THAT(
        message_of(nowhere.load({.file = "x.so"}, {.search_paths = {temporary_.path()}})),
        testing::AllOf(HasSubstr("plugin " + path.string() + ": no folder for a private copy"),
                       HasSubstr("absent")));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
