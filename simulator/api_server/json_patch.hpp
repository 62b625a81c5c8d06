/// JSON patches, merge patches and strategic merge patches.
#pragma once

#include "simulator/api_server/api_object.hpp"
#include "simulator/api_server/status_error.hpp"

namespace capstan::simulator::api_server {

/// RFC 6902. 422: a test fails, a path does not exist, or an operation is malformed. `document` is
/// partly changed then.
Answer<void> apply_json_patch(json::value& document, const json::array& operations);

/// RFC 7386: null removes a member, objects are merged, and every other value is replaced.
void apply_merge_patch(json::value& document, const json::value& patch);

/// A merge patch in which lists with a merge key (api_request.hpp) are merged element by element.
/// Knows the directives $patch (delete, replace, merge), $setElementOrder, $retainKeys and
/// $deleteFromPrimitiveList.
void apply_strategic_patch(json::object& object, const json::object& patch);

}  // namespace capstan::simulator::api_server
