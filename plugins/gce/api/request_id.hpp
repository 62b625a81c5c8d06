/// Ids that make repeated changes idempotent in compute.
#pragma once

#include <string>

#include <capstan/host.hpp>

namespace capstan::gce {

/// A random UUID (version 4) for the parameter `requestId`. Compute ignores a second change with
/// the same id for an hour.
std::string make_request_id(const Host& host);

}  // namespace capstan::gce
