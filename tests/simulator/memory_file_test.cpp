#include "simulator/memory_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace capstan::simulator {
namespace {

constexpr Time noon = time_from_unix_ns(1'750'000'000'000'000'000);

std::filesystem::path file() {
    return std::filesystem::path(::testing::TempDir()) / "capstan-kept-memory.json";
}

TEST(MemoryFile, IsRestoredFromItsFile) {
    engine::Memory memory{.started = true};
    memory.backoffs[NodeGroupId("web")] = {.because = "no capacity"};
    ASSERT_TRUE(save_memory(memory, "1.0.0", file(), noon));
    memory.started = false;
    EXPECT_EQ(load_memory(file(), noon), memory);
    EXPECT_EQ(saved_and_read(memory, "1.0.0", noon, noon), memory);
    std::filesystem::remove(file());
}

TEST(MemoryFile, IsEmptyWithoutAFile) {
    EXPECT_EQ(load_memory({}, noon), engine::Memory{});
    EXPECT_EQ(load_memory(file().string() + ".none", noon), engine::Memory{});
}

TEST(MemoryFile, IsRejectedIfTheFileIsMalformed) {
    std::ofstream(file()) << "[]";
    EXPECT_EQ(load_memory(file(), noon).error().code, ErrorCode::invalid_config);
    std::filesystem::remove(file());
}

}  // namespace
}  // namespace capstan::simulator
