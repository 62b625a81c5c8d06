#include "credentials/assertion.hpp"

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <chrono>
#include <memory>

#include <capstan/base64.hpp>
#include <capstan/json.hpp>

#include "fake_machine.hpp"

namespace capstan::gce {

const std::string& test_key() {
    static const std::string pem = [] {
        EVP_PKEY* const key = EVP_RSA_gen(2048);
        BIO* const bio = BIO_new(BIO_s_mem());
        PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
        char* data = nullptr;
        const long size = BIO_get_mem_data(bio, &data);
        std::string out(data, static_cast<std::size_t>(size));
        BIO_free(bio);
        EVP_PKEY_free(key);
        return out;
    }();
    return pem;
}

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

struct Parts {
    std::string head, claims, signature, covered;
};
Parts parts_of(const std::string& token) {
    const std::size_t first = token.find('.'), last = token.rfind('.');
    const auto decoded = [](const std::string& text) {
        return *base64_decode(text, Base64::url_unpadded);
    };
    return {decoded(token.substr(0, first)), decoded(token.substr(first + 1, last - first - 1)),
            decoded(token.substr(last + 1)), token.substr(0, last)};
}

/// Verifies with the public key, as Google does.
bool is_signed(const Parts& parts) {
    BIO* const bio = BIO_new_mem_buf(test_key().data(), static_cast<int>(test_key().size()));
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    const auto bytes = [](const std::string& text) {
        return reinterpret_cast<const unsigned char*>(text.data());
    };
    const bool out = EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key) == 1 &&
                     EVP_DigestVerify(context, bytes(parts.signature), parts.signature.size(),
                                      bytes(parts.covered), parts.covered.size()) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(bio);
    return out;
}

const Assertion usual{.issuer = "a@shop.iam",
                      .scopes = "s1 s2",
                      .audience = oauth_url,
                      .key_id = "k1",
                      .at = Time(1'700'000'000s)};

TEST(JwtAssertions, AreSignedWithRs256AndValidForAnHour) {
    const auto token = sign_assertion(usual, test_key());
    ASSERT_TRUE(token);
    Parts parts = parts_of(*token);
    EXPECT_EQ(parts.head, R"({"alg":"RS256","typ":"JWT","kid":"k1"})");
    EXPECT_EQ(parts.claims,
              R"({"iss":"a@shop.iam","scope":"s1 s2","aud":"https://oauth2.googleapis.com/token",)"
              R"("iat":1700000000,"exp":1700003600})");
    EXPECT_TRUE(is_signed(parts));
    parts.covered += "x";
    EXPECT_FALSE(is_signed(parts)) << "the verification detects a change";
}

TEST(JwtAssertions, NeedNoKeyId) {
    Assertion assertion = usual;
    assertion.key_id.clear();
    EXPECT_THAT(parts_of(*sign_assertion(assertion, test_key())).head, Not(HasSubstr("kid")));
}

TEST(JwtAssertions, RejectAnInvalidKeyWithoutShowingIt) {
    for (const std::string& key :
         {std::string(), std::string("secret"), test_key().substr(0, 300)}) {
        const auto refused = sign_assertion(usual, key);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_config);
        EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
    }
}

TEST(JwtAssertions, RejectOtherKindsOfKeys) {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    BIO* const bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    EXPECT_FALSE(sign_assertion(usual, std::string_view(data, static_cast<std::size_t>(size))));
    BIO_free(bio);
    EVP_PKEY_free(key);
}

}  // namespace
}  // namespace capstan::gce
