/// Requests to an API server. One implementation speaks to the network; tests have their own.
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

// Listeners that wait for a server that did not answer, and are told when it answers again.

/// Used on the loop's thread alone.
class AnswerBell {
public:
    /// A listener at the bell where it was made; it ends when this is given up. May outlive the
    /// bell, which then tells it nothing.
    using Subscription = std::shared_ptr<const std::function<void()>>;

    /// `on_answer` is called once, when the next request succeeds, whichever that is. It must not
    /// call the bell's Api.
    [[nodiscard]] Subscription subscribe(std::function<void()> on_answer);
    /// A request has succeeded.
    void ring();

private:
    std::vector<std::weak_ptr<const std::function<void()>>> listeners_{};
};

struct ApiRequest {
    using Query = std::vector<std::pair<std::string, std::string>>;

    std::string method = "GET";
    std::string path{};  ///< "/api/v1/nodes/n1", percent-encoded; see paths.hpp
    Query query{};       ///< plain text, encoded on the way
    std::string body{};
    std::string content_type = "application/json";  ///< of the body
    std::string accept = "application/json";
    Duration timeout = std::chrono::seconds(30);
    /// What asks, in metrics: "reflector", "lease". Watches and Leases do not count against the
    /// rate limit. Looks at nodes before they are removed ("node look") have a limit of their own
    /// that is as high, so up to twice as much leaves the host.
    std::string purpose{};
    /// Asked right before it leaves, each time that it is sent, however long it waited; an error:
    /// it does not leave, and ends as that. NULL: it always may.
    std::function<Result<void>()> may_leave{};
};

struct ApiReply {
    int status = 0;  ///< 200 to 299
    HttpHeaders headers{};
    std::string body{};
};

/// Used on the loop's thread alone, and calls back there, never inside `send`, `stream` or
/// `cancel`.
class Api {
public:
    using RequestId = std::uint64_t;
    using Done = std::function<void(Result<ApiReply>)>;
    using Part = std::function<void(std::string_view)>;

    virtual ~Api() = default;
    /// A reply of 2xx is a value, everything else an error whose message says method, path, status
    /// and what the server's Status object says, and whose provider_code is the Status' reason
    /// ("Expired", "AlreadyExists"; empty: it had none). `retry_after` is the server's.
    ///   400, 422 invalid_argument    403 permission    409 conflict            5xx unavailable
    ///   401 unauthenticated          404 not_found     410 conflict, "Expired" or "Gone"
    ///   415, 405, 406 unsupported    413 quota         429 throttled
    /// `deadline`: no reply in time; `unavailable`: no connection; `cancelled`: by cancel(), or a
    /// dry run that may not write. Sent again within request.timeout, ten times at most, are those
    /// that came back with 429 or 5xx and a Retry-After, and GETs whose connection was lost.
    virtual RequestId send(ApiRequest request, Done done) = 0;
    /// The body of a 2xx reply as it comes, after an empty part that says that its head is here;
    /// an error's body goes into the error. `done` has the reply without a body. Silence after the
    /// head is for the caller to notice.
    virtual RequestId stream(ApiRequest request, Part on_part, Done done) = 0;
    /// Its `done` soon gets `cancelled`, unless it has been called.
    virtual void cancel(RequestId id) = 0;
    /// Rings whenever a request comes back with 2xx, a stream once its head is here.
    virtual AnswerBell& answer_bell() = 0;
};

}  // namespace capstan::kubernetes::client
