#include "kubernetes/client/access/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "credentials_folder.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CredentialsFile, TrimsTokens) {
    const CredentialsFolder folder;
    EXPECT_EQ(read_token_file(folder.write("token", "\n abc.def \r\n")), "abc.def");
}

TEST(CredentialsFile, RejectsMalformedTokensWithoutShowingThem) {
    const CredentialsFolder folder;
    const std::pair<std::string, std::string> cases[] = {
        {"", "the token file is empty"},
        {" \n", "the token file is empty"},
        {"hunter2\nx-evil: 1", "does not contain a token"},
        {"hunter2 hunter3", "does not contain a token"},
        {std::string("hunter2\0x", 9), "does not contain a token"},
        {"hunter2\xc3\xa4", "does not contain a token"},
        {std::string(max_secret_file_bytes + 1, 'x'), "is longer than 1048576 bytes"}};
    for (const auto& [text, why] : cases) {
        const auto token = read_token_file(folder.write("token", text));
        ASSERT_FALSE(token) << why;
        EXPECT_EQ(token.error().code, ErrorCode::invalid_config);
        EXPECT_THAT(token.error().message, HasSubstr((folder / "token").string() + ": " + why));
        EXPECT_THAT(token.error().message, Not(HasSubstr("hunter2")));
    }
}

TEST(CredentialsFile, ReportsUnreadableFiles) {
    const CredentialsFolder folder;
    EXPECT_THAT(read_small_file(folder / "none").error().message,
                HasSubstr("none: cannot be read: No such file or directory"));
    EXPECT_THAT(read_small_file(folder / "").error().message,
                HasSubstr("cannot be read: Is a directory"));
}

TEST(CredentialsFile, DistinguishesKeysFromCertificatesWithoutShowingThem) {
    const CredentialsFolder folder;
    const auto key = folder.write("key", "-----BEGIN EC PRIVATE KEY-----\nhunter2\n");
    EXPECT_TRUE(read_pem_file(key, PemKind::private_key));
    const auto refused = read_pem_file(key, PemKind::certificate);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("key: contains no PEM certificate"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
    EXPECT_FALSE(read_pem_file(folder.write("der", "0\x82\x01"), PemKind::certificate));
}

}  // namespace
}  // namespace capstan::kubernetes::client
