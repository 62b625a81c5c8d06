#include "kubernetes/client/access/credentials_stored.hpp"

#include <utility>

#include <capstan/base64.hpp>

#include "io/known_secrets.hpp"
#include "kubernetes/client/access/credentials.hpp"

namespace capstan::kubernetes::client {
namespace {

Result<std::string> pem_of(const PemSource& source, PemKind kind) {
    if (source.file.empty()) return source.text;
    return read_pem_file(source.file, kind);
}

class StoredCredentials final : public Credentials {
public:
    StoredCredentials(io::Loop& loop, StoredSecrets secrets, ErrorCallback on_error)
        : loop_(loop),
          later_(loop),
          secrets_(std::move(secrets)),
          token_(secrets_.token),
          on_error_(std::move(on_error)) {}

    /// The first reading, which must give a token and a certificate where they are configured.
    Result<void> begin() {
        io::known_secrets().add(token_);
        if (const auto read = read_token(); !read) {
            if (token_.empty()) return fail(within("token", read.error()));
            report(within("token", read.error()));
        }
        return read_certificate();
    }

    void get(Done done) override {
        renew();
        later_.call([done = std::move(done), out = credential()] { done(out); });
    }
    void rejected(const Credential& credential) override {
        if (credential == this->credential()) is_rejected_ = true;
    }

private:
    Credential credential() const {
        Credential out{secrets_.headers, certificate_, key_};
        if (!token_.empty()) out.headers.emplace_back("authorization", "Bearer " + token_);
        return out;
    }
    void renew() {
        const Duration now = loop_.monotonic();
        const bool is_rejected = std::exchange(is_rejected_, false);
        if (is_rejected || now - token_read_ >= token_file_age_max) {
            if (const auto read = read_token(); !read) report(within("token", read.error()));
        }
        if (is_rejected || now - certificate_read_ >= certificate_file_age_max) {
            if (const auto read = read_certificate(); !read) report(read.error());
        }
    }
    /// A failed reading is not repeated earlier than a successful one.
    Result<void> read_token() {
        token_read_ = loop_.monotonic();
        if (secrets_.token_file.empty()) return {};
        CAPSTAN_TRY(token_, read_token_file(secrets_.token_file));
        io::known_secrets().add(token_);
        return {};
    }
    /// Takes over both files or neither.
    Result<void> read_certificate() {
        certificate_read_ = loop_.monotonic();
        auto certificate = pem_of(secrets_.certificate, PemKind::certificate);
        if (!certificate) return fail(within("client certificate", certificate.error()));
        auto key = pem_of(secrets_.key, PemKind::private_key);
        if (!key) return fail(within("client key", key.error()));
        io::known_secrets().add(*key);
        CAPSTAN_CHECK(check_pair(*certificate, *key));
        certificate_ = *std::move(certificate);
        key_ = *std::move(key);
        return {};
    }
    Result<void> check_pair(const std::string& certificate, const std::string& key) const {
        if (key.empty()) return {};
        const std::string file = secrets_.key.file.string();
        const auto pair = check_key_pair(certificate, key);
        if (!pair) return fail(within(file.empty() ? "kubeconfig" : file, pair.error()));
        return {};
    }
    void report(const Error& error) const {
        if (on_error_) on_error_(error);
    }

    io::Loop& loop_;
    Later later_;
    StoredSecrets secrets_;
    std::string token_;
    std::string certificate_, key_;
    Duration token_read_{}, certificate_read_{};
    bool is_rejected_ = false;
    ErrorCallback on_error_;
};

}  // namespace

StoredSecrets stored_secrets(const KubeconfigUser& user) {
    StoredSecrets out{.headers = user.impersonation,
                      .token = user.token,
                      .token_file = user.token_file,
                      .certificate = user.certificate,
                      .key = user.key};
    if (!user.username.empty() || !user.password.empty()) {
        std::string login = base64_encode(user.username + ':' + user.password);
        io::known_secrets().add(user.password);
        io::known_secrets().add(login);
        out.headers.emplace_back("authorization", "Basic " + std::move(login));
    }
    return out;
}

Result<std::unique_ptr<Credentials>> make_stored_credentials(io::Loop& loop, StoredSecrets secrets,
                                                             ErrorCallback on_error) {
    auto out = std::make_unique<StoredCredentials>(loop, std::move(secrets), std::move(on_error));
    CAPSTAN_CHECK(out->begin());
    return out;
}

}  // namespace capstan::kubernetes::client
