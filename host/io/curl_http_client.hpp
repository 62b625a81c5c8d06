/// Requests over the network: libcurl's multi interface, driven by Asio.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "io/http_client.hpp"
#include "io/tls_options.hpp"

namespace capstan::io {

/// Connections are kept and shared. HTTP/2 is used if the server offers it, but no longer after a
/// peer has sent more over HTTP/2 than could be taken. A connection is closed after 45 s in which
/// the peer has acknowledged no sent data. Resolving a name does not block. [any thread]
class CurlHttpClient final : public HttpClient {
public:
    struct Options {
        std::size_t max_open = 256;  ///< further requests end as `busy`
        /// Each open stream raises max_connections and max_connections_per_host by one, so that
        /// streams never keep requests waiting.
        long max_connections = 128;
        long max_connections_per_host = 16;
        TlsOptions tls{};
        /// "http://", "https://" or "socks5://", for all requests. A malformed one ends each
        /// request as `invalid_config`. Empty: the environment's proxy (see proxy.hpp).
        std::string proxy{};
        /// If a request ends that has had no response for this long, later requests use new
        /// connections: a server may be unresponsive behind a load balancer that keeps TCP alive.
        Duration retire_unanswered_after = std::chrono::seconds(2);
        bool gzip = false;  ///< asks for compressed replies, and decompresses them
        std::string user_agent = "capstan";
    };
    /// Borrows `io`, on which `done` is called. Nothing happens unless a thread runs it.
    explicit CurlHttpClient(boost::asio::io_context& io) : CurlHttpClient(io, Options()) {}
    CurlHttpClient(boost::asio::io_context& io, Options options);
    CurlHttpClient(const CurlHttpClient&) = delete;
    CurlHttpClient& operator=(const CurlHttpClient&) = delete;
    /// Open requests end as `cancelled`, if a thread still runs `io`.
    ~CurlHttpClient() override;

    RequestId send(HttpRequest request, Done done) override;
    RequestId stream(HttpRequest request, Listener listener, Done done) override;
    void cancel(RequestId id) override;

    /// Later requests use new connections with `tls`. The old connections are closed when the last
    /// of their requests has ended. If the client certificate changes, open streams end as
    /// `unavailable` with connection_lost, because they have the old identity.
    void set_tls(const TlsOptions& tls) override;

private:
    class Core;
    const std::shared_ptr<Core> core_;
};

}  // namespace capstan::io
