/// An HTTP/1.1 server with Boost.Beast on the loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

namespace capstan::io {

struct ServedRequest {
    std::string method{};
    std::string target{};   ///< not decoded: "/api/v1/pods?watch=true"
    HttpHeaders headers{};  ///< names in lower case
    std::string body{};
    std::string peer{};  ///< "127.0.0.1:40112"

    /// The first header of that (lower-case) name, or empty.
    std::string_view header(std::string_view name) const noexcept;
};

/// Answers one request: either by one `send`, or by `begin`, any number of `write`s, and `end`.
/// Copies belong to the same request. If the last copy is destroyed without an answer, the peer
/// gets a 500. After the peer has left, calls have no effect, except when_closed(). [any thread]
class Responder {
public:
    class Exchange;
    explicit Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

    void send(HttpReply reply) const;
    /// Begins a reply of unknown length; `head.body` is its first part.
    void begin(HttpReply head) const;
    /// Queues a part. If more than Options::max_unsent waits, the connection is closed, because a
    /// peer that does not read must not fill the memory.
    void write(std::string part) const;
    void end() const;
    /// Closes the connection in the middle of the reply, as a crash of the server would.
    void cut() const;
    bool is_open() const;
    /// `then` is called once, on a thread of the loop, when the peer has left or has the whole
    /// answer. If that has happened already, it is called soon, never inside this call.
    void when_closed(std::function<void()> then) const;

private:
    std::shared_ptr<Exchange> exchange_;
};

/// Serves until its destruction. A connection carries one request at a time, and is kept for the
/// next one. [any thread]
class HttpServer {
public:
    struct Options {
        std::string address = "127.0.0.1";  ///< "0.0.0.0", "::": all addresses
        std::uint16_t port = 0;             ///< 0: any free port
        std::size_t max_connections = 256;  ///< further ones wait in the kernel, or see makes_room
        /// At a limit, an open connection is closed to make room for the new one; see
        /// ConnectionSlots. For ports that answer probes as well as other requests.
        bool makes_room = false;
        std::size_t max_connections_per_peer = 32;  ///< of one address; only with makes_room
        std::size_t max_header_bytes = 64u << 10;
        std::size_t max_body_bytes = 4u << 20;  ///< a longer body gets 413
        std::size_t max_unsent = 64u << 20;     ///< of one streamed reply
        /// of all replies, checked when one begins; only with makes_room
        std::size_t max_unsent_total = 256u << 20;
        /// For the head of a request. For the first request of a connection it counts from the
        /// acceptance, or with TLS from the end of the handshake, which has the same limit; for
        /// later requests from their first byte.
        Duration head_timeout = std::chrono::seconds(30);
        Duration request_timeout = std::chrono::seconds(30);  ///< from its head to its last byte
        Duration idle_timeout = std::chrono::seconds(120);    ///< between two requests
        Duration write_timeout = std::chrono::seconds(30);    ///< of a peer that does not read
        std::string certificate_pem{}, key_pem{};             ///< empty: plain HTTP
        std::string client_ca_pem{};  ///< authority of client certificates; empty: none needed
    };
    using Handler = std::function<void(ServedRequest request, Responder responder)>;

    /// `unavailable`: the server cannot listen on the address. `invalid_argument`: the address is
    /// malformed, or certificate and key do not match. Borrows `io`. `handler` is called by a
    /// thread that runs `io`, and may answer after it has returned.
    static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io, Options options,
                                                      Handler handler);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    /// Stops listening and closes all connections. If this is called on the loop's own thread, the
    /// handler is not called after it returns; on another thread, not after the loop has run the
    /// posted work.
    ~HttpServer();

    std::uint16_t port() const noexcept;

private:
    class Core;
    explicit HttpServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
    std::shared_ptr<Core> core_;
};

}  // namespace capstan::io
