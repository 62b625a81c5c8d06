#include "simulation/kept_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace capstan::simulation {
namespace {

std::filesystem::path file() {
    return std::filesystem::path(::testing::TempDir()) / "capstan-kept-memory.json";
}

TEST(KeptMemory, IsReadAsItWasWrittenForTheFirstPassOfAStart) {
    engine::Memory memory{.started = true};
    memory.backoffs[NodeGroupId("web")] = {.because = "no capacity"};
    ASSERT_TRUE(save_memory(memory, "1.0.0", file()));
    memory.started = false;
    EXPECT_EQ(load_memory(file()), memory);
    EXPECT_EQ(saved_and_read(memory, "1.0.0"), memory);
    std::filesystem::remove(file());
}

TEST(KeptMemory, WithoutAFileItWasNeverUsed) {
    EXPECT_EQ(load_memory({}), engine::Memory{});
    EXPECT_EQ(load_memory(file().string() + ".none"), engine::Memory{});
}

TEST(KeptMemory, WhatIsNoMemoryIsRefused) {
    std::ofstream(file()) << "[]";
    EXPECT_EQ(load_memory(file()).error().code, ErrorCode::invalid_config);
    std::filesystem::remove(file());
}

}  // namespace
}  // namespace capstan::simulation
