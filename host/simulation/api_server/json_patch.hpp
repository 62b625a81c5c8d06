/// Patches that know nothing of the kind they change.
#pragma once

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/status_error.hpp"

namespace capstan::simulation::api_server {

/// RFC 6902. 422: a test does not hold, or a place is not there; `document` is half changed then.
Answer<void> apply_json_patch(json::value& document, const json::array& operations);

/// RFC 7386: null removes, objects are merged, all else is replaced.
void apply_merge_patch(json::value& document, const json::value& patch);

// Strategic merge patches: lists are merged by the member that tells their elements apart.

/// With the directives $patch (delete, replace, merge), $setElementOrder, $retainKeys and
/// $deleteFromPrimitiveList.
void apply_strategic_patch(json::object& object, const json::object& patch);

}  // namespace capstan::simulation::api_server
