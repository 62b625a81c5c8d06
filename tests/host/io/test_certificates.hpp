// Certificates for tests, created in memory.
#pragma once

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace capstan::io {

struct FreeOpenSsl {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};

/// A certificate with its key, both as objects and as PEM.
struct TestIdentity {
    std::shared_ptr<EVP_PKEY> key;
    std::shared_ptr<X509> certificate;

    std::string certificate_pem() const {
        const std::unique_ptr<BIO, FreeOpenSsl> bio(BIO_new(BIO_s_mem()));
        PEM_write_bio_X509(bio.get(), certificate.get());
        return text_of(*bio);
    }
    std::string key_pem() const {
        const std::unique_ptr<BIO, FreeOpenSsl> bio(BIO_new(BIO_s_mem()));
        PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        return text_of(*bio);
    }

private:
    static std::string text_of(BIO& bio) {
        char* bytes = nullptr;
        const long size = BIO_get_mem_data(&bio, &bytes);
        return {bytes, static_cast<std::size_t>(size)};
    }
};

/// A certificate authority with its own key.
class TestAuthority {
public:
    TestAuthority() : own_(make("Test CA " + std::to_string(++made_), "", nullptr)) {}
    std::string pem() const { return own_.certificate_pem(); }
    /// `names`: "DNS:api.test,IP:127.0.0.1"; empty: a client certificate.
    TestIdentity issue(const std::string& common_name, const std::string& names = "") const {
        return make(common_name, names, &own_);
    }

private:
    static TestIdentity make(const std::string& common_name, const std::string& names,
                             const TestIdentity* issuer) {
        static long serial = 0;
        const std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"), FreeOpenSsl{});
        const std::shared_ptr<X509> made(X509_new(), FreeOpenSsl{});
        X509_set_version(made.get(), 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
        X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
        X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
        X509_set_pubkey(made.get(), key.get());
        X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
                                   -1, 0);
        X509* const signer = issuer == nullptr ? made.get() : issuer->certificate.get();
        X509_set_issuer_name(made.get(), X509_get_subject_name(signer));
        if (issuer == nullptr) extend(*made, NID_basic_constraints, "critical,CA:TRUE");
        if (!names.empty()) extend(*made, NID_subject_alt_name, names);
        if (X509_sign(made.get(), issuer == nullptr ? key.get() : issuer->key.get(),
                      EVP_sha256()) == 0)
            throw std::runtime_error("no certificate");
        return {key, made};
    }
    static void extend(X509& certificate, int kind, const std::string& value) {
        const std::unique_ptr<X509_EXTENSION, FreeOpenSsl> extension(
            X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
        if (!extension) throw std::runtime_error("no extension " + value);
        X509_add_ext(&certificate, extension.get(), -1);
    }

    static inline int made_ = 0;  ///< authorities of equal name would be confused
    TestIdentity own_;
};

}  // namespace capstan::io
