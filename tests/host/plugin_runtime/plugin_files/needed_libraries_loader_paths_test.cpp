#include "plugin_runtime/plugin_files/needed_libraries.hpp"

#include <gmock/gmock.h>

#include <random>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LoaderPaths, FindLibrariesLoadedByThisProcess) {
    const LoaderPaths paths = LoaderPaths::of_this_process();
    EXPECT_EQ(paths.find_loaded("libc.so.6").filename(), "libc.so.6");
    EXPECT_TRUE(paths.find_loaded("libcapstan-nowhere.so").empty());
}

TEST(LoaderPaths, FindALibraryInTheLoaderCache) {
    const LoaderPaths paths = LoaderPaths::of_this_process();
    if (paths.cache.empty()) GTEST_SKIP() << "this machine has no cache";
    EXPECT_THAT(
        find_in_cache(paths.cache, "libc.so.6"),
        Contains(testing::ResultOf(
            [](const std::filesystem::path& file) { return file.filename(); }, "libc.so.6")));
    EXPECT_THAT(find_in_cache(paths.cache, "libcapstan-nowhere.so"), IsEmpty());
}

TEST(LoaderPaths, ReadLdLibraryPath) {
    ::setenv("LD_LIBRARY_PATH", "/a::/b;c", 1);
    EXPECT_THAT(LoaderPaths::of_this_process().environment, ElementsAre("/a", ".", "/b", "c"));
    ::unsetenv("LD_LIBRARY_PATH");
    EXPECT_THAT(LoaderPaths::of_this_process().environment, IsEmpty());
}

TEST(LoaderPaths, SurviveADamagedCache) {
    const FileBytes good = LoaderPaths::of_this_process().cache;
    if (good.empty()) GTEST_SKIP() << "this machine has no cache";
    EXPECT_THAT(find_in_cache({}, "libc.so.6"), IsEmpty());
    EXPECT_THAT(find_in_cache(bytes_of("glibc-ld.so.cache1.1"), "libc.so.6"), IsEmpty());
    std::mt19937 random(20241124);
    for (int round = 0; round < 200; ++round) {
        FileBytes bytes = cut(good, random() % 4096);
        for (int flips = 0; flips < 4 && !bytes.empty(); ++flips)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        find_in_cache(bytes, "libc.so.6");
    }
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
