/// Requests from the network: Boost.Beast on the loop, HTTP/1.1.
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
    std::string target{};   ///< as it came: "/api/v1/pods?watch=true"
    HttpHeaders headers{};  ///< names in lower case
    std::string body{};
    std::string peer{};  ///< "127.0.0.1:40112"

    /// The first header of that (lower-case) name, or empty.
    std::string_view header(std::string_view name) const noexcept;
};

/// How one request is answered: once by `send`, or by `begin`, then `write`s, then `end`. Copies
/// speak of the same request. When the last one goes without an answer the peer gets a 500. After
/// the peer has left all of it does nothing. [any thread]
class Responder {
public:
    class Exchange;
    explicit Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

    void send(HttpReply reply) const;
    /// Head of a reply of unknown length; `head.body` is its first part.
    void begin(HttpReply head) const;
    /// Queued; more than Options::max_unsent of it closes the connection, for a peer that does not
    /// read must not fill the memory.
    void write(std::string part) const;
    void end() const;
    /// Drops the connection in the middle, as a server that dies would.
    void cut() const;
    bool is_open() const;
    /// `then` is called once, on a thread of the loop: the peer left, or the answer is through. At
    /// once (but never inside this call) where that has happened.
    void when_closed(std::function<void()> then) const;

private:
    std::shared_ptr<Exchange> exchange_;
};

/// Serves while it lives. One request at a time on a connection, which is kept for the next.
/// [any thread]
class HttpServer {
public:
    struct Options {
        std::string address = "127.0.0.1";  ///< "0.0.0.0", "::": every one
        std::uint16_t port = 0;             ///< 0: any free one
        std::size_t max_connections = 256;  ///< further ones wait in the kernel, or see makes_room
        /// At a limit the connection that has the least to lose is closed for the next one; see
        /// served_places.hpp. For ports that answer probes beside all others.
        bool makes_room = false;
        std::size_t max_connections_per_peer = 32;  ///< of one address; only with makes_room
        std::size_t max_header_bytes = 64u << 10;
        std::size_t max_body_bytes = 4u << 20;      ///< more gets 413
        std::size_t max_unsent = 64u << 20;         ///< of one streamed reply
        std::size_t max_unsent_total = 256u << 20;  ///< of all; only with makes_room
        /// For the head of a request: of the first one since it was let in, else since its first
        /// byte.
        Duration head_timeout = std::chrono::seconds(30);
        Duration request_timeout = std::chrono::seconds(30);  ///< from its head to its last byte
        Duration idle_timeout = std::chrono::seconds(120);    ///< between two requests
        Duration write_timeout = std::chrono::seconds(30);    ///< of a peer that does not read
        std::string certificate_pem{}, key_pem{};             ///< empty: plain HTTP
        std::string client_ca_pem{};  ///< clients need a certificate of it; empty: they need none
    };
    using Handler = std::function<void(ServedRequest request, Responder responder)>;

    /// `unavailable`: the address cannot be listened on; `invalid_argument`: it is none, or
    /// certificate and key do not fit. Borrows `io`; `handler` is called by a thread that runs it,
    /// and may answer later.
    static Result<std::unique_ptr<HttpServer>> listen(boost::asio::io_context& io, Options options,
                                                      Handler handler);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    /// Stops listening and closes every connection; the handler is not called any more once this
    /// returns on the loop's own thread, or once the loop has run what this posted.
    ~HttpServer();

    std::uint16_t port() const noexcept;

private:
    class Core;
    explicit HttpServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
    std::shared_ptr<Core> core_;
};

}  // namespace capstan::io
