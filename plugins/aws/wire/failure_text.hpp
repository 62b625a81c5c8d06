/// Why Auto Scaling could not launch an instance, by the text of a failed scaling activity.
#pragma once

#include <string_view>

#include <capstan/error.hpp>

namespace capstan::aws {

/// `status_code` is the activity's ("Failed"), `message` its StatusMessage:
///     "Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not
///      have sufficient m5.large capacity in the Availability Zone you requested ..."
///         ->  out_of_capacity, InsufficientInstanceCapacity
///
/// Error::provider_code is AWS's code, where the text has one or its wording is known; the message
/// is AWS's, on one line. What does not exist or cannot be used (a security group, an image, a key)
/// is `invalid_config`, since it is the group's, not the group. A text that is not known is
/// `unavailable`. Without a text the message tells the status code.
Error classify_failure_text(std::string_view status_code, std::string_view message);

}  // namespace capstan::aws
