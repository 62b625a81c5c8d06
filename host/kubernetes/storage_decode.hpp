/// Storage of the Kubernetes API, as far as it decides where pods may run. Nothing: the object has
/// no name, or something that ties it to nodes or other objects could not be read.
#pragma once

#include <optional>

#include "engine/snapshot/objects.hpp"
#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

std::optional<engine::ClaimObject> decode_claim(const JsonPlace& claim);
std::optional<engine::VolumeObject> decode_volume(const JsonPlace& volume);
std::optional<engine::StorageClassObject> decode_storage_class(const JsonPlace& storage_class);
std::optional<engine::CsiNodeObject> decode_csi_node(const JsonPlace& csi_node);
std::optional<engine::CsiDriverObject> decode_csi_driver(const JsonPlace& driver);
std::optional<engine::CsiCapacityObject> decode_csi_capacity(const JsonPlace& capacity);

}  // namespace capstan::kubernetes
