#include "kubernetes/client/access/credentials.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace capstan::kubernetes::client {
namespace {

struct Free {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::unique_ptr<BIO, Free> reader_of(const std::string& text) {
    return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Without it OpenSSL would ask at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

const char* find_flaw(const std::string& certificate_pem, const std::string& key_pem) {
    const std::unique_ptr<X509, Free> certificate(
        PEM_read_bio_X509(reader_of(certificate_pem).get(), nullptr, no_passphrase, nullptr));
    if (certificate == nullptr) return "the client certificate cannot be read";
    const std::unique_ptr<EVP_PKEY, Free> key(
        PEM_read_bio_PrivateKey(reader_of(key_pem).get(), nullptr, no_passphrase, nullptr));
    if (key == nullptr)
        return "the client key cannot be read; one with a passphrase cannot be used";
    if (X509_check_private_key(certificate.get(), key.get()) != 1)
        return "the client key is not the client certificate's";
    return nullptr;
}

}  // namespace

Result<void> check_key_pair(const std::string& certificate_pem, const std::string& key_pem) {
    const char* const flaw = find_flaw(certificate_pem, key_pem);
    // Failures that OpenSSL keeps would be taken for those of another call.
    ERR_clear_error();
    if (flaw != nullptr) return fail(ErrorCode::invalid_config, flaw);
    return {};
}

}  // namespace capstan::kubernetes::client
