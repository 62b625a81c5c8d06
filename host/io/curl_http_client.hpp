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

/// Connections are kept and shared, HTTP/2 is spoken where it is offered, and a peer that falls
/// silent in the middle of something is given up after 45 s. Resolving a name does not block.
/// [any thread]
class CurlHttpClient final : public HttpClient {
public:
    struct Options {
        std::size_t max_open = 256;  ///< further requests end as `busy`
        /// Open streams come on top of both, so that they never keep requests waiting.
        long max_connections = 128;
        long max_connections_per_host = 16;
        TlsOptions tls{};
        /// "http://", "https://" or "socks5://", for all requests; one that is wrong ends them as
        /// `invalid_config`. Empty: as the environment says (see proxy.hpp).
        std::string proxy{};
        /// A request that ends after so long without an answer casts doubt on the connections there
        /// are: something between here and there may have died while TCP still stands. What begins
        /// then uses new ones.
        Duration doubted_after = std::chrono::seconds(2);
        bool gzip = false;  ///< asks for compressed replies, and hands them over unpacked
        std::string user_agent = "capstan";
    };
    /// Borrows `io`, which must be run for anything to happen; `done` is called there.
    explicit CurlHttpClient(boost::asio::io_context& io) : CurlHttpClient(io, Options()) {}
    CurlHttpClient(boost::asio::io_context& io, Options options);
    CurlHttpClient(const CurlHttpClient&) = delete;
    CurlHttpClient& operator=(const CurlHttpClient&) = delete;
    /// Open requests end as `cancelled`, if `io` goes on running.
    ~CurlHttpClient() override;

    RequestId send(HttpRequest request, Done done) override;
    RequestId stream(HttpRequest request, Listener listener, Done done) override;
    void cancel(RequestId id) override;

    /// Requests from now on use connections of their own, made with `tls`; the others' are closed
    /// when the last of those has ended. With another client certificate open streams end now, as
    /// lost: they belong to the identity of before.
    void set_tls(const TlsOptions& tls) override;

private:
    class Core;
    const std::shared_ptr<Core> core_;
};

}  // namespace capstan::io
