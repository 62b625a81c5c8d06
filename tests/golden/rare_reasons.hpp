/// Reasons that no scenario shows, from passes over small clusters.
#pragma once

#include <vector>

#include "engine/reason.hpp"

namespace capstan::golden {

std::vector<engine::Reason> rare_reasons();

}  // namespace capstan::golden
