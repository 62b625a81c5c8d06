/// Ids by which compute knows a change that is sent again.
#pragma once

#include <string>

#include <capstan/host.hpp>

namespace capstan::gce {

/// A random UUID (version 4), the parameter `requestId`: compute carries out no second change with
/// it for an hour.
std::string make_request_id(const Host& host);

}  // namespace capstan::gce
