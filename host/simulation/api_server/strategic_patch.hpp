/// Strategic merge patches: lists are merged by the member that tells their elements apart.
#pragma once

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// With the directives $patch (delete, replace, merge), $setElementOrder, $retainKeys and
/// $deleteFromPrimitiveList.
void apply_strategic_patch(json::object& object, const json::object& patch);

}  // namespace capstan::simulation
