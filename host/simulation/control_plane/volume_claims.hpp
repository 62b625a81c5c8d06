/// Volumes for claims: what a storage driver would provide.
#pragma once

#include <string>
#include <string_view>

#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// A claim gets a volume at once, or, where its class waits for a consumer, when its first pod has
/// a node; the volume is then held to the node's zone, if it has one. Volumes that were made here
/// go with their claims. Claims of no class wait to be bound from outside. [the loop's thread]
class VolumeClaims {
public:
    explicit VolumeClaims(ControlContext& context);
    /// Makes `standard`, the default class, which waits for consumers, if there is none of the
    /// name.
    void start();

private:
    void reconcile(const std::string& key);
    api_server::ApiObject find_class(const json::object& claim);
    /// NULL: no pod with a node uses it.
    api_server::ApiObject find_consumers_node(const json::object& claim) const;
    void provide(const json::object& claim, const json::object& storage_class,
                 const json::object* node);
    void remove_volume_of(const json::object& claim);

    ControlContext& context_;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
