/// The interface of HTTP clients: CurlHttpClient uses the network, tests and simulations have
/// fakes.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "io/tls_options.hpp"

namespace capstan::io {

/// The provider_code of an `unavailable` whose request was sent: the server may have carried it
/// out.
inline constexpr std::string_view connection_lost = "connection_lost";
/// The provider_code of an `unavailable` whose request was not sent, because the server's
/// certificate is not trusted. Another attempt would not help.
inline constexpr std::string_view untrusted_certificate = "untrusted_certificate";

/// [any thread]
class HttpClient {
public:
    using RequestId = std::uint64_t;
    using Done = std::function<void(Result<HttpReply>)>;
    virtual ~HttpClient() = default;

    /// Sends one request without retries, and follows no redirect. Only a GET or HEAD whose kept
    /// connection ended without an answer may be sent again over another connection. `done` is
    /// called exactly once, on a thread of the client, never inside `send` or `cancel`. The reply's
    /// header names are in lower case. `deadline`: no reply within request.timeout. `unavailable`:
    /// no connection, or a lost one. `invalid_argument`: the request is malformed. `quota`: the
    /// reply is longer than request.max_reply_bytes.
    virtual RequestId send(HttpRequest request, Done done) = 0;
    /// Receives a streamed reply. Called in order on a thread of the client, never after `done`. A
    /// slow listener slows down the sender.
    struct Listener {
        /// Called once, before the first part, with status and headers, without a body.
        std::function<void(const HttpReply& head)> on_head;
        std::function<void(std::string_view part)> on_part;
    };
    /// Like `send`, but the body goes to the listener, and the reply of `done` has no body.
    /// request.timeout ends with the head. After the head there is no limit of time, and the caller
    /// detects a stalled stream. request.max_reply_bytes has no effect.
    virtual RequestId stream(HttpRequest request, Listener listener, Done done) = 0;
    /// Later requests use connections with `tls`. No effect on a client without TLS.
    virtual void set_tls(const TlsOptions& /*tls*/) {}
    /// The request's `done` soon gets `cancelled`, unless `done` has been called already.
    virtual void cancel(RequestId id) = 0;
};

}  // namespace capstan::io
