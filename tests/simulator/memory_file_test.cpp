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

TEST(MemoryFile, IsReadableOnlyByItsOwner) {
    ASSERT_TRUE(save_memory({}, "1.0.0", file(), noon));
    EXPECT_EQ(std::filesystem::status(file()).permissions(), std::filesystem::perms(0600));
    EXPECT_FALSE(std::filesystem::exists(file().string() + ".new"));
    std::filesystem::remove(file());
}

TEST(MemoryFile, IsReplacedAsAWhole) {
    engine::Memory memory;
    memory.backoffs[NodeGroupId("web")] = {.because = "no capacity"};
    ASSERT_TRUE(save_memory(memory, "1.0.0", file(), noon));
    ASSERT_TRUE(save_memory({}, "1.0.0", file(), noon));
    EXPECT_EQ(load_memory(file(), noon), engine::Memory{});
    std::filesystem::remove(file());
}

TEST(MemoryFile, HasNoGapInTheObservation) {
    const engine::Memory memory{.started = true, .unobserved_since = noon};
    ASSERT_TRUE(save_memory(memory, "1.0.0", file(), noon));
    EXPECT_EQ(load_memory(file(), noon), engine::Memory{})
        << "the simulation has observed the cluster meanwhile";
    std::filesystem::remove(file());
}

TEST(MemoryFile, IsNotWrittenWithoutAPathOrAFolder) {
    EXPECT_TRUE(save_memory({}, "1.0.0", {}, noon));
    const std::filesystem::path missing = file() / "memory.json";
    const Result<void> saved = save_memory({}, "1.0.0", missing, noon);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, ErrorCode::unavailable);
    EXPECT_EQ(saved.error().message, missing.string() + ": cannot be written");
}

}  // namespace
}  // namespace capstan::simulator
