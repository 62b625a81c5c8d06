/// Signed requests to AWS: the query and ec2 protocols (XML), rest-json (EKS) and json (SQS).
///
///     QueryRequest request(Service::auto_scaling, "SetDesiredCapacity");
///     request.set("AutoScalingGroupName", name).set("DesiredCapacity", 3);
///     const XmlReply reply = co_await client.call(request, Repeatable::yes);
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capstan/json.hpp>
#include <capstan/retry.hpp>

#include "credentials.hpp"
#include "endpoints.hpp"
#include "service.hpp"
#include "xml_reply.hpp"

namespace capstan::aws {

/// A request of the query or ec2 protocol: an action and its parameters in the order of `set`.
class QueryRequest {
public:
    QueryRequest(Service service, std::string action)
        : service_(service), action_(std::move(action)) {}

    QueryRequest& set(std::string name, std::string value) &;
    /// For whole numbers and bool.
    template <std::integral Value>
    QueryRequest& set(std::string name, Value value) & {
        if constexpr (std::is_same_v<Value, bool>) {
            return set(std::move(name), std::string(value ? "true" : "false"));
        } else {
            return set(std::move(name), std::to_string(value));
        }
    }
    /// Sets "LIST.1", "LIST.2", ... `list` of the query protocol ends with ".member", as in
    /// "AutoScalingGroupNames.member"; that of the ec2 protocol is the bare name, "ImageId".
    QueryRequest& set_list(const std::string& list, const std::vector<std::string>& values) &;

    Service service() const noexcept { return service_; }
    const std::string& action() const noexcept { return action_; }
    const std::vector<std::pair<std::string, std::string>>& parameters() const noexcept {
        return parameters_;
    }
    /// "Action=...&Version=...&Name=value", with percent-encoded values.
    std::string body() const;

private:
    Service service_;
    std::string action_;
    std::vector<std::pair<std::string, std::string>> parameters_{};
};

/// Provides credentials. `get` gives credentials that are valid for a while longer. `renew` gives
/// credentials other than the refused ones, if there are any. [strand]
class CredentialsProvider {
public:
    virtual ~CredentialsProvider() = default;
    virtual Task<Credentials> get() = 0;
    virtual Task<Credentials> renew(std::string refused_access_key_id) = 0;
};

struct ClientConfig {
    std::string region{};
    EndpointConfig endpoints{};
    Duration timeout = std::chrono::seconds(30);  ///< of one attempt
    /// AWS's error codes decide what is repeated: `statuses`, `errors` and `also` are ignored.
    RetryPolicy retry{};
};

/// [strand] Has to outlive its requests. All requests share one budget of retries.
///
/// Every error names the action and has AWS's code as `provider_code`:
/// "autoscaling:SetDesiredCapacity: ValidationError: ... (request id ...)". An error `permission`
/// names the action that the policy lacks and the resource of AWS's message.
///
/// Throttled requests are retried with jitter, limited by a token bucket. A request without a
/// readable answer is retried, too, if it is repeatable or was not carried out. Each attempt is
/// signed again. After a refusal of the credentials they are renewed once. After a refusal of the
/// time, the clock skew is learned from the reply's Date and the request is retried once. A change
/// with an unknown outcome fails with `deadline`.
///
/// Requests are sent unsigned if the credentials have no access key id.
///
/// The histogram `cluster_autoscaler_aws_request_duration_seconds` has the labels `endpoint`, which
/// is the action, and `status`: "success", AWS's error code, or "error".
class AwsClient {
public:
    AwsClient(const Host& host, ClientConfig config, CredentialsProvider& credentials);

    /// Query or ec2 protocol. `repeatable`: whether the action may be sent again after an attempt
    /// without an answer. Throws a Failure for an error of AWS, as the other functions do.
    Task<XmlReply> call(QueryRequest request, Repeatable repeatable);
    /// rest-json protocol: GET of a path that is percent-encoded already.
    Task<Json> get(Service service, std::string action, std::string path);
    /// json 1.0 protocol: POST with X-Amz-Target, such as "AmazonSQS.ReceiveMessage".
    Task<Json> post_json(Service service, std::string target, Json body, Repeatable repeatable);

    const std::string& region() const noexcept;
    /// How far AWS's clock is ahead of this machine's, learned from the dates of all replies.
    Duration clock_skew() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::aws
