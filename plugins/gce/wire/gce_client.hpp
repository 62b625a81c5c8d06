/// Sends JSON requests to Google.
///
///     GceRequest request("compute.instanceGroupManagers.resize", "POST", link.path() + "/resize");
///     request.query.emplace_back("size", "3");
///     request.repeatable = Repeatable::yes;
///     const Json operation = co_await client.call(std::move(request));
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <capstan/attempts.hpp>
#include <capstan/json.hpp>
#include <capstan/url.hpp>

#include "access_token.hpp"
#include "endpoints.hpp"

namespace capstan::gce {

/// A request. Like HttpRequest it is not an aggregate, since g++ 12 miscompiles an aggregate with
/// strings inside a co_await expression.
struct GceRequest {
    std::string action;  ///< the method's id in the discovery document, for messages and metrics
    std::string http_method;  ///< "GET"
    std::string path;         ///< below base_url_of, percent-encoded, without a leading slash
    Service service = Service::compute;
    QueryParameters query{};
    std::optional<Json> body{};
    /// Whether the request may be sent again after an attempt without an answer.
    Repeatable repeatable = Repeatable::by_method;
    std::uint64_t max_reply_bytes = std::uint64_t{64} << 20;

    GceRequest(std::string method_id, std::string method, std::string where)
        : action(std::move(method_id)), http_method(std::move(method)), path(std::move(where)) {}
};

struct ClientConfig {
    EndpointConfig endpoints{};
    Duration timeout = std::chrono::seconds(7);  ///< of one attempt
    RetryPolicy retry{};
};

/// [strand] Has to outlive its requests. All requests share one budget of retries.
///
/// Every error names the action and has Google's reason as `provider_code`:
/// "compute.instanceGroupManagers.resize: The resource 'projects/...' was not found (notFound)".
/// After throttling, a 5xx or no answer, a request is retried with jitter if that is safe. After a
/// refusal of the token (401) the token is renewed once. A change whose outcome is unknown fails
/// with `deadline`.
///
/// The histogram `cluster_autoscaler_gce_request_duration_seconds` has the labels `resource`,
/// `verb` and `status` ("success", Google's reason, or "error"); the counter
/// `cluster_autoscaler_gce_request_count` is upstream's, by `resource` and `verb`, in snake case:
/// "instance_group_managers", "list".
class GceClient {
public:
    GceClient(const Host& host, ClientConfig config, TokenProvider& tokens);

    /// Returns an empty object for an empty reply. Throws a Failure for an error of Google.
    Task<Json> call(GceRequest request);

    const EndpointConfig& endpoints() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::gce
