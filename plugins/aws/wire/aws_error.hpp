/// What AWS says where it refuses, in each of its forms, as an Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/attempts.hpp>
#include <capstan/error.hpp>
#include <capstan/http.hpp>

namespace capstan::aws {

/// An error as AWS writes it.
struct AwsErrorText {
    std::string code{};     ///< "ValidationError"; empty: the reply has none, as a proxy's
    std::string message{};  ///< of a page in HTML its title
    std::string request_id{};
    bool operator==(const AwsErrorText&) const = default;
};

/// Reads `<ErrorResponse>` of the query protocol, `<Response>` of ec2's, JSON, and pages of HTML. A
/// reply that is none of these has the beginning of its body as the message.
AwsErrorText read_aws_error(const HttpReply& reply);

/// "autoscaling:SetDesiredCapacity: ValidationError: ... (request id ...)". `action` is the one
/// that was called, as policies name it. A `permission` also names the action that the policy
/// lacks, and the resource, where AWS tells them.
Error make_aws_error(const std::string& action, const HttpReply& reply, Time now);

/// A reply that is no success, with whether the request may be sent again.
FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now);

/// What a refusal says of the right that is missing: "is not authorized to perform:
/// ec2:RunInstances on resource: arn:aws:..."; each is empty where it does not say.
struct MissingRight {
    std::string action{}, resource{};
    bool operator==(const MissingRight&) const = default;
};
MissingRight find_missing_right(std::string_view message);

/// The message without the encoded part that AWS appends to refusals of EC2: up to a kilobyte that
/// `sts decode-authorization-message` alone can read.
std::string without_encoded_part(std::string message);

}  // namespace capstan::aws
