#include "assertion.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <capstan/base64.hpp>
#include <capstan/json.hpp>

namespace capstan::gce {
namespace {

struct FreeBio {
    void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
struct FreeKey {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeDigest {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeKey>;

/// A key with a passphrase cannot be used, since a plugin cannot ask for the passphrase.
int no_passphrase(char*, int, int, void*) { return -1; }

PrivateKey read_rsa_key(std::string_view pem) {
    const std::unique_ptr<BIO, FreeBio> bio(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    if (!bio) return {};
    PrivateKey out(PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_passphrase, nullptr));
    ERR_clear_error();
    if (out && EVP_PKEY_base_id(out.get()) != EVP_PKEY_RSA) return {};
    return out;
}

/// The signature; empty on failure.
std::string rs256(EVP_PKEY* key, std::string_view text) {
    const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1)
        return {};
    std::vector<unsigned char> out(size);
    if (EVP_DigestSign(context.get(), out.data(), &size, bytes, text.size()) != 1) return {};
    return {reinterpret_cast<const char*>(out.data()), size};
}

std::string base64url(std::string_view text) { return base64_encode(text, Base64::url_unpadded); }

std::string unsigned_text(const Assertion& assertion) {
    constexpr std::int64_t life = 3600;
    const std::int64_t at =
        std::chrono::floor<std::chrono::seconds>(assertion.at.time_since_epoch()).count();
    std::vector<Json::Member> header{{"alg", Json("RS256")}, {"typ", Json("JWT")}};
    if (!assertion.key_id.empty()) header.emplace_back("kid", Json(assertion.key_id));
    const Json claims = Json::object({{"iss", Json(assertion.issuer)},
                                      {"scope", Json(assertion.scopes)},
                                      {"aud", Json(assertion.audience)},
                                      {"iat", Json(at)},
                                      {"exp", Json(at + life)}});
    return base64url(to_string(Json::object(std::move(header)))) + "." +
           base64url(to_string(claims));
}

}  // namespace

Result<std::string> sign_assertion(const Assertion& assertion, std::string_view private_key) {
    const PrivateKey key = read_rsa_key(private_key);
    if (!key)
        return fail(ErrorCode::invalid_config,
                    "private_key is not a PEM-encoded RSA key without passphrase");
    const std::string text = unsigned_text(assertion);
    const std::string signature = rs256(key.get(), text);
    if (signature.empty())
        return fail(ErrorCode::invalid_config, "private_key cannot sign: it is too short");
    return text + "." + base64url(signature);
}

}  // namespace capstan::gce
