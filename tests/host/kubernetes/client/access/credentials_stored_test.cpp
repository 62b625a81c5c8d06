#include "kubernetes/client/access/credentials_stored.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../io/test_certificates.hpp"
#include "credentials_folder.hpp"

namespace capstan::kubernetes::client {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class StoredCredentialsTest : public ::testing::Test {
protected:
    Result<std::unique_ptr<Credentials>> make(StoredSecrets secrets) {
        return make_stored_credentials(
            virtual_.loop, std::move(secrets),
            [this](const Error& error) { errors_.push_back(error.message); });
    }
    std::string authorization(Credentials& credentials) {
        return CredentialRequest(credentials, virtual_.loop).header("authorization");
    }

    VirtualLoop virtual_;
    CredentialsFolder folder_;
    std::vector<std::string> errors_;
};

TEST_F(StoredCredentialsTest, SendTheCredentialsOfTheKubeconfig) {
    const KubeconfigUser user{
        .impersonation = {{"impersonate-user", "jane"}}, .username = "me", .password = "secret"};
    const auto credentials = make(stored_secrets(user));
    const CredentialRequest request(**credentials, virtual_.loop);
    EXPECT_THAT(
        request.result()->headers,
        ElementsAre(Pair("impersonate-user", "jane"), Pair("authorization", "Basic bWU6c2VjcmV0")));
    EXPECT_EQ(authorization(**make({.token = "t"})), "Bearer t");
    EXPECT_EQ(authorization(**make({})), "");
}

TEST_F(StoredCredentialsTest, ReadATokenFileAgainAfter50Seconds) {
    const auto credentials = make({.token_file = folder_.write("token", "one\n")});
    folder_.write("token", "two\n");
    virtual_.loop.advance(seconds(49));
    EXPECT_EQ(authorization(**credentials), "Bearer one");
    virtual_.loop.advance(seconds(1));
    EXPECT_EQ(authorization(**credentials), "Bearer two");
}

TEST_F(StoredCredentialsTest, ReadATokenFileAgainIfTheServerRejectsTheToken) {
    const auto credentials = make({.token_file = folder_.write("token", "one")});
    const CredentialRequest first(**credentials, virtual_.loop);
    folder_.write("token", "two");
    (*credentials)->rejected(*first.result());
    EXPECT_EQ(authorization(**credentials), "Bearer two");
    folder_.write("token", "three");
    (*credentials)->rejected(*first.result());
    EXPECT_EQ(authorization(**credentials), "Bearer two") << "already replaced";
}

TEST_F(StoredCredentialsTest, KeepTheTokenIfItsFileBecomesEmpty) {
    const auto credentials = make({.token_file = folder_.write("token", "hunter2")});
    folder_.write("token", "");
    virtual_.loop.advance(seconds(50));
    EXPECT_EQ(authorization(**credentials), "Bearer hunter2");
    EXPECT_EQ(authorization(**credentials), "Bearer hunter2");
    EXPECT_THAT(errors_, ElementsAre("token: " + (folder_ / "token").string() +
                                     ": the token file is empty"));
    folder_.write("token", "fresh");
    virtual_.loop.advance(seconds(50));
    EXPECT_EQ(authorization(**credentials), "Bearer fresh");
}

TEST_F(StoredCredentialsTest, PreferTheTokenFileToTheToken) {
    const auto credentials = make({.token = "old", .token_file = folder_ / "token"});
    ASSERT_TRUE(credentials);
    EXPECT_EQ(authorization(**credentials), "Bearer old");
    EXPECT_EQ(errors_.size(), 1u);
    folder_.write("token", "new");
    virtual_.loop.advance(seconds(50));
    EXPECT_EQ(authorization(**credentials), "Bearer new");
}

TEST_F(StoredCredentialsTest, FailWithoutAReadableToken) {
    EXPECT_THAT(make({.token_file = folder_ / "none"}).error().message,
                HasSubstr("none: cannot be read: No such file"));
    const auto refused = make({.token_file = folder_.write("token", "hunter2 x")});
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_config);
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
}

class StoredCertificateTest : public StoredCredentialsTest {
protected:
    void write(const io::TestIdentity& certificate, const io::TestIdentity& key) const {
        folder_.write("crt", certificate.certificate_pem());
        folder_.write("key", key.key_pem());
    }
    void write(const io::TestIdentity& identity) const { write(identity, identity); }
    Result<std::unique_ptr<Credentials>> make_from_files() {
        return make({.certificate = {.file = folder_ / "crt"}, .key = {.file = folder_ / "key"}});
    }
    /// Checks the certificate and key of a request.
    void expect(Credentials& credentials, const io::TestIdentity& identity) {
        const CredentialRequest request(credentials, virtual_.loop);
        EXPECT_EQ(request.result()->certificate_pem, identity.certificate_pem());
        EXPECT_EQ(request.result()->key_pem, identity.key_pem());
    }

    const io::TestAuthority authority_;
    const io::TestIdentity one_ = authority_.issue("one"), two_ = authority_.issue("two");
};

TEST_F(StoredCertificateTest, IsReadAgainAfterFiveMinutes) {
    write(one_);
    const auto credentials = make_from_files();
    ASSERT_TRUE(credentials) << credentials.error();
    expect(**credentials, one_);
    write(two_);
    virtual_.loop.advance(seconds(299));
    expect(**credentials, one_);
    virtual_.loop.advance(seconds(1));
    expect(**credentials, two_);
}

TEST_F(StoredCertificateTest, IsNotReadAgainFromTheKubeconfig) {
    const auto credentials =
        make({.certificate = {.text = one_.certificate_pem()}, .key = {.text = one_.key_pem()}});
    virtual_.loop.advance(std::chrono::hours(1));
    expect(**credentials, one_);
}

TEST_F(StoredCertificateTest, IsKeptUntilANewKeyPairMatches) {
    write(one_);
    const auto credentials = make_from_files();
    folder_.write("key", "hunter2");
    virtual_.loop.advance(std::chrono::minutes(5));
    expect(**credentials, one_);
    write(two_, one_);
    virtual_.loop.advance(std::chrono::minutes(5));
    expect(**credentials, one_);
    const std::string file = (folder_ / "key").string();
    EXPECT_THAT(errors_,
                ElementsAre("client key: " + file + ": contains no PEM private key",
                            file + ": the client key does not match the client certificate"));
}

TEST_F(StoredCertificateTest, IsRejectedIfItIsUnusable) {
    const std::string begin = "-----BEGIN CERTIFICATE-----\nhunter2\n";
    EXPECT_EQ(
        make({.certificate = {.text = begin}, .key = {.text = one_.key_pem()}}).error().message,
        "kubeconfig: the client certificate cannot be read");
    EXPECT_EQ(
        make({.certificate = {.text = one_.certificate_pem()},
              .key = {.text = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nhunter2\n"}})
            .error()
            .message,
        "kubeconfig: the client key cannot be read; keys with a passphrase are not supported");
    EXPECT_EQ(
        make({.certificate = {.text = one_.certificate_pem()}, .key = {.text = two_.key_pem()}})
            .error()
            .message,
        "kubeconfig: the client key does not match the client certificate");
}

TEST_F(StoredCredentialsTest, CallNoCallbackAfterTheirEnd) {
    auto credentials = make({.token = "t"});
    bool called = false;
    (*credentials)->get([&](const auto&) { called = true; });
    credentials->reset();
    virtual_.loop.settle();
    EXPECT_FALSE(called);
}

}  // namespace
}  // namespace capstan::kubernetes::client
