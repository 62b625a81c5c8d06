/// Requests to Google, in JSON.
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

/// Made by its constructor, as HttpRequest is, and for the same reason.
struct GceRequest {
    std::string action;  ///< the method's id in the discovery document, for messages and metrics
    std::string http_method;  ///< "GET"
    std::string path;  ///< below the service's root, percent-encoded, without a slash in front
    Service service = Service::compute;
    QueryParameters query{};
    std::optional<Json> body{};
    /// Whether it may be sent again after an attempt without an answer.
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

/// [strand] Lives longer than its requests; all of them share the budget for repetitions.
///
/// Every error names the action and has Google's reason as `provider_code`:
/// "compute.instanceGroupManagers.resize: The resource 'projects/...' was not found (notFound)".
/// Throttling, 5xx and requests without an answer are repeated where that is safe, with jitter. A
/// token that is refused (401) is renewed once. A change of which it is not known what came of it
/// is `deadline`.
///
/// The histogram `cluster_autoscaler_gce_request_duration_seconds` has the labels `resource`,
/// `verb` and `status` ("success", Google's reason, or "error"); the counter
/// `cluster_autoscaler_gce_request_count` is upstream's, by `resource` and `verb`, in snake case:
/// "instance_group_managers", "list".
class GceClient {
public:
    GceClient(const Host& host, ClientConfig config, TokenProvider& tokens);

    /// An empty reply is an empty object. An error of Google is a Failure.
    Task<Json> call(GceRequest request);

    const EndpointConfig& endpoints() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::gce
