#include "kubernetes/client/access/credentials.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

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

/// Without this callback OpenSSL would prompt for a passphrase at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

const char* find_flaw(const std::string& certificate_pem, const std::string& key_pem) {
    const std::unique_ptr<X509, Free> certificate(
        PEM_read_bio_X509(reader_of(certificate_pem).get(), nullptr, no_passphrase, nullptr));
    if (certificate == nullptr) return "the client certificate cannot be read";
    const std::unique_ptr<EVP_PKEY, Free> key(
        PEM_read_bio_PrivateKey(reader_of(key_pem).get(), nullptr, no_passphrase, nullptr));
    if (key == nullptr)
        return "the client key cannot be read; keys with a passphrase are not supported";
    if (X509_check_private_key(certificate.get(), key.get()) != 1)
        return "the client key does not match the client certificate";
    return nullptr;
}

}  // namespace

Result<void> check_key_pair(const std::string& certificate_pem, const std::string& key_pem) {
    const char* const flaw = find_flaw(certificate_pem, key_pem);
    // OpenSSL keeps errors per thread, and a later call would take them for its own.
    ERR_clear_error();
    if (flaw != nullptr) return fail(ErrorCode::invalid_config, flaw);
    return {};
}

Environment Environment::of_process() {
    Environment out;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view line(*at);
        const std::size_t end = line.find('=');
        if (end == std::string_view::npos || end == 0) continue;
        out.set(std::string(line.substr(0, end)), std::string(line.substr(end + 1)));
    }
    return out;
}

std::string Environment::get(std::string_view name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::string() : found->second;
}

void Environment::set(std::string name, std::string value) {
    variables_.insert_or_assign(std::move(name), std::move(value));
}

std::vector<std::string> Environment::lines() const {
    std::vector<std::string> out;
    for (const auto& [name, value] : variables_) out.push_back(name + '=' + value);
    return out;
}

namespace {

constexpr std::string_view space = " \t\r\n";

struct Closes {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

Unexpected refuse_file(const std::filesystem::path& file, const std::string& why) {
    return fail(ErrorCode::invalid_config, file.string() + ": " + why);
}

Unexpected cannot_read(const std::filesystem::path& file) {
    return refuse_file(file, "cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& file, std::size_t max_bytes) {
    const std::unique_ptr<std::FILE, Closes> in(std::fopen(file.c_str(), "rbe"));
    if (in == nullptr) return cannot_read(file);
    std::string out;
    std::array<char, 16 * 1024> piece;
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), in.get())) {
        out.append(piece.data(), size);
        if (out.size() > max_bytes)
            return refuse_file(file, "is longer than " + std::to_string(max_bytes) + " bytes");
    }
    if (std::ferror(in.get()) != 0) return cannot_read(file);
    return out;
}

bool is_bearer_token(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<std::string> read_token_file(const std::filesystem::path& file) {
    CAPSTAN_TRY(const std::string text, read_small_file(file));
    const std::size_t first = text.find_first_not_of(space);
    if (first == std::string::npos) return refuse_file(file, "the token file is empty");
    std::string token = text.substr(first, text.find_last_not_of(space) - first + 1);
    if (!is_bearer_token(token))
        return refuse_file(file, "does not contain a token: expects ASCII without blanks");
    return token;
}

bool has_pem(std::string_view text, PemKind kind) noexcept {
    // The algorithm may come first: "EC PRIVATE KEY".
    const std::string_view name =
        kind == PemKind::certificate ? "CERTIFICATE-----" : "PRIVATE KEY-----";
    const std::size_t begin = text.find("-----BEGIN ");
    return begin != std::string_view::npos && text.find(name, begin) != std::string_view::npos;
}

Result<std::string> read_pem_file(const std::filesystem::path& file, PemKind kind) {
    CAPSTAN_TRY(std::string text, read_small_file(file));
    if (has_pem(text, kind)) return text;
    return refuse_file(file, kind == PemKind::certificate ? "contains no PEM certificate"
                                                          : "contains no PEM private key");
}

}  // namespace capstan::kubernetes::client
