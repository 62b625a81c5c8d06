/// Which lists of the API are merged by a member of their elements, and which are replaced whole.
#pragma once

#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

/// A place in an object, as far as it tells which list stands there.
struct ListPlace {
    std::string_view parent{};  ///< the nearest member above: "containers", "spec"
    std::string_view field{};   ///< the member: "ports"
    bool is_custom = false;     ///< in a custom resource: only what all objects have is known
};

/// "containerPort" of a container's ports. Empty: the list has none, and is replaced.
std::string_view merge_key(const ListPlace& place);
/// A list of texts in which each is there once: finalizers.
bool is_set(const ListPlace& place);

/// The element whose member `key` is `value`; NULL: none.
json::object* find_element(json::array& list, std::string_view key, const json::value& value);

}  // namespace capstan::simulation
