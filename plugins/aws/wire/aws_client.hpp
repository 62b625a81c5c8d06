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

/// The parameters of an action, in the order in which they were set.
class QueryRequest {
public:
    QueryRequest(Service service, std::string action)
        : service_(service), action_(std::move(action)) {}

    QueryRequest& set(std::string name, std::string value) &;
    /// A whole number, or true or false.
    template <std::integral Value>
    QueryRequest& set(std::string name, Value value) & {
        if constexpr (std::is_same_v<Value, bool>) {
            return set(std::move(name), std::string(value ? "true" : "false"));
        } else {
            return set(std::move(name), std::to_string(value));
        }
    }
    /// "AutoScalingGroupNames.member.1", ".member.2": the query protocol's lists. `list` is
    /// "AutoScalingGroupNames.member"; that of the ec2 protocol is the bare name, "ImageId".
    QueryRequest& set_list(const std::string& list, const std::vector<std::string>& values) &;

    Service service() const noexcept { return service_; }
    const std::string& action() const noexcept { return action_; }
    const std::vector<std::pair<std::string, std::string>>& parameters() const noexcept {
        return parameters_;
    }
    /// "Action=...&Version=...&Name=value"; each value percent-encoded.
    std::string body() const;

private:
    Service service_;
    std::string action_;
    std::vector<std::pair<std::string, std::string>> parameters_{};
};

/// Gives credentials that hold for a while longer; `renew` gives others than the ones that were
/// refused. [strand]
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
    /// What is repeated is AWS's to say: `statuses`, `errors` and `also` count for nothing.
    RetryPolicy retry{};
};

/// [strand] Lives longer than its requests. All of them share the budget for repetitions.
///
/// Every error names action and subject as AWS calls them, and has AWS's code as `provider_code`:
/// "autoscaling:SetDesiredCapacity: ValidationError: ... (request id ...)". `permission` names the
/// action that the policy lacks and the resource that AWS's message names.
///
/// Throttling is repeated by token bucket and jitter, and so is a request without an answer, or
/// with one that cannot be read, if it can be sent twice or was not carried out. Each attempt is
/// signed anew. Refused credentials are renewed once; the clock's skew is learned from a reply's
/// Date, and the request signed anew once. A change of which it is not known what came of it is
/// `deadline`.
///
/// Credentials without an access key id leave a request unsigned.
///
/// The histogram `cluster_autoscaler_aws_request_duration_seconds` has the labels `endpoint`, which
/// is the action, and `status`: "success", AWS's error code, or "error".
class AwsClient {
public:
    AwsClient(const Host& host, ClientConfig config, CredentialsProvider& credentials);

    /// The query or ec2 protocol. Repeatable: whether the action may be sent again after an attempt
    /// without an answer. An error of AWS is a Failure.
    Task<XmlReply> call(QueryRequest request, Repeatable repeatable);
    /// rest-json: GET of a path that is percent-encoded already.
    Task<Json> get(Service service, std::string action, std::string path);
    /// json 1.0: POST with X-Amz-Target; of SQS `target` is "AmazonSQS.ReceiveMessage".
    Task<Json> post_json(Service service, std::string target, Json body, Repeatable repeatable);

    const std::string& region() const noexcept;
    /// How far AWS's clock is ahead of this machine's, as the dates of all replies have told.
    Duration clock_skew() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace capstan::aws
