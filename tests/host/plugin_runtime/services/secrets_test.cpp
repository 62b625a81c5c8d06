#include "plugin_runtime/services/secrets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "io/known_secrets.hpp"

namespace capstan::plugin_runtime::services {
namespace {

struct DirectorySecretsTest : testing::Test {
    std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("secrets-" + std::to_string(::getpid()));
    DirectorySecrets secrets{folder};
    DirectorySecretsTest() { std::filesystem::create_directories(folder); }
    ~DirectorySecretsTest() override { std::filesystem::remove_all(folder); }
    void write(const char* name, const std::string& bytes) {
        std::ofstream(folder / name) << bytes;
    }
    ErrorCode refusal(std::string_view name) { return secrets.read(name).error().code; }
};

TEST_F(DirectorySecretsTest, ReturnAFileWithoutItsLastNewline) {
    write("token", "abc\n\n");
    EXPECT_EQ(secrets.read("token").value().view(), "abc\n");
    write("binary", std::string("\0\xff", 2));
    EXPECT_EQ(secrets.read("binary").value().view(), std::string_view("\0\xff", 2));
}

TEST_F(DirectorySecretsTest, AreRedactedAfterTheyWereRead) {
    write("password", "open sesame, please\n");
    EXPECT_EQ(io::redacted("open sesame, please"), "open sesame, please");
    secrets.read("password").value();
    EXPECT_EQ(io::redacted("\"open sesame, please\" is wrong"), "\"[redacted]\" is wrong");
}

TEST_F(DirectorySecretsTest, AreReadAgainEachTime) {
    write("token", "old");
    secrets.read("token").value();
    write("token", "new");
    EXPECT_EQ(secrets.read("token").value().view(), "new");
}

TEST_F(DirectorySecretsTest, FollowLinksOfMountedSecrets) {
    std::filesystem::create_directory(folder / "..2026");
    std::ofstream(folder / "..2026" / "token") << "abc";
    std::filesystem::create_symlink("..2026", folder / "..data");
    std::filesystem::create_symlink("..data/token", folder / "token");
    EXPECT_EQ(secrets.read("token").value().view(), "abc");
}

TEST_F(DirectorySecretsTest, RefuseInvalidNames) {
    for (const char* const name :
         {"", ".", "..", "../token", "a/b", "/etc/passwd", "..data", "a b", "a\nb"}) {
        EXPECT_EQ(refusal(name), ErrorCode::invalid_argument) << name;
    }
    EXPECT_EQ(refusal(std::string_view("a\0b", 3)), ErrorCode::invalid_argument);
    EXPECT_EQ(refusal(".dockerconfigjson"), ErrorCode::not_found) << "a valid name";
}

TEST_F(DirectorySecretsTest, DistinguishMissingFromUnreadable) {
    EXPECT_EQ(refusal("token"), ErrorCode::not_found);
    std::filesystem::create_directory(folder / "sub");
    EXPECT_EQ(refusal("sub"), ErrorCode::unavailable);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(refusal("pipe"), ErrorCode::unavailable) << "without waiting for a writer";
}

TEST_F(DirectorySecretsTest, RefuseMoreThanOneMebibyte) {
    write("fits", std::string(1 << 20, 'x'));
    EXPECT_EQ(secrets.read("fits").value().view().size(), 1u << 20);
    write("large", std::string((1 << 20) + 1, 'x'));
    EXPECT_EQ(refusal("large"), ErrorCode::unavailable);
}

TEST(SecretText, IsEmptyAfterAMove) {
    SecretText secret(16);
    secret.append("short");
    const SecretText moved(std::move(secret));
    EXPECT_EQ(moved.view(), "short");
    EXPECT_EQ(secret.view(), "");  // NOLINT(bugprone-use-after-move): under test
}

}  // namespace
}  // namespace capstan::plugin_runtime::services
