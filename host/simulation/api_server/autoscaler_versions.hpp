/// The HorizontalPodAutoscaler, which is kept as v2 and served as v1, too: `kubectl autoscale`
/// writes that.
#pragma once

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// v1's target share of CPU becomes the metric that it stands for.
json::object autoscaler_as_v2(json::object v1);
/// The other way; metrics that v1 has no word for are left out.
json::object autoscaler_as_v1(json::object v2);

}  // namespace capstan::simulation
