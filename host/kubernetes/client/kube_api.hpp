/// Requests to an API server, as an interface: ApiClient uses the network, tests have fakes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/http.hpp>
#include <capstan/result.hpp>

namespace capstan::kubernetes::client {

/// Wakes listeners as soon as any request succeeds. A component in back-off subscribes, and tries
/// again when the server answers another component. Used on the loop's thread alone.
class SuccessNotifier {
public:
    /// Keeps one listener subscribed until it is destroyed. It may outlive the notifier, and its
    /// listener is then never called.
    using Subscription = std::shared_ptr<const std::function<void()>>;

    /// `on_answer` is called at most once, when the next request succeeds. It must not call the
    /// notifier's Api.
    [[nodiscard]] Subscription subscribe(std::function<void()> on_answer);
    /// Calls and removes all listeners: a request has succeeded.
    void notify();

private:
    std::vector<std::weak_ptr<const std::function<void()>>> listeners_{};
};

struct ApiRequest {
    using Query = std::vector<std::pair<std::string, std::string>>;

    std::string method = "GET";
    std::string path{};  ///< "/api/v1/nodes/n1", percent-encoded; see paths.hpp
    Query query{};       ///< not encoded; the client encodes it
    std::string body{};
    std::string content_type = "application/json";  ///< of the body
    std::string accept = "application/json";
    Duration timeout = std::chrono::seconds(30);
    /// The component that sends the request, as a label of metrics: "reflector", "lease".
    /// Watches, version checks and Lease requests do not count against the rate limit. Requests
    /// with the purpose "node look" read a node's pods before its removal. They have a rate limit
    /// of their own that is equally high, so the host sends up to twice the rate in total.
    std::string purpose{};
    /// The limit of a reply that comes as a whole, in decompressed bytes. 0: that of its purpose.
    std::uint64_t max_reply_bytes = 0;
    /// Called right before each attempt, after all waiting. An error prevents the attempt and is
    /// the request's result. NULL: each attempt is allowed.
    std::function<Result<void>()> may_send{};
};

struct ApiReply {
    int status = 0;  ///< 200 to 299
    HttpHeaders headers{};
    std::string body{};
};

/// Used on the loop's thread alone. Callbacks run there, too, never inside `send`, `stream` or
/// `cancel`.
class Api {
public:
    using RequestId = std::uint64_t;
    using Done = std::function<void(Result<ApiReply>)>;
    using Part = std::function<void(std::string_view)>;

    virtual ~Api() = default;
    /// A 2xx reply is a value, any other result an error. Its message has method, path, status and
    /// the message of the server's Status object. Its provider_code is the reason of the Status
    /// ("Expired", "AlreadyExists"; empty: none). Its `retry_after` is the server's.
    ///   other 4xx invalid_argument   403 permission    409 conflict           408, 5xx unavailable
    ///   401 unauthenticated          404 not_found     410 conflict, "Expired" or "Gone"
    ///   415, 405, 406 unsupported    413 quota         429 throttled
    /// `deadline`: no reply in time; `unavailable`: no connection; `cancelled`: by cancel(), or a
    /// write in a dry run. A request is sent again, within request.timeout and ten times at most,
    /// after a 429 or 5xx with a Retry-After, unless it is an eviction; a GET or HEAD also after a
    /// lost connection.
    virtual RequestId send(ApiRequest request, Done done) = 0;
    /// Passes the body of a 2xx reply to `on_part` as it comes. The first part is empty and means
    /// that the head has come. The body of an error becomes part of the error. `done` gets the
    /// reply without a body. After the head there is no timeout: the caller detects a stalled
    /// stream.
    virtual RequestId stream(ApiRequest request, Part on_part, Done done) = 0;
    /// The request's `done` soon gets `cancelled`, unless `done` has been called already.
    virtual void cancel(RequestId id) = 0;
    /// Notifies on each 2xx reply; of a stream, as soon as its head has come.
    virtual SuccessNotifier& success_notifier() = 0;
};

}  // namespace capstan::kubernetes::client
