/// Credentials for requests to an API server, and helpers for files that hold secrets.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "io/loop.hpp"

namespace capstan::kubernetes::client {

/// The proof of identity of one request. All members are secret: they must not appear in a log
/// line, an error or a metric, and there is deliberately no function that prints them.
struct Credential {
    /// Headers to add to the request: "authorization" with a bearer token or a user's password, and
    /// the identity to impersonate ("impersonate-user", one "impersonate-group" per group, ...).
    /// Names are in lower case, and may repeat.
    HttpHeaders headers{};
    /// For TLS, as PEM: a certificate with its chain, and its key. Both or neither. Connections
    /// that were made with another certificate must not be used any more.
    std::string certificate_pem{};
    std::string key_pem{};

    bool operator==(const Credential&) const = default;
};

/// A source of credentials: the configuration, a file, or a program. Used on the loop's thread
/// alone.
class Credentials {
public:
    using Done = std::function<void(Result<Credential>)>;

    /// Pending callbacks are never called.
    virtual ~Credentials() = default;
    /// The credential for a request that is sent now. Called before each request; cheap unless the
    /// credential has to be renewed. `done` is called once, on the loop's thread, never inside
    /// `get`. Errors say what to fix and hold no secret; the next `get` tries again.
    virtual void get(Done done) = 0;
    /// The server answered 401 to a request with `credential`. The next `get` renews the
    /// credential, unless it has been replaced already.
    virtual void rejected(const Credential& credential) = 0;
};

/// Runs handlers on the loop's thread after the present event, and only while this object lives.
/// Borrows the loop.
class Later {
public:
    explicit Later(io::Loop& loop) : loop_(loop) {}

    void call(std::function<void()> handler) const {
        boost::asio::post(loop_.io(), guarded(std::move(handler)));
    }
    /// A handler that calls `handler` while this object lives, and does nothing afterwards.
    std::function<void()> guarded(std::function<void()> handler) const {
        return [alive = watch(), handler = std::move(handler)] {
            if (!alive.expired()) handler();
        };
    }
    /// Expires with this object.
    std::weak_ptr<const bool> watch() const { return alive_; }

private:
    io::Loop& loop_;
    std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

/// Checks that a certificate and a key belong together. They do not while their files are replaced
/// one after the other; TLS would then report only a general failure. `invalid_config`: one of them
/// cannot be parsed, the key has a passphrase, or they do not match. The message quotes neither.
Result<void> check_key_pair(const std::string& certificate_pem, const std::string& key_pem);

/// Environment variables. Code that reads variables takes one of these, so that tests can set them.
class Environment {
public:
    Environment() = default;
    explicit Environment(std::map<std::string, std::string, std::less<>> variables)
        : variables_(std::move(variables)) {}
    /// A copy of this process's variables. Call it before any thread may change variables.
    static Environment of_process();

    /// Empty when unset.
    std::string get(std::string_view name) const;
    void set(std::string name, std::string value);
    /// "NAME=value" each, by name, as a new process takes them.
    std::vector<std::string> lines() const;

private:
    std::map<std::string, std::string, std::less<>> variables_;
};

// Small files that hold secrets. No error of these functions quotes a file.

inline constexpr std::size_t max_secret_file_bytes = std::size_t{1} << 20;

/// `invalid_config`: the file cannot be read, is a folder, or is longer than `max_bytes`. The
/// message names the file.
Result<std::string> read_small_file(const std::filesystem::path& file,
                                    std::size_t max_bytes = max_secret_file_bytes);

/// The token in a file, without surrounding white space. `invalid_config`: the file cannot be read,
/// is empty, or holds characters that a header cannot have.
Result<std::string> read_token_file(const std::filesystem::path& file);

/// Visible ASCII, at least one character.
bool is_bearer_token(std::string_view text) noexcept;

enum class PemKind { certificate, private_key };
/// The content of a file with at least one PEM block of that kind. `invalid_config`: it has none,
/// or cannot be read.
Result<std::string> read_pem_file(const std::filesystem::path& file, PemKind kind);
bool has_pem(std::string_view text, PemKind kind) noexcept;

}  // namespace capstan::kubernetes::client
