#include "autoscaler/daemon/host_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace capstan::autoscaler::daemon {
namespace {

namespace fs = std::filesystem;

/// A folder that every user may enter.
struct SecretFileTest : testing::Test {
    fs::path folder;
    SecretFileTest() {
        std::string pattern = (fs::temp_directory_path() / "secret-files-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        ::chmod(folder.c_str(), 0755);
    }
    ~SecretFileTest() override { fs::remove_all(folder); }
    fs::path write(const fs::path& name, mode_t mode) const {
        const fs::path file = folder / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "secret";
        ::chmod(file.c_str(), mode);
        return file;
    }
};

TEST_F(SecretFileTest, IsReportedIfOthersCanReadOrChangeIt) {
    EXPECT_EQ(find_exposure(write("a", 0644)), "can be read by other users (mode 0644)");
    EXPECT_EQ(find_exposure(write("b", 0666)),
              "can be read and changed by other users (mode 0666)");
    EXPECT_EQ(find_exposure(write("c", 0602)), "can be changed by other users (mode 0602)");
}

TEST_F(SecretFileTest, IsFineIfOthersCannotAccessIt) {
    EXPECT_EQ(find_exposure(write("a", 0600)), std::nullopt);
    EXPECT_EQ(find_exposure(write("b", 0640)), std::nullopt);
    EXPECT_EQ(find_exposure(folder / "none"), std::nullopt);
    const fs::path inside = write("closed/c", 0644);
    ::chmod((folder / "closed").c_str(), 0700);
    EXPECT_EQ(find_exposure(inside), std::nullopt) << "in a folder closed to other users";
}

TEST_F(SecretFileTest, IsCheckedBehindLinks) {
    const fs::path real = write("real", 0644);
    fs::create_symlink(real, folder / "link");
    EXPECT_NE(find_exposure(folder / "link"), std::nullopt);
}

TEST_F(SecretFileTest, IsFineInAVolumeMountedByKubelet) {
    write("..2026_11_24_05_20_00.123456789/token", 0644);
    fs::create_symlink("..2026_11_24_05_20_00.123456789", folder / "..data");
    fs::create_symlink("..data/token", folder / "token");
    EXPECT_EQ(find_exposure(folder / "token"), std::nullopt);
}

}  // namespace
}  // namespace capstan::autoscaler::daemon
