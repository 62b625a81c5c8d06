/// What a failure to grow is called in metrics.
#pragma once

#include <string>

#include <capstan/error.hpp>

namespace capstan::runtime::pass_metrics {

/// Upstream's names: "timeout" for machines that did not join, "apiCallError" where the cloud could
/// not be asked, else "cloudProviderError"; what only we tell apart has a name of its own.
std::string failure_reason(ErrorCode code);
/// The provider's own word, where it has one.
std::string failure_reason(const Error& error);

}  // namespace capstan::runtime::pass_metrics
