/// The identity that requests to an API server are made with.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

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

}  // namespace capstan::kubernetes::client
