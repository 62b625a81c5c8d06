/// In-tree volumes (awsElasticBlockStore, gcePersistentDisk, ...) as volumes of the CSI drivers
/// that have replaced the in-tree plugins.
///
/// Names and handles are those of k8s.io/csi-translation-lib. Only the plugins whose volumes
/// kube-scheduler counts against attach limits are known: azureFile and vsphereVolume are not.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include <capstan/labels.hpp>

#include "engine/snapshot/pod_spec.hpp"
#include "kubernetes/json_cursor.hpp"

namespace capstan::kubernetes::objects {

/// On a CSINode: the in-tree plugins, separated by commas, that CSI drivers replace on the node.
inline constexpr std::string_view migrated_plugins_annotation =
    "storage.alpha.kubernetes.io/migrated-plugins";

/// The drivers that replace the plugins in the annotation's value. Other plugins are left out.
std::set<std::string> find_migrated_drivers(std::string_view plugins);

/// The driver that has replaced an in-tree plugin, such as ebs.csi.aws.com for
/// kubernetes.io/aws-ebs; empty: no such plugin is known.
std::string_view find_csi_driver(std::string_view plugin) noexcept;

/// Whether the text names a known in-tree plugin or the driver that has replaced it.
bool is_migration_name(std::string_view text) noexcept;

/// The in-tree volume in the spec of a PersistentVolume with these labels, or in a volume of a pod;
/// absent: it has none, or one that has no CSI handle, such as an unmanaged Azure disk.
std::optional<engine::snapshot::InTreeVolume> decode_in_tree_volume(const JsonCursor& volume,
                                                                    const Labels& labels = {});

/// A volume of a pod, without its name, that decode_in_tree_volume reads as `volume`.
boost::json::object encode_in_tree_volume(const engine::snapshot::InTreeVolume& volume);

}  // namespace capstan::kubernetes::objects
