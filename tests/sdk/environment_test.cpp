#include <capstan/environment.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <capstan/testing/run_task.hpp>

namespace capstan {
namespace {

using testing::FakeHost;
using ::testing::HasSubstr;
using testing::run;

constexpr const char* names[] = {"CAPSTAN_TEST_REGION", "CAPSTAN_TEST_PROFILE"};

/// A separate folder for each test.
class MachineEnvironmentTest : public ::testing::Test {
protected:
    MachineEnvironmentTest() { std::filesystem::create_directories(folder_); }
    ~MachineEnvironmentTest() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }
    Result<std::string> read(const std::string& path) {
        return run(host_, environment_.read_file(path));
    }

    std::filesystem::path folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("environment_" +
         std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    FakeHost host_{};
    MachineEnvironment environment_{host_.host(), names};
};

TEST_F(MachineEnvironmentTest, ReadsAWholeFile) {
    const std::string text = std::string("a\0b\n", 4) + std::string(10'000, 'x');
    EXPECT_EQ(read(file("token", text)), text);
    EXPECT_EQ(read(file("empty", "")), "");
}

TEST_F(MachineEnvironmentTest, ReportsAMissingFileAsNotFound) {
    const auto missing = read((folder_ / "none").string());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    EXPECT_THAT(missing.error().message, HasSubstr("none\": no such file"));
    EXPECT_EQ(read((folder_ / "none" / "below").string()).error().code, ErrorCode::not_found);
}

TEST_F(MachineEnvironmentTest, RejectsAFolder) {
    EXPECT_THAT(read(folder_.string()).error().message, HasSubstr("not a regular file"));
}

TEST_F(MachineEnvironmentTest, RejectsAFileAboveTheSizeLimit) {
    EXPECT_TRUE(read(file("full", std::string(1 << 20, 'x'))));
    EXPECT_THAT(read(file("over", std::string((1 << 20) + 1, 'x'))).error().message,
                HasSubstr("larger than 1 MiB"));
}

TEST_F(MachineEnvironmentTest, HasTheRequestedVariablesThatAreNotEmpty) {
    ::setenv("CAPSTAN_TEST_REGION", "eu-north-1", 1);
    ::setenv("CAPSTAN_TEST_PROFILE", "", 1);
    ::setenv("CAPSTAN_TEST_OTHER", "x", 1);
    const auto variables = run(host_, environment_.variables());
    ::unsetenv("CAPSTAN_TEST_REGION");
    ASSERT_TRUE(variables);
    EXPECT_EQ(find_variable(*variables, "CAPSTAN_TEST_REGION"), "eu-north-1");
    EXPECT_FALSE(variables->contains("CAPSTAN_TEST_PROFILE"));
    EXPECT_FALSE(variables->contains("CAPSTAN_TEST_OTHER"));
}

TEST(Variables, AreSwitchesThatOnlyTrueEnables) {
    const Variables variables{{"A", "true"}, {"B", "True"}, {"C", "1"}, {"D", "false"}};
    EXPECT_TRUE(is_switched_on(variables, "A"));
    EXPECT_TRUE(is_switched_on(variables, "B"));
    EXPECT_FALSE(is_switched_on(variables, "C"));
    EXPECT_FALSE(is_switched_on(variables, "D"));
    EXPECT_FALSE(is_switched_on(variables, "E"));
}

}  // namespace
}  // namespace capstan
