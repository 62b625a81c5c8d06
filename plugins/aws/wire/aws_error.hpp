/// Converts error replies of AWS, in each of their formats, to an Error.
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
    std::string code{};     ///< "ValidationError"; empty if the reply has none, as a proxy's
    std::string message{};  ///< the title, if the reply is an HTML page
    std::string request_id{};
    bool operator==(const AwsErrorText&) const = default;
};

/// Parses `<ErrorResponse>` of the query protocol, `<Response>` of ec2's, JSON, and HTML pages. The
/// message of any other reply is the beginning of its body.
AwsErrorText read_aws_error(const HttpReply& reply);

/// "autoscaling:SetDesiredCapacity: ValidationError: ... (request id ...)". `action` is the called
/// action by its name in policies. An error `permission` also names the missing action and the
/// resource, if AWS's message has them.
Error make_aws_error(const std::string& action, const HttpReply& reply, Time now);

/// The error of an unsuccessful reply, and whether the request may be sent again.
FailedAttempt judge_refusal(const std::string& action, const HttpReply& reply, Time now);

/// The missing permission that a message names: "is not authorized to perform: ec2:RunInstances on
/// resource: arn:aws:...". A part that the message lacks is empty.
struct MissingRight {
    std::string action{}, resource{};
    bool operator==(const MissingRight&) const = default;
};
MissingRight find_missing_right(std::string_view message);

/// The message without the encoded part that EC2 appends when it refuses an action. That part has
/// up to a kilobyte, and only `sts decode-authorization-message` can decode it.
std::string without_encoded_part(std::string message);

}  // namespace capstan::aws
