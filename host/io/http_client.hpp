/// How requests leave the host. One implementation speaks to the network, tests and simulations
/// have their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

#include "io/tls_options.hpp"

namespace capstan::io {

/// The provider_code of an `unavailable` whose request was on its way: it may have been carried
/// out.
inline constexpr std::string_view connection_lost = "connection_lost";

/// [any thread]
class HttpClient {
public:
    using RequestId = std::uint64_t;
    using Done = std::function<void(Result<HttpReply>)>;
    virtual ~HttpClient() = default;

    /// Sends one request, once: no retry, no redirect followed. (But a GET or HEAD whose kept
    /// connection ended without an answer may go out again over another.) `done` is called exactly
    /// once, never inside `send` or `cancel`, on a thread of the client's; header names in lower
    /// case.
    /// `deadline`: no reply within request.timeout; `unavailable`: no connection, or it was lost;
    /// `invalid_argument`: not a request; `quota`: the reply is longer than
    /// request.max_reply_bytes.
    virtual RequestId send(HttpRequest request, Done done) = 0;
    /// A reply that goes on, handed over as it comes. Called on a thread of the client's, in order,
    /// never after `done`; what they take their time with holds the sender up.
    struct Listener {
        /// Once, before the first part: status and headers, without a body.
        std::function<void(const HttpReply& head)> on_head;
        std::function<void(std::string_view part)> on_part;
    };
    /// As `send`, but the body goes to the listener and the reply that `done` gets has none.
    /// request.timeout counts until the head has come; then the reply may take as long as it likes,
    /// and silence is for the caller to notice. request.max_reply_bytes does not count.
    virtual RequestId stream(HttpRequest request, Listener listener, Done done) = 0;
    /// Requests from now on use connections made with `tls`. A client that speaks no TLS leaves it.
    virtual void set_tls(const TlsOptions& /*tls*/) {}
    /// Its `done` soon gets `cancelled`, unless it has been called.
    virtual void cancel(RequestId id) = 0;
};

}  // namespace capstan::io
