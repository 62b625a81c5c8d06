/// Classifies the text of a failed scaling activity: why Auto Scaling could not launch an instance.
#pragma once

#include <string_view>

#include <capstan/error.hpp>

namespace capstan::aws {

/// `status_code` is the activity's ("Failed"), `message` its StatusMessage:
///     "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not
///      have sufficient m5.large capacity in the Availability Zone you requested ..."
///         ->  out_of_capacity, InsufficientInstanceCapacity
///
/// Error::provider_code is the code in the text or, for most known wordings, EC2's code for the
/// same failure; Error::scope follows from it (scope_of). The message is AWS's text on one line. A
/// resource that does not exist or cannot be used (a security group, image or key) is
/// `invalid_config`, not `not_found`: the group's configuration names it, and the group itself
/// exists. An unknown text is `unavailable`. Without a text the message has the status code.
Error classify_failure_text(std::string_view status_code, std::string_view message);

}  // namespace capstan::aws
