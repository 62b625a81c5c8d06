/// Requests over the network: libcurl's multi interface, driven by Asio.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "io/http_client.hpp"

namespace capstan::io {

/// TLS certificates are verified, proxies taken from the environment (https_proxy, no_proxy),
/// connections kept and shared, HTTP/2 spoken where it is offered. Resolving a name does not block.
/// [any thread]
class CurlHttpClient final : public HttpClient {
public:
    struct Options {
        std::size_t max_open = 256;  ///< further requests end as `busy`
        /// Open streams come on top of both, so that they never keep requests waiting.
        long max_connections = 128;
        long max_connections_per_host = 16;
        std::string ca_file{};  ///< PEM; empty: the system's
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

private:
    class Core;
    const std::shared_ptr<Core> core_;
};

}  // namespace capstan::io
