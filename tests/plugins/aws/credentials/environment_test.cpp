#include "credentials/environment.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <capstan/testing/run_task.hpp>

namespace capstan::aws {
namespace {

using testing::FakeHost;
using ::testing::HasSubstr;
using testing::run;

/// A folder of its own for each test.
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
        ("aws_environment_" +
         std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    FakeHost host_{};
    MachineEnvironment environment_{host_.host()};
};

TEST_F(MachineEnvironmentTest, ReadsAWholeFile) {
    const std::string text = std::string("a\0b\n", 4) + std::string(10'000, 'x');
    EXPECT_EQ(read(file("token", text)), text);
    EXPECT_EQ(read(file("empty", "")), "");
}

TEST_F(MachineEnvironmentTest, AFileThatIsNotThereIsNotFound) {
    const auto missing = read((folder_ / "none").string());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
    EXPECT_THAT(missing.error().message, HasSubstr("none\": there is no such file"));
    EXPECT_EQ(read((folder_ / "none" / "below").string()).error().code, ErrorCode::not_found);
}

TEST_F(MachineEnvironmentTest, AFolderIsNoFile) {
    EXPECT_THAT(read(folder_.string()).error().message, HasSubstr("it is no file"));
}

TEST_F(MachineEnvironmentTest, AFileBeyondTheLimitIsRefused) {
    EXPECT_TRUE(read(file("full", std::string(1 << 20, 'x'))));
    EXPECT_THAT(read(file("over", std::string((1 << 20) + 1, 'x'))).error().message,
                HasSubstr("larger than 1 MiB"));
}

TEST_F(MachineEnvironmentTest, HasTheVariablesOfAwsThatAreSet) {
    ::setenv("AWS_REGION", "eu-north-1", 1);
    ::setenv("AWS_PROFILE", "", 1);
    ::setenv("AWS_SOMETHING_ELSE", "x", 1);
    const auto variables = run(host_, environment_.variables());
    ::unsetenv("AWS_REGION");
    ASSERT_TRUE(variables);
    EXPECT_EQ(find_variable(*variables, "AWS_REGION"), "eu-north-1");
    EXPECT_FALSE(variables->contains("AWS_PROFILE"));
    EXPECT_FALSE(variables->contains("AWS_SOMETHING_ELSE"));
}

TEST(Variables, AreSwitchedOnByTrueAlone) {
    const Variables variables{{"A", "true"}, {"B", "True"}, {"C", "1"}, {"D", "false"}};
    EXPECT_TRUE(is_switched_on(variables, "A"));
    EXPECT_TRUE(is_switched_on(variables, "B"));
    EXPECT_FALSE(is_switched_on(variables, "C"));
    EXPECT_FALSE(is_switched_on(variables, "D"));
    EXPECT_FALSE(is_switched_on(variables, "E"));
}

}  // namespace
}  // namespace capstan::aws
