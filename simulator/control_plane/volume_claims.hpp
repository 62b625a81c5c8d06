/// Provisions and binds volumes for PersistentVolumeClaims, as a storage driver would.
#pragma once

#include <string>
#include <string_view>

#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

/// A claim gets a volume at once, or, if its class has WaitForFirstConsumer, when a pod that uses
/// the claim has a node. Then the volume is bound to the node's zone, if the node has one. A claim
/// that names no class gets the default class. A volume that was made here is deleted with its
/// claim. A claim whose class does not exist or provisions no volumes waits until a client binds
/// it. [the loop's thread]
class VolumeClaims {
public:
    explicit VolumeClaims(ControlContext& context);
    /// Makes the default class `standard`, with WaitForFirstConsumer, if there is no class of that
    /// name.
    void start();

private:
    void reconcile(const std::string& key);
    api_server::ApiObject find_class(const json::object& claim);
    /// The node of a pod that uses the claim. NULL: no pod with a node uses the claim.
    api_server::ApiObject find_consumers_node(const json::object& claim) const;
    void provide(const json::object& claim, const json::object& storage_class,
                 const json::object* node);
    void remove_volume_of(const json::object& claim);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
