#include "plugin_runtime/plugin_files/unloading.hpp"

#include <gmock/gmock.h>

#include "../plugin_bytes.hpp"

namespace capstan::plugin_runtime::plugin_files {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(Unloading, IsSafeForAPluginThatLeavesNothingBehind) {
    ElfFacts elf;
    elf.needed = {"libstdc++.so.6", "libc.so.6"};
    elf.imports = {"malloc", "_ZSt9terminatev", "signalfd"};
    EXPECT_EQ(reason_to_keep(elf), std::nullopt);
}

TEST(Unloading, IsNotSafeWithThreadsOrHandlers) {
    const char* const start_of_thread =
        "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
    for (const char* import : {"pthread_create", "pthread_key_create", "__cxa_thread_atexit_impl",
                               "sigaction", start_of_thread}) {
        ElfFacts elf;
        elf.imports = {import};
        EXPECT_THAT(reason_to_keep(elf), Optional(HasSubstr(import)));
    }
}

TEST(Unloading, IsNotSafeWithUnknownOrPinnedLibraries) {
    ElfFacts needs;
    needs.needed = {"libc.so.6", "libacme.so.3"};
    EXPECT_THAT(reason_to_keep(needs), Optional(HasSubstr("needs libacme.so.3")));
    ElfFacts pinned;
    pinned.never_unloads = true;
    EXPECT_THAT(reason_to_keep(pinned), Optional(HasSubstr("nodelete")));
}

TEST(Unloading, KnowsMappedFiles) {
    EXPECT_TRUE(is_mapped("libc.so.6"));
    EXPECT_FALSE(is_mapped(tiny_path("tiny_expander")));
}

}  // namespace
}  // namespace capstan::plugin_runtime::plugin_files
