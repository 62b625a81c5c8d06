// Files that are not valid plugins: the shipped binary refuses each with a message and does not
// crash.
#include <sys/stat.h>

#include <cstdint>

#include <gmock/gmock.h>

#include "../host/commands/shell.hpp"

namespace capstan::plugin_tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PluginInspectHostileFile : public testing::Test {
protected:
    PluginInspectHostileFile() : bytes_(read_whole(commands::shipped("expanders/random.so"))) {}

    static std::string read_whole(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    commands::CommandResult inspect(const std::string& bytes, mode_t mode = 0755) const {
        const std::string file = folder_.write("x.so", bytes);
        ::chmod(file.c_str(), mode);
        return commands::capstan("plugin inspect " + file);
    }
    /// The file with one field of its note changed.
    std::string with_note(std::size_t offset_in_desc, std::uint16_t value) const {
        std::string changed = bytes_;
        const std::size_t magic = changed.find("CAP1", changed.find(std::string("CAP\0", 4)));
        changed[magic + offset_in_desc] = static_cast<char>(value & 0xFF);
        changed[magic + offset_in_desc + 1] = static_cast<char>(value >> 8);
        return changed;
    }
    static void expect_refusal(const commands::CommandResult& ran, const std::string& message) {
        EXPECT_EQ(ran.code, 1) << ran.out;
        EXPECT_THAT(ran.err, HasSubstr(message));
        EXPECT_EQ(ran.out, "");
    }

    const commands::Folder folder_;
    const std::string bytes_;
};

TEST_F(PluginInspectHostileFile, IsRefusedIfTruncated) {
    for (std::size_t size = 4096; size < bytes_.size(); size += 4096) {
        expect_refusal(inspect(bytes_.substr(0, size)), "truncated");
    }
}

TEST_F(PluginInspectHostileFile, IsRefusedIfItIsText) {
    expect_refusal(inspect("#!/bin/sh\necho hello\n"), "ELF");
}
TEST_F(PluginInspectHostileFile, IsRefusedIfItIsEmpty) { expect_refusal(inspect(""), "empty"); }
TEST_F(PluginInspectHostileFile, IsRefusedForAnotherArchitecture) {
    std::string other = bytes_;
    other[18] = static_cast<char>(other[18] == 62 ? 183 : 62);
    expect_refusal(inspect(other), other[18] == 62 ? "x86_64" : "aarch64");
}
TEST_F(PluginInspectHostileFile, IsRefusedWithAWrongMagicNumber) {
    expect_refusal(inspect(with_note(0, 0x4142)), "magic");
}
TEST_F(PluginInspectHostileFile, IsRefusedWithAnotherMajorVersion) {
    expect_refusal(inspect(with_note(4, 2)), "2");
}
TEST_F(PluginInspectHostileFile, IsRefusedWithANewerMinorVersion) {
    const commands::CommandResult ran = inspect(with_note(8, 7));
    expect_refusal(ran, "1.7");
    EXPECT_THAT(ran.err, HasSubstr("1.0"));
}
TEST_F(PluginInspectHostileFile, IsRefusedIfItIsWorldWritable) {
    expect_refusal(inspect(bytes_, 0757), "writ");
}
TEST_F(PluginInspectHostileFile, IsRefusedByEveryCommand) {
    const std::string file = folder_.write("x.so", bytes_.substr(0, 4096));
    for (const std::string command : {"inspect ", "verify ", "call --kind expander "}) {
        expect_refusal(commands::capstan("plugin " + command + file), "truncated");
    }
}
TEST_F(PluginInspectHostileFile, IsAcceptedIfUnchanged) { EXPECT_EQ(inspect(bytes_).code, 0); }

}  // namespace
}  // namespace capstan::plugin_tool
