/// The conditions in the status of objects.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

struct Condition {
    std::string_view type{};
    std::string_view status = "True";  ///< "True", "False", "Unknown"
    std::string_view reason{};
    std::string message{};
};

/// Nothing: none, or it does not say.
std::optional<Time> condition_since(const json::object& object, std::string_view type);

/// In place of the one of that type, whose members of other names stay; its lastTransitionTime
/// changes with the status alone. The answer may be added to, and is valid until the next change.
json::object& set_condition(json::object& object, const Condition& condition, Time now);
void remove_condition(json::object& object, std::string_view type);

}  // namespace capstan::simulation
