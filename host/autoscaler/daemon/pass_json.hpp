/// A pass as JSON, for the admin port and `capstan plan`.
#pragma once

#include <string>

#include "autoscaler/pass_report.hpp"

namespace capstan::autoscaler::daemon {

/// Groups with size, health and back-off.
std::string groups_json(const PassReport& pass);
/// When, how long, how many pods and nodes, what was asked for.
std::string pass_json(const PassReport& pass);

}  // namespace capstan::autoscaler::daemon
