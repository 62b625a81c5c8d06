/// The identity that requests to an API server are made with.
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

/// What one request proves itself with. All of it is secret: it goes into no log line, no error and
/// no metric, and deliberately nothing prints it.
struct Credential {
    /// To be added to the request: "authorization" with a bearer token or a user's password, and
    /// the identity to impersonate ("impersonate-user", "impersonate-group" once a group, ...).
    /// Names in lower case; a name may stand here more than once.
    HttpHeaders headers{};
    /// For TLS, as PEM: a certificate with its chain, and its key. Both or neither. A connection
    /// made with another certificate must not be used any more.
    std::string certificate_pem{};
    std::string key_pem{};

    bool operator==(const Credential&) const = default;
};

/// Where credentials come from: nowhere, a file, a program. Used on the loop's thread alone.
class Credentials {
public:
    using Done = std::function<void(Result<Credential>)>;

    /// A callback that still waits is never called.
    virtual ~Credentials() = default;
    /// The credential for a request that is made now. Asked for before each request, it costs
    /// nothing but when it has to be renewed. `done` is called once, on the loop's thread, never
    /// inside `get`. Errors say what to mend and hold no secret; the next `get` tries anew.
    virtual void get(Done done) = 0;
    /// The server answered 401 to a request that carried `credential`: unless another one has taken
    /// its place already, the next `get` renews it instead of answering from memory.
    virtual void rejected(const Credential& credential) = 0;
};

// Answers that must not come before the question has returned.

/// Calls back on the loop's thread as long as this lives. Borrows the loop.
class Later {
public:
    explicit Later(io::Loop& loop) : loop_(loop) {}

    void call(std::function<void()> handler) const {
        boost::asio::post(loop_.io(), guarded(std::move(handler)));
    }
    /// `handler`, doing nothing once this has gone.
    std::function<void()> guarded(std::function<void()> handler) const {
        return [alive = watch(), handler = std::move(handler)] {
            if (!alive.expired()) handler();
        };
    }
    /// Expires with this.
    std::weak_ptr<const bool> watch() const { return alive_; }

private:
    io::Loop& loop_;
    std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

// Whether a certificate and a key can be used together.

/// Looked at before they are used, for a pair that is replaced file by file does not fit for a
/// moment, and TLS would only say that something is wrong. `invalid_config`: one of them cannot be
/// read, the key has a passphrase, or they do not belong together. Shows nothing of either.
Result<void> check_key_pair(const std::string& certificate_pem, const std::string& key_pem);

// The variables a program was started with.

/// Handed in wherever variables decide, so that tests bring their own.
class Environment {
public:
    Environment() = default;
    explicit Environment(std::map<std::string, std::string, std::less<>> variables)
        : variables_(std::move(variables)) {}
    /// This process's own. Copies; call it before there are threads that change variables.
    static Environment of_process();

    /// Empty when unset.
    std::string get(std::string_view name) const;
    void set(std::string name, std::string value);
    /// "NAME=value" each, by name: what a new process is started with.
    std::vector<std::string> lines() const;

private:
    std::map<std::string, std::string, std::less<>> variables_;
};

// Small files that hold secrets. No error here tells what a file holds.

inline constexpr std::size_t max_secret_file_bytes = std::size_t{1} << 20;

/// `invalid_config`: cannot be read, is a folder, or is longer than `max_bytes`. Names the file.
Result<std::string> read_small_file(const std::filesystem::path& file,
                                    std::size_t max_bytes = max_secret_file_bytes);

/// The token in a file, without the space around it. `invalid_config`: the file cannot be read, is
/// empty, or holds what no header can carry.
Result<std::string> read_token_file(const std::filesystem::path& file);

/// Visible ASCII, at least one character.
bool is_bearer_token(std::string_view text) noexcept;

/// What a PEM file is for.
enum class PemKind { certificate, private_key };
/// A file with at least one block of that kind.
Result<std::string> read_pem_file(const std::filesystem::path& file, PemKind kind);
bool has_pem(std::string_view text, PemKind kind) noexcept;

}  // namespace capstan::kubernetes::client
