/// How requests leave the host. One implementation speaks to the network, tests and simulations
/// have their own.
#pragma once

#include <cstdint>
#include <functional>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

namespace capstan::io {

/// [any thread]
class HttpClient {
public:
    using RequestId = std::uint64_t;
    using Done = std::function<void(Result<HttpReply>)>;
    virtual ~HttpClient() = default;

    /// Sends one request, once: no retry, no redirect followed. `done` is called exactly once,
    /// never inside `send` or `cancel`, on a thread of the client's; header names in lower case.
    /// `deadline`: no reply within request.timeout; `unavailable`: the connection failed;
    /// `invalid_argument`: not a request; `quota`: the reply is longer than
    /// request.max_reply_bytes.
    virtual RequestId send(HttpRequest request, Done done) = 0;
    /// Its `done` soon gets `cancelled`, unless it has been called.
    virtual void cancel(RequestId id) = 0;
};

}  // namespace capstan::io
