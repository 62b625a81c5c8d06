/// The controllers that look after pods.
#pragma once

#include <optional>
#include <string_view>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// A ReplicaSet, ReplicationController, StatefulSet or Job, by `kind`. Nothing when it cannot be
/// told which it is, or how many pods it wants. A selector that cannot be read is complained about,
/// and left out.
std::optional<engine::ControllerObject> decode_controller(const JsonPlace& controller,
                                                          std::string_view kind);

}  // namespace capstan::kubernetes
